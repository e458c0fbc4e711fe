"""The parameters of CPML as objects, checked once.

The only place that knows which string stands for which object.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from nearkind.constraints.local import LocalTriplets
from nearkind.constraints.pairs import AllPairs
from nearkind.constraints.quadruplets import AllQuadruplets
from nearkind.constraints.samples import (
    SampledPairs,
    SampledQuadruplets,
    SampledTriplets,
)
from nearkind.constraints.soft_neighbors import SoftNeighbors
from nearkind.constraints.triplets import AllTriplets
from nearkind.encoding.codebook import Codebook
from nearkind.estimators.base import codebook_of
from nearkind.metrics.structures import Diagonal, Full, Multi, Single
from nearkind.projections.concatenation import ChannelConcatenation, Concatenation
from nearkind.projections.cooccurrence import Cooccurrence
from nearkind.projections.onehot import OneHot, PooledOneHot, Thermometer
from nearkind.projections.vdm import VDM, empirical_bayes
from nearkind.protocols import Projection, Regularizer, Solver, Structure
from nearkind.regularizers.entrywise import EntrywiseL1
from nearkind.regularizers.schatten import Schatten, SchattenPower
from nearkind.solvers.adam import Adam
from nearkind.solvers.lbfgs import LBFGS
from nearkind.solvers.proximal import Proximal
from nearkind.solvers.stochastic import Stochastic
from nearkind.solvers.subgradient import LiteralSubgradient, Subgradient
from nearkind.validation.limits import distances_at_once
from nearkind.validation.parameters import (
    choice,
    flag,
    generator,
    is_whole,
    number,
    whole_number,
    wrong,
)
from nearkind.validation.threads import n_threads

STRUCTURES = {"single": Single, "multi": Multi, "diagonal": Diagonal, "full": Full}
PROJECTIONS: dict[str, Callable[[VDM], Any]] = {
    "vdm": lambda vdm: vdm,
    "onehot": lambda vdm: OneHot(),
    "vdm+onehot": lambda vdm: Concatenation(vdm, OneHot()),
    "cooccurrence": lambda vdm: Cooccurrence(),
    "vdm+cooccurrence": lambda vdm: ChannelConcatenation(vdm, Cooccurrence()),
    "thermometer": lambda vdm: Thermometer(),
    "pooled": PooledOneHot,
}
ALL = {
    "triplets": AllTriplets,
    "pairs": AllPairs,
    "quadruplets": AllQuadruplets,
    "neighbors": SoftNeighbors,
}
SAMPLED = {
    "triplets": SampledTriplets,
    "pairs": SampledPairs,
    "quadruplets": SampledQuadruplets,
}
PENALTIES = {"schatten": Schatten, "l1": EntrywiseL1}
SCOPES = ("all", "local")
MOST_SAMPLED = 10**9
"""Constraints that may be asked for; so many take some ten gigabytes."""
STREAMED: dict[str, Any] = {"batch_rows": 2_000, "held_rows": 8_000}
"""Larger samples where the rows at hand are themselves a sample."""
SOLVERS: dict[str, Callable[..., Any]] = {
    "proximal": lambda rng, batches, **limits: Proximal(**limits),
    "subgradient": lambda rng, batches, **limits: Subgradient(**limits),
    "paper": lambda rng, batches, **limits: LiteralSubgradient(**limits),
    "stochastic": lambda rng, batches, **limits: Stochastic(
        rng=rng, batches=batches, **limits, **(STREAMED if batches else {})
    ),
}
EXACT_DISTANCES = 4_000**2
"""Distances per evaluation up to which "auto" solves exactly, with a proof."""
LEAST_MARGIN = 1e-300
"""Smaller margins count as this one: 1 / margin is a float."""
STRENGTH = "a number >= 0, 'auto' or a share of strength_max_ such as '0.5%'"

Strength = Callable[[float], float]
"""From ``strength_max`` to the strength that is meant."""
MakeSolver = Callable[..., Solver]
"""From the distances per evaluation, problems of batches or None, and the rows of a
sample of soft neighbours or None, to a solver."""


@dataclass(frozen=True)
class CPMLSpec:
    """The parameters of a CPML as the objects that they stand for.

    Attributes
    ----------
    codebook : Codebook
        Not fitted.
    structure : Structure
    make_projection : callable
        Returns a projection that is not fitted.
    cross_fit : bool
        Whether training rows are projected without their own labels.
    rule : object
        Its ``bind`` turns labels into constraints.
    margin : float
    is_convex : bool
        Whether the constraints have a convex loss, hence optima and proofs.
    is_local : bool
        Whether each row has targets.
    takes_minibatches : bool
        Whether the loss is, nearly, the mean of what it is on samples of rows.
    regularizer : Regularizer
    strength : callable
        From ``strength_max`` to the strength that is meant.
    make_solver : callable
        As ``MakeSolver`` says.
    keeps_axes : bool
        Whether M must be learned in the coordinates of phi, and no others: the penalty
        may depend on them, and the paper's algorithm starts at M = I on all of them,
        those in which rows do not differ among them.
    n_jobs : int or None
    rng : numpy.random.Generator
    max_rows : int or None
        Rows that soft neighbours compare at a time; None: 4,000.
    """

    codebook: Codebook
    structure: Structure
    make_projection: Callable[[], Projection]
    cross_fit: bool
    rule: Any
    margin: float
    is_convex: bool
    is_local: bool
    takes_minibatches: bool
    regularizer: Regularizer
    strength: Strength
    make_solver: MakeSolver
    keeps_axes: bool
    n_jobs: int | None
    rng: np.random.Generator
    max_rows: int | None = None

    @classmethod
    def of(cls, model: Any) -> "CPMLSpec":
        """Read the parameters of a CPML; raise ValueError if one is wrong."""
        rng = generator(model.random_state)
        n_threads(model.n_jobs)
        structure = choice(model, "structure", STRUCTURES)()
        make_projection = _projection(model)
        book = codebook_of(model)
        margin = number(model, "margin", "a number > 0", 0.0, open_low=True)
        margin = max(margin, LEAST_MARGIN)
        penalty, strength = regularizer(model), strength_of(model)
        rule = _rule(model, margin, rng)
        make_solver = _solver(model, penalty, margin, rng)
        flag(model, "warm_start")
        return cls(
            codebook=book,
            structure=structure,
            make_projection=make_projection,
            cross_fit=flag(model, "cross_fit"),
            rule=rule,
            margin=margin,
            is_convex=is_convex(model),
            is_local=model.scope == "local",
            takes_minibatches=model.scope == "all",
            regularizer=penalty,
            strength=strength,
            make_solver=make_solver,
            keeps_axes=penalty.takes_matrix or model.solver == "paper",
            n_jobs=model.n_jobs,
            rng=rng,
        )


def is_convex(model: Any) -> bool:
    """Return whether the constraints have a convex loss, hence optima and proofs."""
    return model.constraints in SAMPLED


def _projection(model: Any) -> Callable[[], Projection]:
    smoothing = model.smoothing
    if isinstance(smoothing, str) and smoothing == "auto":
        smoothing = empirical_bayes
    else:
        number(model, "smoothing", "a number >= 0 or 'auto'", 0.0)
    cross_fit = flag(model, "cross_fit")
    make = choice(model, "projection", PROJECTIONS)
    return lambda: make(VDM(smoothing, cross_fit))


def _rule(model: Any, margin: float, rng: np.random.Generator) -> Any:
    """Return what turns labels into constraints."""
    kind = choice(model, "constraints", ALL)
    n_targets = whole_number(model, "n_targets")
    if not is_convex(model) and model.scope != "all":
        raise wrong(model, "scope", f"'all' when constraints={model.constraints!r}")
    if is_whole(model.scope) and 1 <= model.scope <= MOST_SAMPLED:
        return SAMPLED[model.constraints](int(model.scope), rng, margin)
    if not isinstance(model.scope, str) or model.scope not in SCOPES:
        listed = ", ".join(map(repr, SCOPES))
        raise wrong(
            model,
            "scope",
            f"{listed} or a number of constraints to sample, from 1 to "
            f"{MOST_SAMPLED:,}",
        )
    if model.scope == "local":
        if model.constraints != "triplets":
            raise wrong(model, "constraints", "'triplets' when scope='local'")
        return LocalTriplets(margin, n_targets, distances_at_once())
    return kind(margin, distances_at_once())


def regularizer(model: Any) -> Regularizer:
    """Return the regularizer that penalty, p and powered describe, or that p is."""
    if choice(model, "penalty", PENALTIES) is EntrywiseL1:
        for name, default in (("p", 1.0), ("powered", False)):
            given = getattr(model, name)
            if not np.isscalar(given) or given != default:
                raise wrong(model, name, f"left at {default} when penalty='l1'")
        return EntrywiseL1()
    if isinstance(model.p, Regularizer) and not isinstance(model.p, type):
        if flag(model, "powered"):
            raise wrong(model, "powered", "False when p is a regularizer itself")
        return model.p
    p = exponent(model)
    if not flag(model, "powered"):
        return Schatten(p)
    if p == np.inf:
        raise wrong(model, "p", "finite when powered=True, for Tr(M^p)")
    return SchattenPower(p)


def exponent(model: Any) -> float:
    """Return p, where only the exponent of a Schatten norm will do."""
    if model.penalty == "l1":
        raise wrong(model, "penalty", "'schatten', the norms of the theorems")
    return number(model, "p", "a number >= 1, or infinity", 1.0, finite=False)


def strength_of(model: Any) -> Strength:
    """Return the function from ``strength_max`` to the strength that is meant."""
    value = model.strength
    if isinstance(value, str):
        share = _share("1%" if value == "auto" else value)
        if share is None:
            raise wrong(model, "strength", STRENGTH)
        return lambda strength_max: share * strength_max
    fixed = number(model, "strength", STRENGTH, 0.0)
    return lambda strength_max: fixed


def _share(text: str) -> float | None:
    """Return a percentage as a number, None if it is none.

    Examples
    --------
    >>> _share("0.5%"), _share("half")
    (0.005, None)
    """
    try:
        percent = float(text.removesuffix("%"))
    except ValueError:
        return None
    return percent / 100.0 if text.endswith("%") and 0.0 <= percent < inf else None


def _solver(
    model: Any, penalty: Regularizer, margin: float, rng: np.random.Generator
) -> MakeSolver:
    """Return what makes the solver; "auto" chooses by size."""
    given = choice(model, "solver", {"auto": None, **SOLVERS})
    max_iter = whole_number(model, "max_iter")
    tol = number(model, "tol", "a number >= 0", 0.0)
    if model.solver == "paper" and strength_of(model)(1.0) == 0.0:
        raise wrong(
            model, "strength", "> 0 when solver='paper': lambda is 1 / strength"
        )
    if is_convex(model):

        def convex(
            n_distances: int, batches: object = None, rows: object = None
        ) -> Solver:
            is_small = n_distances <= EXACT_DISTANCES
            make = given or SOLVERS["proximal" if is_small else "stochastic"]
            return make(rng, batches, max_iter=max_iter, tol=tol)

        return convex
    if model.solver != "auto":
        raise wrong(model, "solver", f"'auto' when constraints={model.constraints!r}")
    if penalty.takes_matrix:
        raise wrong(
            model, "penalty", f"'schatten' when constraints={model.constraints!r}"
        )
    if not penalty.is_smooth:
        raise wrong(model, "p", f"finite when constraints={model.constraints!r}")

    def smooth(n_distances: int, batches: Any = None, rows: Any = None) -> Solver:
        size = {} if rows is None else {"rows": rows}
        if n_distances <= EXACT_DISTANCES and batches is None:
            return LBFGS(max_iter, tol, rng, **size)
        return Adam(max_iter, tol, rng, margin, batches=batches, **size)

    return smooth
