"""What both classifiers say by the distance that they hold."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import nearkind as nk
from helpers.committees import with_members
from helpers.estimator_tables import labelled_table
from helpers.racers import few
from nearkind.estimators.base import traits_of
from nearkind.estimators.fit_report import fit_report
from nearkind.voting.committee import explained_by

X, y = labelled_table(60)
QUICK = nk.CPML(tol=0.05, max_iter=30)
WITH_ID = X.assign(number=[f"n{i}" for i in range(len(X))])
pytestmark = [
    pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning"),
    pytest.mark.filterwarnings("ignore::nearkind.errors.NearlyUniqueWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


def committee(*metrics):
    """Return a search whose members are classifiers over these distances."""
    model = few(candidates=["hamming"], n_jobs=1).fit(WITH_ID, y)
    return with_members(model, [nk.CPMLClassifier(m).fit(WITH_ID, y) for m in metrics])


BOTH = {
    "classifier": lambda metric: nk.CPMLClassifier(metric).fit(X, y),
    "search": lambda metric: few(candidates=[metric], n_jobs=1).fit(X, y),
}
both = pytest.mark.parametrize("made", BOTH.values(), ids=BOTH)


@both
def test_it_embeds_as_its_distance_does(made):
    model = made(QUICK)
    np.testing.assert_array_equal(model.transform(X), model.distance_.transform(X))
    names = model.get_feature_names_out()
    assert names.tolist() == model.metric_.get_feature_names_out().tolist()
    assert names[0] == "cpml0"
    U = model.set_output(transform="polars").transform(X)
    assert isinstance(U, pl.DataFrame)
    assert U.columns == names.tolist()


@both
def test_columns_and_values(made):
    model = made(QUICK)
    distance = model.metric_
    np.testing.assert_array_equal(model.feature_relevance_, distance.feature_relevance_)
    pd.testing.assert_frame_equal(
        model.value_distances("shape", squared=True),
        distance.value_distances("shape", squared=True),
    )
    assert model.score_samples(X).shape == (len(X),)


@both
def test_what_a_distance_lacks_is_refused_by_its_name(made):
    model = made(nk.baselines.Lin())
    for method, args in {
        "transform": (X,),
        "get_feature_names_out": (),
        "value_distances": ("shape",),
    }.items():
        with pytest.raises(ValueError, match=f"^Lin has distances .* no {method}"):
            getattr(model, method)(*args)
    assert model.feature_relevance_.shape == (4,)
    assert len(model.explain(X.iloc[0]).effects) == 4


@pytest.mark.parametrize("name", ["transform", "explain", "value_distances"])
def test_nothing_is_said_before_fit(name):
    for model in (nk.CPMLClassifier(), nk.CPMLClassifierCV()):
        with pytest.raises(ValueError, match="not fitted yet"):
            getattr(model, name)(X.iloc[[0]])
        assert not hasattr(model, "feature_relevance_")
        assert not hasattr(model, "metric_")


@both
def test_the_estimator_of_the_distance_says_how_it_was_learned(made):
    model = made(QUICK)
    assert model.metric_.distance_ is model.distance_
    assert (type(model.metric_), model.metric_.tol) == (nk.CPML, 0.05)
    assert model.metric_.gap_ <= 0.05
    np.testing.assert_array_equal(model.metric_.transform(X), model.transform(X))


@pytest.mark.parametrize("name", ["hamming", "lin", "vdm", "euclidean", "discriminant"])
def test_relevance_is_the_share_of_the_mean_contribution(name):
    model = nk.CPMLClassifier(name).fit(X, y)
    distance, codes = model.distance_, model.codebook_.encode(X)
    total = sum(distance.contributions(a, b) for a in codes for b in codes)
    finite = np.isfinite(total).all()
    within = 1e-9 if distance.has_vectors else 0.1
    if finite:
        np.testing.assert_allclose(
            model.feature_relevance_, total / total.sum(), atol=within
        )
    assert model.feature_relevance_.sum() == pytest.approx(1.0)


class TestWhichMemberExplains:
    def test_it_is_the_first_that_is_learned(self):
        model = committee("hamming", "euclidean", QUICK, "nca")
        assert model.committee_.explaining is model.committee_.voters[2]
        assert model.distance_ is model.committee_.voters[2].distance
        for method in ("kneighbors", "score_samples", "transform"):
            found = getattr(model, method)(WITH_ID)
            wanted = getattr(model.members_[2], method)(WITH_ID)
            np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(
            model.feature_relevance_, model.members_[2].feature_relevance_
        )
        assert model.committee_.explained_by.startswith("CPML(")
        assert "best learned one of 4" in model.committee_.explained_by
        assert "best learned one of 4" in repr(model.explain(WITH_ID.iloc[0]))

    def test_a_column_of_row_numbers_is_first_only_where_nothing_is_learned(self):
        plain = committee("hamming")
        assert plain.feature_relevance_.argmax() == 4
        learned = nk.CPML(projection="onehot", structure="full", strength="10%")
        assert committee("hamming", learned).feature_relevance_.argmax() != 4

    def test_if_none_is_learned_it_is_the_first_and_that_is_said(self):
        model = committee("hamming", "euclidean")
        assert model.committee_.explaining is model.committee_.voters[0]
        assert "the first of 2 distances, none of which is learned" in (
            model.committee_.explained_by
        )
        alone = nk.CPMLClassifier("hamming").fit(X, y)
        assert alone.committee_.explained_by.startswith(
            "Hamming(), which is not learned: "
        )
        assert (
            nk.CPMLClassifier(QUICK)
            .fit(X, y)
            .committee_.explained_by.startswith("CPML(")
        )

    def test_what_is_learned_of_all_distances(self):
        known = {"cpml": nk.CPML} | nk.baselines.all()
        learned = {name for name, kind in known.items() if traits_of(kind).is_learned}
        assert learned == {
            "cpml", "cheng", "chi2_lmnn", "discriminant", "dml_eig", "forest",
            "gb_lmnn", "hdml", "helic", "itml", "kdml", "kernel_lmca", "lmca", "lmnn",
            "mcml", "mmc", "nca", "pola", "rfm",
        }  # fmt: skip
        fitted = nk.CPML(tol=0.05).fit(X, y)
        assert explained_by([fit_report(fitted)]) == "CPML(tol=0.05)"


class TestNames:
    def test_a_metric_by_name_is_the_one_of_that_name(self):
        for name, wanted in {
            "hamming": nk.baselines.Hamming(),
            "multi": nk.CPML("multi"),
            "cpml-s": nk.CPML("single"),
            "cpml": nk.CPML(),
        }.items():
            model = nk.CPMLClassifier(name)
            assert repr(clone(model)) == repr(model)
            assert repr(model.fit(X, y).metric_) == repr(wanted)
            assert model.metric == name

    def test_candidates_by_name(self):
        model = nk.CPMLClassifierCV(["hamming", "single"], n_jobs=1).fit(X, y)
        assert set(model.cv_results_["candidate"]) == {"Hamming()", "CPML()"}
        assert len(set(model.cv_results_["strength"])) == 7  # one is none

    def test_an_unknown_name_is_met_with_others(self):
        with pytest.raises(ValueError, match=r"no distance 'haming' for metric of CPMLC"
                           r".* Did you mean 'hamming'"):  # fmt: skip
            nk.CPMLClassifier("haming").fit(X, y)
        with pytest.raises(ValueError, match=r"'lnnm' for candidates .* mean 'lmnn'"):
            nk.CPMLClassifierCV(["lnnm"]).fit(X, y)
        with pytest.raises(ValueError, match=r"must be None, a distance.* got 3\."):
            nk.CPMLClassifier(3).fit(X, y)

    def test_a_saved_model_keeps_the_name(self, tmp_path):
        model = nk.CPMLClassifier("hamming").fit(X, y)
        nk.save(model, tmp_path / "m")
        again = nk.load(tmp_path / "m")
        assert again.metric == "hamming"
        np.testing.assert_array_equal(again.predict(X), model.predict(X))


class TestParametersOfTheMetric:
    @pytest.mark.parametrize("metric", [None, "multi"])
    def test_they_can_be_set_where_the_metric_is_not_made_yet(self, metric):
        model = nk.CPMLClassifier(metric).set_params(metric__strength="5%")
        assert isinstance(model.metric, nk.CPML)
        assert model.metric.strength == "5%"
        assert model.metric.structure == metric or metric is None
        model.set_params(metric="hamming", metric__missing="prior")
        assert repr(model.metric) == "Hamming(missing='prior')"
        model.set_params(metric="lin")
        assert model.metric == "lin"

    def test_a_grid_over_them(self):
        grid = {"metric__strength": ["10%", "1%"], "metric__tol": [0.1]}
        search = GridSearchCV(nk.CPMLClassifier(), grid, cv=2).fit(X, y)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
        line = make_pipeline(nk.CPMLClassifier())
        line.set_params(cpmlclassifier__metric__strength="2%")
        assert line[0].metric.strength == "2%"


class TestValues:
    def test_some_values_in_their_order(self):
        for metric in (QUICK, "vdm"):
            model = nk.CPMLClassifier(metric).fit(X, y)
            whole = model.value_distances("size")
            some = model.value_distances("size", values=["xl", "s"])
            pd.testing.assert_frame_equal(some, whole.loc[["xl", "s"], ["xl", "s"]])
            with pytest.raises(ValueError, match="'size' had no value 'xs' in fit"):
                model.value_distances("size", values=["xs"])

    def test_too_many_are_refused_with_their_number(self):
        rows = pd.DataFrame({"plain": ["a", "b"] * 1001,
                             "code": [f"c{i}" for i in range(2002)]})  # fmt: skip
        model = nk.CPMLClassifier("euclidean").fit(rows, rows["plain"])
        with pytest.raises(ValueError, match=r"2,002 values of column 'code' would be "
                           r"4,008,004 numbers.* values=\[\.\.\.\]"):  # fmt: skip
            model.value_distances("code")
        assert model.value_distances("code", values=["c1", "c2"]).shape == (2, 2)

    def test_frames_are_of_the_library_that_came_in(self):
        frame = pl.from_pandas(X)
        model = nk.CPMLClassifier(QUICK).fit(frame, y)
        found = model.value_distances("shape")
        assert isinstance(found, pl.DataFrame)
        assert found.columns == ["shape", "flat", "round", "square"]
        assert found["shape"].to_list() == ["flat", "round", "square"]
        parts = model.explain(frame[0], frame[1])
        assert isinstance(parts, pl.DataFrame)
        assert isinstance(model.explain(X.iloc[[0]], X.iloc[[1]]), pd.DataFrame)
        table = frame.to_arrow()
        assert type(model.explain(table[:1], table[1:2])).__module__.startswith("pyarr")
