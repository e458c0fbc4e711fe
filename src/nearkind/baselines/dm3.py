"""DM3: frequencies and dependence of features, with weights that depend on the pair."""

from dataclasses import KW_ONLY
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np

from nearkind.baselines.baseline import ColumnWeighted, column_weights
from nearkind.baselines.contingency import Information, chances, counted, value_pairs
from nearkind.distances.dependence import ROUNDING, DependentTables
from nearkind.encoding.rows import CodedRows
from nearkind.protocols import Array
from nearkind.validation.parameters import number, numbered


class Stage(NamedTuple):
    """What a stage of the method takes into account."""

    has_others: bool  # beside each feature those that depend on it
    has_weights: bool  # by how often rows agree


STAGES = {1: Stage(False, False), 2: Stage(False, True), 3: Stage(True, True)}


def _check_beta(model: object, name: str) -> None:
    beta = getattr(model, name)
    if not isinstance(beta, str) or beta != "mean":
        number(model, name, "a number or 'mean'")


class DM3(ColumnWeighted):
    """d = sum over features r of w_r D_r / sum of w_r.

    D_r = sum over l in S_r of R(r, l) (q(x) + q(x')), over those l where x and x'
    differ in feature r or in l. q(x) is the probability that two rows both have the
    values x_r and x_l; R = I(A_r; A_l) / H(A_r, A_l), and S_r holds r and all l with
    R(r, l) > beta. w_r is the probability that two rows agree in feature r if x and x'
    differ in it, and the probability that they differ if x and x' agree. Values seen at
    most once have q = 0, so rows with only such values are at distance 0. Jia, Cheung
    and Liu, *A new distance metric for unsupervised learning of categorical data*, IEEE
    TNNLS 2016.

    Parameters
    ----------
    stage : {3, 2, 1}, default=3
        3 is the whole method; in 2 (DM2) S_r holds r only; in 1 (DM1) also all w_r = 1.
    beta : float or "mean", default="mean"
        Threshold on the dependence of features; "mean": the mean of R.
    weights : dict of column to float, default=None
        Weights >= 0 of columns; other columns have weight 1.
    unseen, missing, numeric, ordered : default="prior", "level", "auto", None
        As in :class:`nearkind.CPML`.

    Examples
    --------
    >>> rows = [["a", "x"], ["a", "y"], ["b", "y"], ["b", "y"]]
    >>> DM3(stage=1).fit(rows).pairwise_distances([["a", "y"]], [["b", "y"]]).round(4)
    array([[0.1667]])
    """

    stage: Annotated[int, partial(numbered, table=STAGES)] = 3
    _: KW_ONLY
    beta: Annotated[Any, _check_beta] = "mean"

    def _learn(self, rows: CodedRows) -> DependentTables:
        stage, counts = STAGES[self.stage], counted(rows, self)
        R = interdependence(counts.information)
        threshold = R.mean() if self.beta == "mean" else self.beta
        dependent = R - threshold > ROUNDING
        related = np.eye(len(R), dtype=bool) | (stage.has_others & dependent)
        agree = np.array([chances(counts.joint(d, d)).sum() for d in range(len(R))])
        each = column_weights(self, rows.codebook)
        mismatch, match = each, each
        if stage.has_weights:
            mismatch, match = each * agree, each * (1.0 - agree)
        pairs = value_pairs(counts, related)
        return DependentTables(rows.codebook, R, mismatch, match, pairs)


def interdependence(information: Information) -> Array:
    """Return I(A_r; A_l) / H(A_r, A_l) of any two features (D, D); 0 for 0 / 0."""
    known = information.both > ROUNDING
    return np.where(known, information.mutual / np.where(known, information.both, 1), 0)
