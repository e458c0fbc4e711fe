import numpy as np

from nearkind.projections.onehot import OneHot, Thermometer


def fitted(projection, n_values):
    codes = np.zeros((1, len(n_values)), dtype=np.int32)
    return projection.fit(codes, n_values, None, np.ones(1))


def test_distances_add_up_along_the_order():
    (table,) = fitted(Thermometer([5]), [6]).tables  # a missing level is the last
    values = table[:5, :, 0]
    d2 = ((values[:, None] - values) ** 2).sum(axis=2)
    steps = np.arange(5.0)
    np.testing.assert_array_equal(d2, np.abs(steps[:, None] - steps))
    missing, unseen = table[5:, :, 0]
    assert ((values - missing) ** 2).sum(axis=1).tolist() == [2.0] * 5
    assert ((values - unseen) ** 2).sum(axis=1).tolist() == [1.0] * 5


def test_without_orders_it_is_one_hot():
    both = zip(
        fitted(Thermometer([0, 0]), [2, 3]).tables,
        fitted(OneHot(), [2, 3]).tables,
        strict=True,
    )
    for found, expected in both:
        np.testing.assert_array_equal(found, expected)
