"""Scores of predicted probabilities."""

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

SMALLEST = 1e-6
"""The log loss takes no probability for smaller, so no row costs more than 13.8."""
NOTHING = 1e-9
"""A true class with less than this counts as given no probability."""
N_BINS = 15


def probability_scores(shares, classes, y):
    """Return the scores of probabilities, as fields of a row.

    Parameters
    ----------
    shares : ndarray of shape (n, n_classes)
        Probability of each class.
    classes : ndarray of shape (n_classes,)
        The classes, sorted. A label that is none of them has probability zero.
    y : ndarray of shape (n,)
        True labels.
    """
    true = true_shares(shares, classes, y)
    return {
        "log_loss": log_loss(shares, classes, y),
        "brier": brier(shares, classes, y),
        "zero_share": float(np.mean(true < NOTHING)),
        "bins": reliability_bins(shares, classes, y),
        **ranking_scores(shares, classes, y),
    }


def ranking_scores(shares, classes, y):
    """Return AUC and average precision of the rarer of two classes, else nothing.

    Examples
    --------
    >>> shares = np.array([[0.9, 0.1], [0.6, 0.4], [0.5, 0.5], [0.7, 0.3]])
    >>> ranking_scores(shares, np.array(["a", "b"]), np.array(["a", "b", "a", "a"]))
    {'auc': 0.6666666666666666, 'average_precision': 0.5}
    """
    is_second = y == classes[-1]
    if len(classes) != 2 or not 0 < is_second.sum() < len(y):
        return {}
    rarer = int(is_second.mean() <= 0.5)
    is_rarer = is_second if rarer else ~is_second
    return {
        "auc": float(roc_auc_score(is_rarer, shares[:, rarer])),
        "average_precision": float(average_precision_score(is_rarer, shares[:, rarer])),
    }


def true_shares(shares, classes, y):
    """Return the probability that each row's true class was given (n,)."""
    places = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    return np.where(classes[places] == y, shares[np.arange(len(y)), places], 0.0)


def log_loss(shares, classes, y):
    """Return the mean of -log of the true class's probability, at least ``SMALLEST``.

    Examples
    --------
    >>> log_loss(np.array([[1.0, 0.0]]), np.array(["a", "b"]), np.array(["b"]))
    13.815510557964274
    """
    true = true_shares(shares, classes, y)
    return float(0.0 - np.log(np.maximum(true, SMALLEST)).mean())


def brier(shares, classes, y):
    """Return the mean over rows of the squared error summed over classes, 0 to 2.

    Examples
    --------
    >>> brier(np.array([[0.5, 0.5]]), np.array(["a", "b"]), np.array(["b"]))
    0.5
    """
    true = true_shares(shares, classes, y)
    return float(np.mean((shares**2).sum(axis=1) - 2.0 * true + 1.0))


def reliability_bins(shares, classes, y):
    """Return what a reliability diagram needs of the confidence in the answer.

    Returns
    -------
    list of ``N_BINS`` lists
        Of each bin of equal width from 0 to 1: number of rows, sum of the largest
        probabilities, number of rows where that class is the true one.
    """
    top = shares.max(axis=1)
    right = classes[shares.argmax(axis=1)] == y
    places = np.clip((top * N_BINS).astype(int), 0, N_BINS - 1)
    counts, sums, rights = (
        np.bincount(places, weights, N_BINS) for weights in (None, top, right)
    )
    return [
        [int(n), round(float(s), 6), int(r)]
        for n, s, r in zip(counts, sums, rights, strict=True)
    ]
