"""What cannot be drawn is refused in a sentence that says what to do."""

import pytest

import nearkind as nk
from helpers.pictures import DRAW, small


def over(distance):
    case = small()
    return case._replace(model=distance.fit(case.X, case.y))


@pytest.mark.parametrize("name", ["metric", "spectrum", "convergence", "path"])
def test_a_distance_without_a_learned_matrix(name):
    with pytest.raises(ValueError, match=r"is Hamming, which has no matrix.*Fit CPML"):
        DRAW[name](over(nk.baselines.Hamming()))


@pytest.mark.parametrize("name", ["values", "explanation"])
def test_a_distance_without_vectors(name):
    with pytest.raises(ValueError, match=r"Goodall1 has no value vectors.*Fit CPML"):
        DRAW[name](over(nk.baselines.Goodall1()))


def test_a_distance_without_coordinates():
    with pytest.raises(ValueError, match="Goodall1 has distances but no coordinates"):
        DRAW["rows"](over(nk.baselines.Goodall1()))


def test_a_baseline_with_vectors_is_drawn():
    case = over(nk.baselines.Euclidean())
    for name in ("values", "rows", "explanation"):
        DRAW[name](case).figure.canvas.draw()
    assert nk.plot.rows(case.model, case.X).get_title() == "60 rows under Euclidean"


def test_an_unknown_feature():
    with pytest.raises(ValueError, match="Did you mean 'shape'"):
        nk.plot.values(small().model, "shap")


def test_labels_of_the_wrong_number():
    case = small()
    for draw in (nk.plot.rows, nk.plot.relevance):
        with pytest.raises(ValueError, match="y has 2 labels, but X has 60 rows"):
            draw(case.model, case.X, ["a", "b"])


@pytest.mark.parametrize("n_resamples", [-1, 2.5, True, "ten", None])
def test_resamples_must_be_a_count(n_resamples):
    case = small()
    with pytest.raises(ValueError, match=r"n_resamples.* must be a whole number >= 0"):
        nk.plot.relevance(case.model, case.X, n_resamples=n_resamples)


def test_resamples_need_rows():
    with pytest.raises(ValueError, match="n_resamples needs rows to draw from; pass X"):
        nk.plot.relevance(small().model, n_resamples=3)


@pytest.mark.parametrize(
    "strengths", [[], [0.0], [-1.0], [float("nan")], [float("inf")]]
)
def test_strengths_must_be_shares(strengths):
    case = small()
    with pytest.raises(ValueError, match="strengths must be shares of strength_max_"):
        nk.plot.path(case.model, case.X, case.y, strengths)


def test_a_path_needs_rows_and_labels():
    case = small()
    for X, y in ((None, None), (case.X, None)):
        with pytest.raises(ValueError, match="needs rows and labels; pass X and y"):
            nk.plot.path(case.model, X, y)
