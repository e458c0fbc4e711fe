"""What every test shares: helpers can be imported, and laws draw the same cases."""

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))
settings.register_profile(
    "nearkind", deadline=None, derandomize=True, max_examples=50
)
settings.load_profile("nearkind")
