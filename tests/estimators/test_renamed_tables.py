"""Neither the order of columns nor the names of values decide among equal targets."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from nearkind import CPML
from nearkind.baselines import LMNN

LEARNERS = {
    "onehot": CPML(scope="local", projection="onehot", tol=1e-4, max_iter=1000),
    "vdm": CPML(scope="local", tol=1e-3),
    "lmnn": LMNN(),
}


@pytest.mark.covering(1)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS.keys())
def test_permuted_columns_and_renamed_values_have_the_same_distances(learner, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 60)
    X = (rng.integers(0, 3, (60, 4)) + y[:, None] * [1, 0, 1, 0]) % 3
    names = [rng.permutation(3) for _ in range(4)]
    renamed = np.column_stack([new[x] for new, x in zip(names, X.T, strict=True)])
    tables = X.astype(str), renamed[:, rng.permutation(4)].astype(str)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        first, second = (learner.fit(T, y).pairwise_distances(T) for T in tables)
    np.testing.assert_allclose(second, first, atol=1e-3 * first.max())
