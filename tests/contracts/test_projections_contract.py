"""Laws of every projection, and each one's formula read literally."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import dirichlet_multinomial

from helpers import oracles
from helpers.strategies import tables
from nearkind.projections.base import value_counts
from nearkind.projections.concatenation import ChannelConcatenation, Concatenation
from nearkind.projections.cooccurrence import Cooccurrence
from nearkind.projections.coordinates import Coordinates
from nearkind.projections.onehot import OneHot, PooledOneHot
from nearkind.projections.vdm import VDM, empirical_bayes

PROJECTIONS = {
    "vdm": lambda: VDM(),
    "vdm smoothed": lambda: VDM(2.5),
    "vdm by empirical bayes": lambda: VDM(empirical_bayes),
    "onehot": lambda: OneHot(),
    "pooled": lambda: PooledOneHot(VDM(2.5), longest=2, n_common=1),
    "cooccurrence": lambda: Cooccurrence(),
    "vdm+onehot": lambda: Concatenation(VDM(), OneHot()),
    "cooccurrence+vdm": lambda: Concatenation(Cooccurrence(), VDM(2.5)),
    "side by side": lambda: ChannelConcatenation(VDM(2.5), Cooccurrence()),
}
every_projection = pytest.mark.parametrize("name", PROJECTIONS)
every_vdm = pytest.mark.parametrize(
    "name",
    [n for n in PROJECTIONS if n in ("vdm", "vdm smoothed", "vdm by empirical bayes")],
)


def fitted(make, table):
    return make().fit(table.codes, table.n_values, table.y, table.weights)


def prior_of(table):
    y = table.repeated().y
    return np.bincount(y) / len(y)


@every_projection
@given(table=tables(unseen=True))
def test_transform_only_gathers_rows_of_the_tables(name, table):
    projection = fitted(PROJECTIONS[name], table)
    phi = projection.transform(table.codes)
    assert phi.shape[1:] == projection.shape(table.n_values, table.y.max() + 1)
    for row, codes in zip(phi, table.codes, strict=True):
        gathered = [t[c] for t, c in zip(projection.tables, codes, strict=True)]
        np.testing.assert_array_equal(row, np.concatenate(gathered))


@every_projection
@given(table=tables(unseen=True))
def test_tables_have_a_row_for_every_value_and_one_for_the_unseen(name, table):
    rows = [len(t) for t in fitted(PROJECTIONS[name], table).tables]
    assert rows == [size + 1 for size in table.n_values]


@every_projection
@given(table=tables(unseen=True), data=st.data())
def test_renaming_values_changes_no_difference_between_them(name, table, data):
    names = [data.draw(st.permutations(range(s))) for s in table.n_values]
    names = [np.array([*new, -1]) for new in names]  # -1 stays -1
    renamed = [new[code] for new, code in zip(names, table.codes.T, strict=True)]
    other = table._replace(codes=np.column_stack(renamed).astype(np.int32))
    before = fitted(PROJECTIONS[name], table).tables
    after = fitted(PROJECTIONS[name], other).tables
    for old, new, to in zip(before, after, names, strict=True):
        np.testing.assert_allclose(
            differences(new[to]),
            differences(old),
            atol=1e-4 if "bayes" in name else 1e-12,
        )
        if name.startswith("vdm") and name != "vdm+onehot":
            np.testing.assert_allclose(new[to], old, atol=1e-4)


def differences(table):
    """Return the squared difference of each two values."""
    flat = table.reshape(len(table), -1)
    return ((flat[:, None] - flat[None]) ** 2).sum(axis=2)


@every_projection
@given(table=tables(unseen=True))
def test_integer_weights_are_repeated_rows(name, table):
    weighted, repeated = (
        fitted(PROJECTIONS[name], t).tables for t in (table, table.repeated())
    )
    for ours, theirs in zip(weighted, repeated, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


@every_projection
@given(table=tables(unseen=True))
def test_training_rows_are_projected_like_any_without_cross_fitting(name, table):
    projection = fitted(PROJECTIONS[name], table)
    np.testing.assert_array_equal(
        projection.transform_training(table.codes, table.y),
        projection.transform(table.codes),
    )


@every_vdm
@given(table=tables(unseen=True))
def test_class_shares_of_every_value_sum_to_one(name, table):
    for values in fitted(PROJECTIONS[name], table).tables:
        np.testing.assert_allclose(values.sum(axis=2), 1.0, rtol=1e-12)
        assert (values >= 0.0).all()


@every_vdm
@given(table=tables(unseen=True))
def test_the_unseen_code_reaches_the_prior(name, table):
    nowhere = np.full((1, len(table.n_values)), -1, dtype=np.int32)
    phi = fitted(PROJECTIONS[name], table).transform(nowhere)
    for row in phi[0]:
        np.testing.assert_allclose(row, prior_of(table), rtol=1e-12)


@pytest.mark.parametrize("pseudo", [0.0, 2.5])
@given(table=tables(unseen=True))
def test_vdm_is_the_class_histogram_of_each_value(pseudo, table):
    rows, prior = table.repeated(), prior_of(table)
    for d, values in enumerate(fitted(lambda: VDM(pseudo), table).tables):
        for value in range(table.n_values[d]):
            expected = oracles.class_histogram(
                rows.codes, rows.y, len(prior), d, value, pseudo, prior
            )
            np.testing.assert_allclose(values[value, 0], expected, atol=1e-12)


@given(table=tables(unseen=True))
def test_cooccurrence_is_the_histogram_of_the_other_features(table):
    rows = table.repeated().codes.tolist()
    for d, values in enumerate(fitted(Cooccurrence, table).tables):
        for value in range(table.n_values[d]):
            expected = oracles.cooccurrence_histogram(rows, table.n_values, d, value)
            np.testing.assert_allclose(values[value, 0], expected, atol=1e-12)
        anyone = oracles.cooccurrence_histogram(rows, table.n_values, d, None)
        np.testing.assert_allclose(values[-1, 0], anyone, atol=1e-12)


@given(table=tables(unseen=True))
def test_onehot_indicates_the_value_alone(table):
    phi = fitted(OneHot, table).transform(table.codes)[:, :, 0]
    for row, codes in zip(phi, table.codes, strict=True):
        sizes = zip(codes, table.n_values, strict=True)
        expected = [float(c == value) for c, size in sizes for value in range(size)]
        np.testing.assert_array_equal(row, expected)


@pytest.mark.parametrize("pseudo", [0.0, 2.5])
@given(table=tables(unseen=True))
def test_cross_fitting_is_leaving_the_row_itself_out(pseudo, table):
    rows, prior = table.repeated(), prior_of(table)
    projection = fitted(lambda: VDM(pseudo, cross_fit=True), rows)
    phi = projection.transform_training(rows.codes, rows.y)
    for i, codes in enumerate(rows.codes):
        rest = np.delete(rows.codes, i, axis=0), np.delete(rows.y, i)
        for d, value in enumerate(codes):
            expected = (
                oracles.class_histogram(*rest, len(prior), d, value, pseudo, prior)
                if value >= 0
                else prior
            )
            np.testing.assert_allclose(phi[i, d], expected, atol=1e-12)


@given(table=tables(unseen=True))
def test_a_cell_is_cross_fitted_like_each_of_its_rows(table):
    rows = table.repeated()
    of_cells, of_rows = (
        fitted(lambda: VDM(2.5, cross_fit=True), t).transform_training(t.codes, t.y)
        for t in (table, rows)
    )
    cells = oracles.copies(table.weights)
    np.testing.assert_allclose(of_cells[cells], of_rows, atol=1e-12)


@given(table=tables(unseen=True))
def test_a_concatenation_cross_fits_each_part_by_its_own_rule(table):
    part = fitted(lambda: VDM(2.5, cross_fit=True), table)
    both = fitted(lambda: Concatenation(VDM(2.5, cross_fit=True), OneHot()), table)
    alone = part.transform_training(table.codes, table.y)
    phi = both.transform_training(table.codes, table.y)[:, :, 0]
    start = 0
    for d, size in enumerate(table.n_values):
        middle, end = start + alone.shape[2], start + alone.shape[2] + size
        np.testing.assert_array_equal(phi[:, start:middle], alone[:, d])
        own = np.eye(size + 1, size)[table.codes[:, d]]
        np.testing.assert_array_equal(phi[:, middle:end], own)
        start = end


@given(table=tables())
def test_empirical_bayes_makes_the_counts_most_likely(table):
    prior, projection = prior_of(table), fitted(VDM, table)
    for counts in projection.counts:

        def likelihood(m, counts=counts):
            law = dirichlet_multinomial(m * prior, counts.sum(axis=1).astype(int))
            return law.logpmf(counts.astype(int)).sum()

        chosen = likelihood(empirical_bayes(counts, prior))
        assert chosen >= max(map(likelihood, np.logspace(-3, 6, 60))) - 1e-5


def test_class_histograms_need_labels():
    codes = np.zeros((2, 1), dtype=np.int32)
    with pytest.raises(ValueError, match="need labels"):
        VDM().fit(codes, [1], None, np.ones(2))


# --- from counts -------------------------------------------------------------------

FROM_COUNTS = [
    VDM,
    lambda: VDM(smoothing=empirical_bayes),
    OneHot,
    lambda: Concatenation(VDM(0.5), OneHot()),
]


def check_fit_counts(projection, again, table):
    codes, n_values, y, weights = table
    totals = np.bincount(y, weights)
    projection.fit(codes, n_values, y, weights)
    again.fit_counts(value_counts(codes, n_values, y, weights), totals)
    for mine, theirs in zip(again.tables, projection.tables, strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("make", FROM_COUNTS)
@given(table=tables(unseen=True))
def test_counts_give_the_tables_that_rows_give(make, table):
    check_fit_counts(make(), make(), table)


@given(table=tables())
def test_counts_give_the_tables_beside_coordinates(table):
    places = [
        np.arange(size) * 1.0 if d % 2 else None for d, size in enumerate(table[1])
    ]
    check_fit_counts(Coordinates(VDM(), places), Coordinates(VDM(), places), table)


def test_counts_of_columns_are_too_few_for_pairs_of_columns():
    with pytest.raises(ValueError, match="Cooccurrence counts which values of two"):
        Cooccurrence().fit_counts([], np.ones(2))


def test_a_rare_value_of_a_pooled_column_is_known_by_the_other_rows_alone():
    codes = np.array([[0, 0], [1, 0], [2, 0], [3, 1], [3, 1], [3, 1]], dtype=np.int32)
    y = np.array([0, 0, 1, 1, 1, 0])
    pooled = PooledOneHot(VDM(1.0, cross_fit=True), longest=3, n_common=2)
    phi = pooled.fit(codes, [4, 2], y, np.ones(6)).transform_training(codes, y)
    assert phi.shape == (6, 2 + 2 + 2, 1)
    for row, code in enumerate(codes[:, 0]):
        others = (codes[:, 0] == code) & (np.arange(6) != row)
        counts = np.bincount(y[others], minlength=2)
        wanted = (counts + 0.5) / (counts.sum() + 1.0)  # the prior is a half each
        np.testing.assert_allclose(phi[row, 2:4, 0], wanted)
    assert phi[:, :2, 0].sum() == 3  # the common value has an indicator, no other one
    np.testing.assert_array_equal(phi[:, 4:, 0], np.eye(2)[codes[:, 1]])
