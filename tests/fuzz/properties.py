"""What must hold whatever comes: a sentence, or a right answer.

Each property returns how it went, in a word, and raises where it does not hold.
"""

import traceback
import warnings

import numpy as np
from sklearn.base import clone

import nearkind as nk
from fuzz.tables import as_objects

SENTENCES = (ValueError, TypeError)
OURS = ("/nearkind/", "/sklearn/")
DRAWN = {"OCL", "ITML", "POLA", "HDML", "DMLEig", "MMC", "GBLMNN", "ForestNeighbors"}
"""Those who draw pairs of rows by their numbers, or one of equally good splits."""


class RefusedError(Exception):
    """The input was refused in a sentence."""


def in_a_sentence(call, *args, **options):
    """Return what a call returns; warnings of users' making pass, others are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)
        try:
            return call(*args, **options)
        except SENTENCES as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            text = str(error)
            is_ours = any(part in last.filename for part in OURS)
            is_raised = "raise" in (last.line or "")
            if not (is_ours and is_raised and len(text) > 12):
                raise
            raise RefusedError(text) from None


def built(make, *args):
    """Return a table, or None where its library does not take such cells."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return make(*args)
        except Exception:  # of pandas, polars or pyarrow: no business of ours
            return None


def answers_of(model, table, n_rows):
    """Return what a model says of rows, after a look at whether it can be true."""
    if hasattr(model, "predict_proba"):
        shares = in_a_sentence(model.predict_proba, table)
        assert np.isfinite(shares).all(), "NaN or infinite among probabilities"
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-6)
        assert set(in_a_sentence(model.predict, table)) <= set(model.classes_)
        assert shares.shape == (n_rows, len(model.classes_))
        return shares
    D = in_a_sentence(model.pairwise_distances, table)
    assert D.shape == (n_rows, n_rows)
    assert not np.isnan(D).any(), "NaN among distances"
    assert (D >= 0.0).all(), "a negative distance"
    if getattr(model, "weighting", None) != "query":  # the weight of one of two rows
        np.testing.assert_allclose(D, D.T, rtol=1e-9)
    if not type(model).__name__.startswith("Lin"):
        assert np.isfinite(D).all(), "an infinite distance"
    return D


def same_cells(a, b):
    """Return whether two values, or nested lists of them, are the very same."""
    return repr(a) == repr(b)


def listed(table):
    """Return a table, labels or weights as something whose repr shows every cell."""
    for name in ("to_pylist", "rows", "tolist"):
        if hasattr(table, name):
            return getattr(table, name)()
    return table.to_numpy(object).tolist() if hasattr(table, "to_numpy") else table


def fit_or_refuse(case, estimator):
    """A table of any kind and any settings: a sentence, or answers that can be true."""
    table = built(case.table)
    if table is None:
        return "not built"
    before = repr([listed(part) for part in (table, case.labels, case.weights)])
    try:
        return _fitted_and_asked(case, estimator, table)
    except RefusedError:
        return "refused"
    finally:
        after = repr([listed(part) for part in (table, case.labels, case.weights)])
        assert after == before, "the input was changed"


def _fitted_and_asked(case, estimator, table):
    weights = {} if case.weights is None else {"sample_weight": case.weights}
    if weights and not takes_weights(estimator):
        weights = {}
    model = in_a_sentence(estimator.fit, table, case.labels, **weights)
    answers_of(model, table, case.n_rows)
    return "answered"


def takes_weights(estimator):
    return "sample_weight" in estimator.fit.__code__.co_varnames


def _is_drawn(estimator):
    """Return whether rows are drawn by their numbers, so that their order matters."""
    settings = estimator.get_params()
    kinds = {type(estimator).__name__} | {type(v).__name__ for v in settings.values()}
    return bool(
        kinds & DRAWN
        or isinstance(estimator, nk.CPMLClassifierCV)
        or any(
            k.endswith("scope") and not isinstance(v, str) for k, v in settings.items()
        )
        or any(v == "stochastic" for v in settings.values() if isinstance(v, str))
        or any(k.endswith("max_rows") and v < 1000 for k, v in settings.items())
        or any(k.endswith("n_pairs") for k in settings)
    )


def same_in_any_order(case, estimator, order_of_rows, order_of_columns):
    """Other orders and other names of values are refused alike or answered alike."""
    table = built(case.table)
    settings = estimator.get_params()
    names_values = any(k.endswith("ordered") and v for k, v in settings.items())
    other = case.renamed() if case.can_be_renamed and not names_values else case
    turned = built(other.table, order_of_rows, order_of_columns)
    if table is None or turned is None or _is_drawn(estimator):
        return "not built"
    if len(case.labels) != case.n_rows or len(set(map(str, case.names))) < len(
        case.names
    ):
        return "not built"
    labels = as_objects([*case.labels])
    results, has_converged = [], True
    for X, y in ((table, labels), (turned, labels[order_of_rows])):
        try:
            model = in_a_sentence(clone(estimator).fit, X, y)
            has_converged &= converged(model)
            results.append(answers_of(model, X, case.n_rows))
        except RefusedError as refusal:
            results.append(str(refusal))
    first, second = results
    assert isinstance(first, str) == isinstance(second, str), results
    if isinstance(first, str):
        return "refused"
    wanted = first[order_of_rows]
    if not hasattr(estimator, "predict_proba"):
        wanted = wanted[:, order_of_rows]
    largest = np.max(wanted, where=np.isfinite(wanted), initial=0.0)
    is_same = np.allclose(second, wanted, rtol=1e-3, atol=1e-9 + 1e-3 * largest)
    assert is_same or not has_converged, (wanted, second)
    return "answered" if is_same else "not converged"


def converged(model):
    """Return whether a learner came to its optimum; rounding decides on the way."""
    learner = model if hasattr(model, "stop_reason_") else getattr(model, "metric_", 0)
    return getattr(learner, "stop_reason_", "TOLERANCE") in ("TOLERANCE", "SETTLED")
