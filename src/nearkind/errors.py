"""Errors and warnings of nearkind; each message says what to do next.

Every error is a ``ValueError`` or a ``TypeError``, so that code written for
scikit-learn catches it.
"""


class UnseenValueError(ValueError):
    """A column holds values that ``fit`` did not see, and the policy is "error"."""


class MissingValueError(ValueError):
    """A column holds missing values, and the policy is "error"."""


class ColumnError(ValueError):
    """The columns of a table are not those that ``fit`` saw."""


class ModelFileError(ValueError):
    """A model cannot be saved, or a file cannot be loaded."""


class UnseenValueWarning(UserWarning):
    """Values that ``fit`` did not see were given the class prior."""


class NearlyUniqueWarning(UserWarning):
    """A column has about as many values as rows and so says little of new rows."""


class MixedValuesWarning(UserWarning):
    """A column of numbers also holds words, so that every number is a category."""


class SmallWeightWarning(UserWarning):
    """Sample weights add up to fewer rows than are asked to vote."""


class RememberedRowsWarning(UserWarning):
    """A classifier remembers a sample of the rows that it learned from."""
