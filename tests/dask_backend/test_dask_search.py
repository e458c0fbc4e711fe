"""A search on a dask table: a sample selects, all partitions teach what is selected."""

import numpy as np
import pytest

import nearkind as nk

dd = pytest.importorskip("dask.dataframe")
from nearkind.dask import passes  # noqa: E402

data = nk.datasets.load("balance")
TABLE = dd.from_pandas(data.X.assign(label=data.y), npartitions=4)
X = TABLE.drop(columns="label")


def soft():
    metric = nk.CPML(constraints="neighbors", max_iter=5, tol=1e-2)
    return nk.CPMLClassifierCV([metric], cv=2, max_members=1, random_state=0)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_sample_selects_and_all_partitions_teach(monkeypatch):
    monkeypatch.setattr(passes, "MOST_SEARCHED", 200)
    model = soft().fit(TABLE, "label")
    assert 100 < len(model.held_rows_) < 320
    assert len(model.committee_.voters[0].rows.codes) == len(data.y)
    probabilities = model.predict_proba(X).compute()
    np.testing.assert_allclose(probabilities, model.predict_proba(data.X), atol=1e-12)
    found = model.predict(X).compute()
    assert (found == model.predict(data.X)).all()
    assert (found == np.asarray(data.y)).mean() > 0.7


def test_of_a_distance_that_is_not_learned_the_sample_votes():
    model = nk.CPMLClassifierCV(["hamming"], cv=2).fit(TABLE, "label")
    assert list(model.classes_) == sorted(set(data.y))
    assert len(model.predict(X).compute()) == len(data.y)


def test_weights_are_refused():
    with pytest.raises(ValueError, match="sample_weight is not supported"):
        soft().fit(TABLE, "label", np.ones(len(data.y)))
