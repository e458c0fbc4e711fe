"""Features: the coding of a column by levels, bins or coordinates.

A code is a row of the feature's lookup table; -1 is the row for values that ``fit`` did
not see. Levels stand in a canonical order, so codes do not depend on the order of rows
or on the library that holds the table. ``features`` says what every feature offers;
the kinds are ``levels``, ``orders``, ``bins``, ``coordinates`` and ``number_line``.
``numeric`` chooses. ``crosses`` makes one feature of two, which ``interactions``
chooses.
"""

from nearkind.encoding.bins import Bins
from nearkind.encoding.coordinates import Coordinate
from nearkind.encoding.crosses import Cross
from nearkind.encoding.features import SKIPPED, Feature
from nearkind.encoding.levels import Levels
from nearkind.encoding.number_line import NumberLine
from nearkind.encoding.numeric import MAX_LEVELS_OF_NUMBERS, NUMERIC, Sample
from nearkind.encoding.orders import Ordinal

__all__ = [
    "MAX_LEVELS_OF_NUMBERS",
    "NUMERIC",
    "SKIPPED",
    "Bins",
    "Coordinate",
    "Cross",
    "Feature",
    "Levels",
    "NumberLine",
    "Ordinal",
    "Sample",
]
