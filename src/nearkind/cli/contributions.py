"""How much each feature adds to a distance, whatever the distance."""

from typing import Any

import numpy as np

from nearkind.protocols import Array, Codes

MOST_PAIRS = 400


def distance_of(model: Any) -> Any:
    """Return the distance of a model: that of a classifier's first, or itself."""
    return model.metric_ if hasattr(model, "predict") else model


def adds_up_to(metric: Any) -> str:
    """Return what contributions are parts of."""
    return "squared distance" if hasattr(metric, "value_tables_") else "distance"


def contributions(metric: Any, a: Codes, b: Codes) -> Array:
    """Return each feature's part (D,) in the distance between two rows.

    Where a row is a sum of vectors the parts add up to the squared distance. For other
    distances a part is what the distance loses if b had the value of a, which adds up
    to the distance where that is a sum over features.

    Parameters
    ----------
    metric : a fitted distance
    a, b : codes (D,)
    """
    if hasattr(metric, "value_tables_"):
        return metric.value_tables_.contributions(a, b)
    n_features = len(a)
    rows = np.tile(b, (n_features + 1, 1))
    each = np.arange(n_features)
    rows[each + 1, each] = a
    d = metric.compare(metric.represent(a[None]), metric.represent(rows))[0]
    with np.errstate(invalid="ignore"):  # infinity less infinity
        return np.nan_to_num(d[0] - d[1:], nan=0.0)


def relevance(model: Any, X: Any, seed: int = 0) -> list[dict[str, Any]]:
    """Return each feature's share of the distance between two rows, largest first.

    As the model states it, or else the mean over some pairs of these rows.
    """
    metric = distance_of(model)
    shares = getattr(metric, "feature_relevance_", None)
    if shares is None:
        shares = _mean_share(metric, metric.codebook_.encode(X), seed)
    order = np.argsort(-shares, kind="stable")
    names = metric.codebook_.names_
    return [{"feature": names[d], "share": float(shares[d])} for d in order]


def _mean_share(metric: Any, codes: Codes, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    pairs = rng.integers(len(codes), size=(MOST_PAIRS, 2))
    total = sum(contributions(metric, codes[i], codes[j]) for i, j in pairs)
    finite = np.nan_to_num(total, nan=0.0, posinf=0.0, neginf=0.0)
    return finite / finite.sum() if finite.sum() > 0.0 else np.zeros(codes.shape[1])
