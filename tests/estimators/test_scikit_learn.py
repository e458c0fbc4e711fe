"""Everything that scikit-learn asks of an estimator."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

import nearkind as nk
from helpers.estimator_tables import labelled_table

QUICK = nk.CPML(max_iter=5)
BASELINES = nk.baselines.all()
SLOW_TO_CONVERGE = {
    "cheng",
    "helic",
    "lmnn",
    "lmca",
    "kernel_lmca",
    "chi2_lmnn",
    "gb_lmnn",
    "itml",
    "hdml",
}
LIGHT = {name: {"max_iter": 5} for name in SLOW_TO_CONVERGE}
LIGHT["hdml"] = {"max_iter": 5, "n_bits": 8, "n_triplets": 200}
ONE_OF_EACH_KIND = [
    "euclidean",  # vectors, nothing learned
    "hamming",  # pairs of rows, with a transform
    "eskin",  # a mean of similarities
    "goodall1",  # of matches only
    "lin",  # a ratio of similarities
    "association",  # tables of pairs of values, without labels
    "cheng",  # tables of pairs of values, with labels
    "dm3",  # pairs of rows
    "gower",  # categories and numbers
    "itml",  # a matrix from pairs
    "pola",  # a matrix from pairs, with partial_fit
    "mmc",  # a matrix from the spread of pairs
    "forest",  # trees
    "lmnn",  # large margin
    "lmca",  # large margin, few directions
    "kernel_lmca",  # the same of kernels with landmarks
    "chi2_lmnn",  # large margin between histograms
    "gb_lmnn",  # large margin, by trees
    "helic",  # weights of kernels
    "hdml",  # bits: Hamming distances between them
    "nca",  # scikit-learn's own learner
]
ESTIMATORS = [
    QUICK,
    nk.CPML(projection="onehot", structure="diagonal", max_iter=5),
    nk.CPML(solver="subgradient", max_iter=5),
    nk.CPMLClassifier(QUICK),
    nk.CPMLClassifierCV([nk.baselines.Hamming()], cv=2),
    *(BASELINES[name](**LIGHT.get(name, {})) for name in ONE_OF_EACH_KIND),
]
OTHERS = [
    kind()
    for name, kind in BASELINES.items()
    if name not in ONE_OF_EACH_KIND or name in SLOW_TO_CONVERGE
]
LEFT_OUT = {"check_array_api_input"}  # asks for a variable that SciPy reads at import


def checks_of(estimators):
    for estimator in estimators:
        for instance, check in estimator_checks_generator(estimator):
            name = check.func.__name__
            if name not in LEFT_OUT:
                yield pytest.param(instance, check, id=f"{estimator}-{name}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), list(checks_of(ESTIMATORS)))
def test_scikit_learns_own_check(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), list(checks_of(OTHERS)))
def test_scikit_learns_own_check_of_the_other_baselines(estimator, check):
    check(estimator)


def test_every_base_class_of_a_baseline_is_checked():
    bases = {kind.__bases__ for kind in BASELINES.values()}
    assert bases == {BASELINES[name].__bases__ for name in ONE_OF_EACH_KIND}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
class TestInCompany:
    def test_pipeline_with_a_plain_euclidean_classifier(self):
        X, y = labelled_table()
        plain = make_pipeline(clone(QUICK), KNeighborsClassifier(1)).fit(X, y)
        ours = nk.CPMLClassifier(QUICK, n_neighbors=1).fit(X, y)
        U = plain[0].transform(X)
        np.testing.assert_allclose(
            ours.distance_.pairwise_distances(X),
            np.linalg.norm(U[:, None] - U[None], axis=2),
            atol=1e-9,
        )
        assert plain.score(X, y) == pytest.approx(ours.score(X, y), abs=0.1)

    @pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
    def test_grid_search_over_metric_parameters(self):
        X, y = labelled_table()
        grid = {"metric__p": [1.0, 2.0], "n_neighbors": [1, 3]}
        search = GridSearchCV(nk.CPMLClassifier(QUICK), grid, cv=3).fit(X, y)
        assert len(search.cv_results_["params"]) == 4
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()

    @pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
    def test_cross_validation_of_every_metric(self):
        X, y = labelled_table()
        for metric in (QUICK, nk.baselines.Hamming(), nk.baselines.Euclidean()):
            scores = cross_val_score(nk.CPMLClassifier(metric), X, y, cv=3)
            assert scores.mean() > 0.5

    @pytest.mark.parametrize("library", ["pandas", "polars"])
    def test_set_output(self, library):
        X, y = labelled_table()
        model = clone(QUICK).set_output(transform=library).fit(X, y)
        U = model.transform(X)
        assert type(U).__module__.startswith(library)
        assert list(U.columns) == list(model.get_feature_names_out())
        np.testing.assert_array_equal(U.to_numpy(), model.distance_.tables.embed(
            model.codebook_.encode(X)
        ))  # fmt: skip

    def test_pickle_keeps_every_answer(self):
        X, y = labelled_table()
        model = nk.CPMLClassifier(QUICK).fit(X, y)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))

    def test_clone_has_the_same_settings_and_nothing_learned(self):
        X, y = labelled_table()
        model = clone(QUICK).set_params(p=2.0).fit(X, y)
        copy = clone(model)
        assert copy.get_params() == model.get_params()
        assert not hasattr(copy, "metric_")
