"""King and rook against king, judged again by moving pieces one by one."""

import numpy as np
import pytest

from nearkind.datasets.endgame import NEVER, depths, krkopt

STEPS = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
LINES = [(1, 0), (-1, 0), (0, 1), (0, -1)]
BOARD = {(f, r) for f in range(8) for r in range(8)}


def around(square):
    return {(square[0] + i, square[1] + j) for i, j in STEPS} & BOARD


def rook_squares(rook, *blockers):
    """Return the squares a rook reaches; a blocker is reached and not passed."""
    for i, j in LINES:
        square = (rook[0] + i, rook[1] + j)
        while square in BOARD:
            yield square
            if square in blockers:
                break
            square = (square[0] + i, square[1] + j)


def looked_up(*pieces):
    return int(depths()[tuple(8 * f + r for f, r in pieces)])


def black_moves(king, rook, black):
    """Return where the black king may go, the rook's square if it can be taken."""
    return [
        square
        for square in around(black) - around(king) - {king}
        if square not in rook_squares(rook, king)
    ]


def after_white(king, rook, black):
    kings = around(king) - around(black) - {rook, black}
    rooks = set(rook_squares(rook, king, black)) - {king, black}
    ends = [looked_up(k, rook, black) for k in kings]
    return min(ends + [looked_up(king, r, black) for r in rooks])


def judged(king, rook, black):
    moves = black_moves(king, rook, black)
    if not moves:
        return 0 if black in rook_squares(rook, king) else NEVER
    if rook in moves:
        return NEVER
    return min(NEVER, 1 + max(after_white(king, rook, square) for square in moves))


def drawn_positions(count, seed):
    rng = np.random.default_rng(seed)
    while count:
        king, rook, black = (tuple(map(int, p)) for p in rng.integers(8, size=(3, 2)))
        if len({king, rook, black}) == 3 and black not in around(king):
            count -= 1
            yield king, rook, black


def test_depth_is_what_one_more_move_of_each_side_gives():
    positions = list(drawn_positions(100, seed=0))
    assert [looked_up(*p) for p in positions] == [judged(*p) for p in positions]


def test_depth_does_not_change_in_a_mirror():
    board = depths().reshape(8, 8, 8, 8, 8, 8)
    np.testing.assert_array_equal(board, board[::-1, :, ::-1, :, ::-1, :])
    np.testing.assert_array_equal(board, board.transpose(1, 0, 3, 2, 5, 4))


def test_every_depth_occurs_and_none_beyond_sixteen():
    assert set(np.unique(depths())) == {*range(17), NEVER}


@pytest.mark.slow
def test_every_position_has_one_image_in_the_set():
    squares = krkopt().X.reshape(-1, 3, 2)
    held = {
        tuple(("abcdefgh".index(f), int(r) - 1) for f, r in row)
        for row in squares.tolist()
    }
    for pieces in drawn_positions(300, seed=1):
        assert len(images(pieces) & held) == 1


def images(pieces):
    """Return a position in all mirrors and turns of the board."""
    mirrors = [
        lambda s: (7 - s[0], s[1]),
        lambda s: (s[0], 7 - s[1]),
        lambda s: s[::-1],
    ]
    seen, new = set(), {pieces}
    while new:
        seen |= new
        new = {tuple(map(m, p)) for p in new for m in mirrors} - seen
    return seen


def test_the_judgement_is_kept_and_cannot_be_spoilt():
    assert depths() is depths()
    with pytest.raises(ValueError, match="read-only"):
        depths()[0, 0, 0] = 1
    first = krkopt()
    first.X[:] = "x"
    assert krkopt().X[0, 0] == "a"
