"""Data sets that are computed from a rule, equal to the published files."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from nearkind.datasets.dataset import Dataset, ObjectArray
from nearkind.datasets.endgame import krkopt

_PERSONS = [
    ("Accountant", "Bachelor", "Married", "Low"),
    ("Doctor", "Master", "Married", "Low"),
    ("Plumber", "TAFE", "Single", "High"),
    ("Plumber", "High school", "Single", "Middle"),
    ("Doctor", "Master", "Married", "Middle"),
    ("Accountant", "Master", "Single", "High"),
]
_SQUARES = [
    f"{row}-{column}-square"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
]
_LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6)]
_LINES += [(1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def credit_risk() -> Dataset:
    """Return the paper's worked example: six persons and their credit risk.

    Persons 2 and 5 have equal features and different labels, so no metric reaches
    zero loss.

    Returns
    -------
    Dataset
        Of shape (6, 3), target "Risk" with classes Low, Middle and High.

    Examples
    --------
    >>> credit_risk().feature_names
    ['Occupation', 'Education', 'Marital']
    """
    names = ["Occupation", "Education", "Marital"]
    return _table(names, (p[:3] for p in _PERSONS), (p[3] for p in _PERSONS), "Risk")


def balance() -> Dataset:
    """Return the set ``balance``: to which side a scale tips.

    The side with the larger product of weight and distance goes down; the set is the
    whole grid of five weights and five distances a side.

    Returns
    -------
    Dataset
        Of shape (625, 4), classes L (left), B (balanced) and R (right).

    Examples
    --------
    >>> balance().y[0]
    'B'
    """
    grid = list(product(range(1, 6), repeat=4))
    moments = [a * b - c * d for a, b, c, d in grid]
    labels = ["L" if m > 0 else "R" if m < 0 else "B" for m in moments]
    names = ["left-weight", "left-distance", "right-weight", "right-distance"]
    return _table(names, grid, labels)


def monks1() -> Dataset:
    """Return Monk's problem 1: a1 equals a2, or a5 is 1.

    Returns
    -------
    Dataset
        Of shape (432, 6), classes "0" and "1".

    Examples
    --------
    >>> monks1().X.shape
    (432, 6)
    """
    return _monks(lambda a: a[0] == a[1] or a[4] == 1)


def monks2() -> Dataset:
    """Return Monk's problem 2: exactly two of the six attributes are 1.

    Returns
    -------
    Dataset
        Of shape (432, 6), classes "0" and "1".

    Examples
    --------
    >>> int((monks2().y == "1").sum())
    142
    """
    return _monks(lambda a: a.count(1) == 2)


def monks3() -> Dataset:
    """Return Monk's problem 3: a5 is 3 and a4 is 1, or a5 is not 4 and a2 is not 3.

    Returns
    -------
    Dataset
        Of shape (432, 6), classes "0" and "1", every label by the rule. The published
        training sample, 122 of these rows with 6 labels wrong on purpose, is another
        set and needs its file ``monks3_train``.

    Examples
    --------
    >>> int((monks3().y == "1").sum())
    228
    """
    return _monks(lambda a: (a[4] == 3 and a[3] == 1) or (a[4] != 4 and a[1] != 3))


def tic_tac_toe() -> Dataset:
    """Return every end position of tic-tac-toe, x moving first.

    Positions that x has won come first, then those that o has won, then draws; within
    each the order is that of the letters x, o, b (blank).

    Returns
    -------
    Dataset
        Of shape (958, 9), classes positive (x has three in a row) and negative.

    Examples
    --------
    >>> "".join(tic_tac_toe().X[0])
    'xxxxooxoo'
    """
    results = {board: _result(board) for board in product("xob", repeat=9)}
    ends = [b for winner in "xod" for b, result in results.items() if result == winner]
    labels = ["positive" if results[b] == "x" else "negative" for b in ends]
    return _table(_SQUARES, ends, labels)


RULES: dict[str, Callable[[], Dataset]] = {
    "balance": balance,
    "credit_risk": credit_risk,
    "krkopt": krkopt,
    "monks1": monks1,
    "monks2": monks2,
    "monks3": monks3,
    "tic_tac_toe": tic_tac_toe,
}
"""Name of a set to the function that computes it."""


def _monks(rule: Callable[[tuple[int, ...]], bool]) -> Dataset:
    """Return the whole space of robots, labelled by ``rule``."""
    grid = list(product(*(range(1, size + 1) for size in (3, 3, 2, 3, 4, 2))))
    labels = [str(int(rule(robot))) for robot in grid]
    return _table([f"a{d}" for d in range(1, 7)], grid, labels)


def _result(board: Sequence[str]) -> str | None:
    """Return who won a finished game, "d" if nobody did, None if it is no end."""
    lead = board.count("x") - board.count("o")
    won = {player for player in "xo" if _has_line(board, player)}
    if won == {"x"} and lead == 1:
        return "x"
    if won == {"o"} and lead == 0:
        return "o"
    return "d" if not won and lead == 1 and "b" not in board else None


def _has_line(board: Sequence[str], player: str) -> bool:
    """Return whether ``player`` has three in a row."""
    return any(board[i] == board[j] == board[k] == player for i, j, k in _LINES)


def _table(
    names: list[str],
    rows: Iterable[Sequence[object]],
    labels: Iterable[str],
    target: str = "class",
) -> Dataset:
    """Collect rows and labels, each value as a string."""
    X = np.array([[str(value) for value in row] for row in rows], dtype=object)
    return Dataset(list(names), target, X, np.array(list(labels), dtype=object))


_DIGITS = (
    "1110111 0010010 1011101 1011011 0111010 1101011 1101111 1010010 1111111 1111011"
)
N_SEGMENTS, N_IRRELEVANT = 7, 17
SEED = 0


def led24(n_samples: int = 3200, noise: float = 0.1, seed: int = SEED) -> Dataset:
    """Return the set ``led24``: digits as a faulty display shows them.

    A digit is drawn uniformly, each of its seven segments is inverted with probability
    ``noise``, and 17 fair bits that tell nothing follow. From Breiman, Friedman, Olshen
    and Stone, *Classification and Regression Trees*, 1984. The published file is one
    draw of this rule, which no seed of ours repeats.

    Parameters
    ----------
    n_samples : int, default=3200
    noise : float, default=0.1
    seed : int, default=0
        The same seed gives the same rows.

    Returns
    -------
    Dataset
        Of shape (n_samples, 24), the bits as "0" and "1", classes "0" to "9".

    Examples
    --------
    >>> clean = led24(1, noise=0.0)
    >>> print("".join(clean.X[0, :7]), clean.y[0])
    1111111 8
    """
    rng = np.random.default_rng(seed)
    lit = np.array([list(map(int, digit)) for digit in _DIGITS.split()])  # (10, 7)
    digits = rng.integers(10, size=n_samples)
    inverted = rng.random((n_samples, N_SEGMENTS)) < noise
    irrelevant = rng.integers(2, size=(n_samples, N_IRRELEVANT))
    bits = np.hstack([lit[digits] ^ inverted, irrelevant])  # (n, 24)
    names = [f"segment{i}" for i in range(1, N_SEGMENTS + 1)]
    names += [f"irrelevant{i}" for i in range(1, N_IRRELEVANT + 1)]
    return Dataset(names, "class", _words(bits), _words(digits))


def _words(numbers: NDArray[np.int64]) -> ObjectArray:
    """Return digits as strings, equal ones as one object."""
    return np.array(list("0123456789"), dtype=object)[numbers]
