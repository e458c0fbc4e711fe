"""Designs: what is refused, labels, strengths, neighbours."""

import numpy as np
import pytest

from nearkind.experiments import Design
from nearkind.experiments.design import DECADES


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"strengths": "many"},
            "'strengths' .* one of 'shares', 'paper', or numbers > 0; got 'many'",
        ),
        ({"n_neighbors": 0}, "'n_neighbors' .* >= 1 or 'choose'; got 0"),
        ({"n_neighbors": "few"}, "'n_neighbors' .* got 'few'"),
        ({"n_neighbors": True}, "'n_neighbors' .* got True"),
        ({"rows": 3}, "'rows' .* >= 10; got 3"),
        ({"rows": 99.5}, "'rows' .* got 99.5"),
        ({"strengths": ()}, "'strengths' .* numbers > 0; got \\(\\)"),
        ({"strengths": (1.0, -1.0)}, "'strengths' .* numbers > 0"),
        ({"p": 0.5}, "'p' .* >= 1, or inf; got 0.5"),
        ({"p": float("nan")}, "'p' .* got nan"),
        ({"constraints": "neighbors"}, "'constraints' .* 'quadruplets'; got 'neighb"),
        ({"tol": 0.0}, "'tol' .* > 0; got 0.0"),
        ({"max_iter": 0}, "'max_iter' .* >= 1; got 0"),
    ],
)
def test_a_wrong_design_is_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        Design(**settings)


def test_designs_that_make_other_rows_have_other_labels():
    designs = [Design(), Design("paper"), Design(n_neighbors=3), Design(rows=50)]
    designs += [Design(numbers=True), Design(rows=50, numbers=True)]
    designs += [Design((0.1, 0.2)), Design((0.1,)), Design(p=2.0), Design(tol=1e-4)]
    designs += [Design(constraints="pairs"), Design(solver="subgradient")]
    designs += [Design(max_iter=5)]
    assert len({design.label for design in designs}) == len(designs)


def test_strengths_fall_and_none_is_tried_twice():
    path = np.array(Design().path(2.0))
    powers = [-0.5, -1.0, -1.5, -2.0, -3.0]
    np.testing.assert_allclose(np.log10(path / 2.0), powers, atol=1e-12)
    assert Design("paper").path(2.0) == list(DECADES)
    assert DECADES[0] == 1e4
    assert DECADES[-1] == 1e-4
    assert Design().path(0.0) == [0.0]
    assert Design((0.1, 3.0, 0.1)).path(2.0) == [3.0, 0.1]


def test_numbers_of_neighbours():
    assert Design().neighbors == (1,)
    assert Design(n_neighbors="choose").neighbors == (1, 3, 5, 9, 15)
