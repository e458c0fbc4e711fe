"""What every test shares: laws draw the same cases each time."""

from hypothesis import settings

settings.register_profile("nearkind", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("nearkind")
