"""A small problem, as a whole and in batches."""

import numpy as np

from nearkind.constraints.triplets import AllTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import unique_rows
from nearkind.estimators.batches import BatchReader
from nearkind.metrics.compression import compress
from nearkind.metrics.structures import Single
from nearkind.projections.vdm import VDM
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers.objective import Objective
from nearkind.streaming import Batch, MinibatchSampler


def minibatch_problem(n_rows, n_batches):
    """Return (sampler, objective to be like, objective of all, batches, metric)."""
    rng = np.random.default_rng(0)
    y = rng.choice(3, size=n_rows, p=[0.5, 0.3, 0.2])
    noise = rng.integers(4, size=(n_rows, 4))
    X = np.where(rng.random((n_rows, 4)) < 0.4, y[:, None], noise)
    book = Codebook(numeric="category")
    codes = book.fit_encode(X)
    unique = unique_rows(codes, y, np.ones(n_rows))
    projection = VDM().fit(codes, book.n_values, y, np.ones(n_rows))
    rows = compress(Single().blocks(projection.transform(unique.codes)))
    rule = AllTriplets()
    bound = rule.bind(WeightedLabels(unique.y, unique.weights))
    whole = Objective(rows.Z, bound, Schatten(1.0), 0.01)
    drawn = rng.permutation(n_rows)[: n_rows // 3]
    sampler = MinibatchSampler(
        BatchReader("Nobody", np.arange(3)), book, projection, Single(), rows.bases,
        rule, np.bincount(y).astype(float), codes[drawn], y[drawn], size=200,
    )  # fmt: skip
    parts = np.array_split(np.arange(n_rows), n_batches)
    batches = [Batch(i, X[at], y[at]) for i, at in enumerate(parts)]
    return sampler, whole, whole, batches, rows.identity
