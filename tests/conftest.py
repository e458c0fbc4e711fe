"""What every test shares: laws draw the same cases each time; one thread a process."""

import os

from hypothesis import settings

# Tests run side by side, and `fit` holds linear algebra to one thread as well.
os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile("nearkind", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("nearkind")
