"""The chess endgame king and rook against king: moves to mate, black to move."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from nearkind.datasets.dataset import Dataset

Board = NDArray[np.int16]  # (64, 64, 64): white king, white rook, black king
Mask = NDArray[np.bool_]

NEVER, NO_MOVE = 100, -1
_FILE, _RANK = np.divmod(np.arange(64), 8)  # a square is 8 * file + rank
_ACROSS, _ALONG = abs(_FILE[:, None] - _FILE), abs(_RANK[:, None] - _RANK)
_AROUND = [np.flatnonzero(steps == 1) for steps in np.maximum(_ACROSS, _ALONG)]
_FILES = np.array(list("abcdefgh"), dtype=object)
_RANKS = np.array(list("12345678"), dtype=object)
_WORDS = (
    "draw zero one two three four five six seven eight nine ten eleven twelve thirteen "
    "fourteen fifteen sixteen"
)
_LABELS = np.array(_WORDS.split(), dtype=object)


def krkopt() -> Dataset:
    """Return the set ``krkopt``: king and rook against king, black to move.

    One position stands for all its mirror images and turns: the white king is in the
    triangle a1-d1-d4; if it is on the diagonal, the black king is on or below it; if
    both are on it, so is the rook. Rows are sorted by label, then by square.

    Returns
    -------
    Dataset
        Of shape (28056, 6); the label is white's moves to mate under best play, zero
        to sixteen, or draw.

    Examples
    --------
    >>> data = krkopt()
    >>> print(*data.X[0], data.y[0])
    a 1 b 3 c 2 draw
    """
    squares = np.argwhere(_representatives())  # (n, 3), in order of squares
    moves = depths()[tuple(squares.T)]
    labels = np.where(moves == NEVER, 0, moves + 1)
    order = labels.argsort(kind="stable")
    squares = squares[order]
    X = np.stack([_FILES[_FILE[squares]], _RANKS[_RANK[squares]]], axis=2)
    pieces = ("white_king", "white_rook", "black_king")
    names = [f"{piece}_{axis}" for piece in pieces for axis in ("file", "rank")]
    return Dataset(names, "class", X.reshape(-1, 6), _LABELS[labels[order]])


@cache
def depths() -> Board:
    """Return white's moves to mate, black to move, or NEVER, of every position.

    Retrograde analysis: nothing is known but mates; each round white takes the best
    of the known moves and black the one worst for white, until nothing changes.
    Impossible positions are NEVER, so that white never enters them.

    Returns
    -------
    array of shape (64, 64, 64)
        By squares of white king, white rook and black king; read only.

    Examples
    --------
    >>> a6, a8, b7, c7, h8 = 5, 7, 14, 22, 63
    >>> int(depths()[a6, h8, a8]), int(depths()[c7, b7, a8])  # mate, stalemate
    (0, 100)
    """
    possible, check = _possible(), _check()
    depth = np.full((64, 64, 64), NEVER, dtype=np.int16)
    while True:
        renewed = _black_to_move(_white_to_move(depth), check)
        renewed[~possible] = NEVER
        if (renewed == depth).all():
            depth.setflags(write=False)
            return depth
        depth = renewed


def _white_to_move(depth: Board) -> Board:
    """Return moves to mate when white chooses among positions of ``depth``."""
    best = np.stack([depth[around].min(axis=0) for around in _AROUND])
    for start, end in np.argwhere(_on_a_line()):
        off = _off_the_way(start, end)
        free = off[:, None] & off[None, :]  # (64, 64), no king between
        moved = np.where(free, depth[:, end, :], NEVER)
        np.minimum(best[:, start, :], moved, out=best[:, start, :])
    return np.minimum(best + 1, NEVER)


def _black_to_move(depth: Board, check: Mask) -> Board:
    """Return moves to mate when black chooses; taking the rook is a draw."""
    entered = depth.copy()
    entered[:, np.arange(64), np.arange(64)] = NEVER
    entered[check | ~_kings_apart()] = NO_MOVE
    worst = np.stack([entered[:, :, around].max(axis=2) for around in _AROUND], axis=2)
    return np.where(worst == NO_MOVE, np.where(check, 0, NEVER), worst)


def _possible() -> Mask:
    """Return which positions can stand on a board, black to move."""
    differ = ~np.eye(64, dtype=bool)
    return _kings_apart() & differ[:, :, None] & differ[None, :, :]


def _kings_apart() -> Mask:
    """Return where the kings do not touch, (64, 64, 64)."""
    apart = np.maximum(_ACROSS, _ALONG) > 1
    return np.broadcast_to(apart[:, None, :], (64, 64, 64))


def _check() -> Mask:
    """Return where the rook attacks the black king, the white king not between."""
    steps = _ACROSS + _ALONG
    off = steps[:, :, None] + steps[:, None, :] != steps[None, :, :]
    return _on_a_line()[None, :, :] & off


def _on_a_line() -> Mask:
    """Return which two squares share a file or a rank, (64, 64)."""
    return (_ACROSS == 0) ^ (_ALONG == 0)


def _off_the_way(start: int, end: int) -> Mask:
    """Return which squares are not on the line from start to end, (64,)."""
    steps = _ACROSS + _ALONG
    return steps[start] + steps[end] != steps[start, end]


def _representatives() -> Mask:
    """Return which positions the set holds: one of those alike by symmetry."""
    below, on = _RANK <= _FILE, _RANK == _FILE
    king = below & (_FILE < 4)
    white = king[:, None, None]
    black = ~on[:, None, None] | below[None, None, :]
    rook = ~(on[:, None, None] & on[None, None, :]) | below[None, :, None]
    return _possible() & white & black & rook
