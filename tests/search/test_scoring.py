"""Scorings: what scikit-learn computes, row by row; who is behind; what is refused."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    brier_score_loss,
    f1_score,
    log_loss,
    make_scorer,
    matthews_corrcoef,
    roc_auc_score,
)

import nearkind as nk
from helpers.estimator_tables import labelled_table
from helpers.racers import few
from nearkind.search.elimination import are_behind
from nearkind.search.scoring import (
    SCORINGS,
    Accuracy,
    BalancedAccuracy,
    FunctionScoring,
    LogLoss,
    MacroF1,
    scoring_of,
)

X, y = labelled_table(60)
ORACLES = {
    "accuracy": lambda t, p, w: accuracy_score(t, p.argmax(1), sample_weight=w),
    "balanced_accuracy": lambda t, p, w: balanced_accuracy_score(
        t, p.argmax(1), sample_weight=w
    ),
    "f1_macro": lambda t, p, w: f1_score(
        t, p.argmax(1), average="macro", sample_weight=w
    ),
    "log_loss": lambda t, p, w: -log_loss(t, p, sample_weight=w),
}
CLASSES = np.array(["a", "b", "c"])
ALL = [kind() for kind in SCORINGS.values()]
ALL.append(
    FunctionScoring(lambda t, p: float((CLASSES[p.argmax(1)] == t).mean()), CLASSES)
)


def votes(seed, n=80, n_ways=4):
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(3), (n_ways, n))
    truth = rng.choice(3, n, p=[0.7, 0.2, 0.1])
    shares[0, np.arange(n), truth] += 1.0  # the first way knows much
    return shares / shares.sum(axis=2, keepdims=True), truth, rng.uniform(0.1, 3, n)


@pytest.mark.parametrize("name", SCORINGS)
@pytest.mark.parametrize("seed", range(3))
def test_scores_are_those_of_scikit_learn(name, seed):
    shares, truth, weights = votes(seed)
    found = SCORINGS[name]().score(shares, truth, weights)
    expected = [ORACLES[name](truth, table, weights) for table in shares]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("scoring", ALL, ids=lambda s: type(s).__name__)
class TestEvery:
    def test_terms_of_rows_have_the_score_as_their_mean(self, scoring):
        shares, truth, weights = votes(1)
        terms = scoring.terms(shares, truth, weights)
        assert terms.shape == shares.shape[:2]
        if not isinstance(scoring, LogLoss):  # whose votes are blunted in a race
            np.testing.assert_allclose(
                np.average(terms, axis=1, weights=weights),
                scoring.score(shares, truth, weights),
            )

    def test_no_quality_is_above_the_best(self, scoring):
        shares, truth, weights = votes(2)
        perfect = np.eye(3)[truth]
        found = scoring.quality(np.stack([*shares, perfect]), truth, weights)
        assert found[-1] == found.max()
        assert found.max() <= scoring.best(3) + 1e-12
        if np.isfinite(scoring.best(3)):
            assert found.max() == pytest.approx(scoring.best(3))

    def test_a_weight_is_a_repetition(self, scoring):
        if isinstance(scoring, FunctionScoring):
            pytest.skip("a function is not told weights")
        shares, truth, _ = votes(3)
        weights = np.random.default_rng(3).integers(1, 4, len(truth))
        again = shares.repeat(weights, axis=1), truth.repeat(weights)
        for method in (scoring.score, scoring.quality):
            np.testing.assert_allclose(
                method(shares, truth, weights.astype(float)),
                method(*again, np.ones(weights.sum())),
            )

    def test_one_table_is_as_good_as_several(self, scoring):
        shares, truth, weights = votes(4)
        one = scoring.score(shares[0], truth, weights)
        assert float(one) == pytest.approx(scoring.score(shares, truth, weights)[0])

    def test_the_leader_is_never_behind(self, scoring):
        shares, truth, weights = votes(5)
        behind = are_behind([shares[:2], shares[2:]], truth, weights, scoring)
        assert not behind[0][0]
        if isinstance(scoring, Accuracy | LogLoss):
            assert behind[1].all()
        if isinstance(scoring, FunctionScoring):
            assert not behind[1].any()

    def test_a_vote_of_none_is_not_infinitely_bad(self, scoring):
        truth = np.array([0, 1, 2])
        wrong = np.eye(3)[[1, 1, 2]]
        assert np.isfinite(scoring.quality(wrong, truth, np.ones(3)))


def test_quality_is_the_score_first_and_certainty_second():
    truth = np.repeat([0, 1], 4)
    sure, unsure = np.full((8, 2), 0.5), np.full((8, 2), 0.5)
    sure[np.arange(8), truth], unsure[np.arange(8), truth] = 0.99, 0.51
    sure[np.arange(8), 1 - truth], unsure[np.arange(8), 1 - truth] = 0.01, 0.49
    wrong_once = sure.copy()
    wrong_once[0] = wrong_once[0, ::-1]
    for scoring in (Accuracy(), BalancedAccuracy(), MacroF1()):
        found = scoring.quality(np.stack([sure, unsure, wrong_once]), truth, np.ones(8))
        assert found[0] > found[1] > found[2]


def test_few_rows_of_a_class_put_nobody_out():
    truth = np.zeros(200, dtype=int)
    truth[:2] = 1
    right, blind = np.eye(2)[truth], np.eye(2)[np.zeros(200, dtype=int)]
    for scoring in (BalancedAccuracy(), MacroF1()):
        [_, behind] = are_behind(
            [right[None], blind[None]], truth, np.ones(200), scoring
        )
        assert not behind.any()
    truth[:60] = 1
    right = np.eye(2)[truth]
    for scoring in (BalancedAccuracy(), MacroF1()):
        [_, behind] = are_behind(
            [right[None], blind[None]], truth, np.ones(200), scoring
        )
        assert behind.all()


@pytest.mark.parametrize("name", SCORINGS)
def test_a_search_says_its_score_by_the_scoring(name):
    model = few(scoring=name).fit(X, y)
    score = model.best_score_
    assert score <= 0.0 if name == "log_loss" else 0.0 <= score <= 1.0
    table = model.cv_results_
    most = table["n_held"] == table["n_held"].max()
    assert (np.diff(table["score"][most]) <= 0.0).all()


def test_scorers_of_scikit_learn_are_given_labels_and_probabilities():
    y = np.array(["a", "b", "b", "a"])
    shares = np.array([[0.9, 0.1], [0.4, 0.6], [0.7, 0.3], [0.5, 0.5]])
    classes, truth = np.unique(y, return_inverse=True)
    wanted = {
        "roc_auc": roc_auc_score(y, shares[:, 1]),
        "matthews_corrcoef": matthews_corrcoef(y, ["a", "b", "a", "a"]),
        make_scorer(f1_score, pos_label="b"): f1_score(
            y, ["a", "b", "a", "a"], pos_label="b"
        ),
    }
    for given, value in wanted.items():
        model = nk.CPMLClassifierCV(scoring=given)
        found = scoring_of(model, classes).score(shares, truth, np.ones(4))
        assert float(found) == pytest.approx(value)


def test_a_function_is_given_labels_and_probabilities():
    told = []

    def brier(labels, probabilities):
        told.append((labels, probabilities))
        return -brier_score_loss(labels, probabilities, labels=["egg", "ham", "jam"])

    model = few(scoring=brier).fit(X, y)
    assert model.best_score_ < 0.0
    assert all(len(labels) == len(p) for labels, p in told)
    assert max(len(labels) for labels, _ in told) == 60
    assert all((p > 0.0).all() for _, p in told)
    assert all(set(labels) <= set(y) for labels, _ in told)
    assert len(set(model.cv_results_["n_held"])) == 1  # nobody was out early


@pytest.mark.parametrize("answer", [np.nan, "good", None, np.inf])
def test_a_function_that_returns_no_number_is_refused(answer):
    model = few(scoring=lambda labels, p: answer)
    with pytest.raises(ValueError, match="must return a finite number"):
        model.fit(X, y)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("acuracy", "Did you mean 'accuracy'"),
        ("rocauc", "Did you mean 'roc_auc'"),
        (3, "got 3."),
        (None, "got None."),
    ],
)
def test_what_is_no_scoring_is_refused_with_a_hint(name, hint):
    with pytest.raises(ValueError, match=f"'scoring' parameter .*{hint}"):
        few(scoring=name).fit(X, y)


def test_a_rare_class_decides_by_the_scoring():
    """One column tells the rare class, the other one the two common ones."""
    rng = np.random.default_rng(0)
    rare, common = rng.random(600) < 0.05, rng.integers(0, 2, 600)
    labels = np.where(rare, 2, common)
    table = np.column_stack([rare, np.where(rng.random(600) < 0.8, common, 1 - common)])

    class First(nk.baselines.Hamming):
        counts = 1.0, 0.0

        def fit(self, X, y=None, sample_weight=None):
            form = super().fit(X, y, sample_weight).distance_
            self.distance_ = replace(form, weights=np.array(self.counts))
            return self

    class Second(First):
        counts = 0.0, 1.0

    chosen = {}
    for name in ("accuracy", "balanced_accuracy"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = nk.CPMLClassifierCV(
                [First(), Second()], n_neighbors=600, scoring=name, max_members=1
            ).fit(table, labels)
        chosen[name] = model.best_params_["candidate"]
    assert chosen == {"accuracy": "Second()", "balanced_accuracy": "First()"}
