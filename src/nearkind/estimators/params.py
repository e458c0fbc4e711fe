"""Parameters of estimators: checked, and turned into the objects that they stand for.

The only place that knows which string stands for which object. A wrong parameter ends
in one sentence: which parameter of whom, what it must be, what it is.
"""

import warnings
from collections.abc import Callable, Mapping
from math import inf
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from nearkind.constraints.local import LocalTriplets
from nearkind.constraints.pairs import AllPairs
from nearkind.constraints.quadruplets import AllQuadruplets
from nearkind.constraints.sampled import (
    SampledPairs,
    SampledQuadruplets,
    SampledTriplets,
)
from nearkind.constraints.soft_neighbors import SoftNeighbors
from nearkind.constraints.triplets import AllTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.encoding.codebook import POLICIES, Codebook
from nearkind.encoding.crosses import WANTED, as_setting
from nearkind.metrics.structures import Diagonal, Full, Multi, Single
from nearkind.projections.concatenation import ChannelConcatenation, Concatenation
from nearkind.projections.cooccurrence import Cooccurrence
from nearkind.projections.onehot import OneHot
from nearkind.projections.vdm import VDM, empirical_bayes
from nearkind.protocols import Regularizer
from nearkind.regularizers.entrywise import EntrywiseL1
from nearkind.regularizers.schatten import Schatten, SchattenPower
from nearkind.solvers.adam import Adam
from nearkind.solvers.entrywise_objective import EntrywiseObjective
from nearkind.solvers.lbfgs import LBFGS
from nearkind.solvers.literal_subgradient import LiteralSubgradient
from nearkind.solvers.objective import Objective
from nearkind.solvers.proximal import Proximal
from nearkind.solvers.stochastic import Stochastic
from nearkind.solvers.subgradient import Subgradient
from nearkind.validation.limits import distances_at_once
from nearkind.validation.threads import n_threads

STRUCTURES = {"single": Single, "multi": Multi, "diagonal": Diagonal, "full": Full}
PROJECTIONS: dict[str, Callable[[VDM], Any]] = {
    "vdm": lambda vdm: vdm,
    "onehot": lambda vdm: OneHot(),
    "vdm+onehot": lambda vdm: Concatenation(vdm, OneHot()),
    "cooccurrence": lambda vdm: Cooccurrence(),
    "vdm+cooccurrence": lambda vdm: ChannelConcatenation(vdm, Cooccurrence()),
}
ALL = {
    "triplets": AllTriplets,
    "pairs": AllPairs,
    "quadruplets": AllQuadruplets,
    "neighbors": SoftNeighbors,
}
PENALTIES = {"schatten": Schatten, "l1": EntrywiseL1}
SCOPES = ("all", "local")
SAMPLED = {
    "triplets": SampledTriplets,
    "pairs": SampledPairs,
    "quadruplets": SampledQuadruplets,
}
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
"""Distances an evaluation up to which "auto" solves exactly, with a proof."""


def check(model: Any) -> np.random.Generator:
    """Refuse wrong parameters before any data are read; return the generator."""
    rng = generator(model.random_state)
    n_threads(model.n_jobs)
    for read in (structure, projection, codebook, margin, regularizer, strength):
        read(model)
    constraints(model, rng)
    solver(model, 0, rng)
    flag(model, "warm_start")
    return rng


def structure(model: Any) -> Any:
    """Return the Structure that ``model.structure`` names."""
    return choice(model, "structure", STRUCTURES)()


def projection(model: Any) -> Any:
    """Return the Projection that ``model.projection`` names, unfitted."""
    smoothing = model.smoothing
    if isinstance(smoothing, str) and smoothing == "auto":
        smoothing = empirical_bayes
    else:
        number(model, "smoothing", "a number >= 0 or 'auto'", 0.0)
    cross_fit = flag(model, "cross_fit")
    make = choice(model, "projection", PROJECTIONS)
    return make(VDM(smoothing, cross_fit))


def constraints(model: Any, rng: np.random.Generator) -> Any:
    """Return the rule that turns labels into constraints."""
    kind = choice(model, "constraints", ALL)
    n_targets = whole_number(model, "n_targets")
    if not is_convex(model) and model.scope != "all":
        raise wrong(model, "scope", f"'all' when constraints={model.constraints!r}")
    if is_whole(model.scope) and 1 <= model.scope <= MOST_SAMPLED:
        return SAMPLED[model.constraints](int(model.scope), rng, margin(model))
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
        return LocalTriplets(margin(model), n_targets, distances_at_once())
    return kind(margin(model), distances_at_once())


def warn_of_single_rows(model: Any, labels: WeightedLabels, classes: Any) -> None:
    """Warn of classes with a single row, where rows need others of their class."""
    single = [
        repr(name)
        for label, name in enumerate(classes.tolist())
        if not labels.same[labels.rows_of(label)].any()
    ]
    if single and model.scope == "local":
        warnings.warn(
            f"{len(single)} of {len(classes)} classes have one row, which has no "
            f"target neighbour: {', '.join(single[:5])}"
            f"{' and more' if len(single) > 5 else ''}. Such a row only pushes others "
            "away; give more rows of its class to have it drawn to them.",
            UserWarning,
            stacklevel=4,
        )


def margin(model: Any) -> float:
    """Return the margin; at zero, M = 0 would satisfy everything."""
    return number(model, "margin", "a number > 0", 0.0, open_low=True)


def codebook(model: Any) -> Codebook:
    """Return an unfitted codebook with the model's policies."""
    for name, allowed in POLICIES.items():
        choice(model, name, dict.fromkeys(allowed))
    if model.numeric == "scale" and not model.has_coordinates:
        raise wrong(
            model,
            "numeric",
            "'auto', 'category' or 'bin', because it compares values that have no "
            "coordinates, unlike those of CPML, Euclidean, Discriminant, MCML and "
            "RFM",
        )
    crosses = as_setting(getattr(model, "crosses", 0))  # few distances have them
    if crosses is None:
        raise wrong(model, "crosses", WANTED)
    return Codebook(model.missing, model.unseen, model.numeric, crosses)


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


def objective_class(model: Any) -> type[Objective]:
    """Return what the regularizer is to be added up with the loss by."""
    is_entrywise = isinstance(regularizer(model), EntrywiseL1)
    return EntrywiseObjective if is_entrywise else Objective


def keeps_axes(model: Any) -> bool:
    """Return whether M must be learned in the coordinates of phi, and no others.

    The penalty may depend on them. The paper's algorithm starts at M = I on all of
    them, those in which rows do not differ among them.
    """
    return objective_class(model) is EntrywiseObjective or model.solver == "paper"


def exponent(model: Any) -> float:
    """Return p, where only the exponent of a Schatten norm will do."""
    if model.penalty == "l1":
        raise wrong(model, "penalty", "'schatten', the norms of the theorems")
    return number(model, "p", "a number >= 1, or infinity", 1.0, finite=False)


def strength(model: Any) -> Callable[[float], float]:
    """Return the function from ``strength_max`` to the strength that is meant."""
    value = model.strength
    if isinstance(value, str):
        share = _share("1%" if value == "auto" else value)
        if share is None:
            raise wrong(model, "strength", STRENGTH)
        return lambda strength_max: share * strength_max
    fixed = number(model, "strength", STRENGTH, 0.0)
    return lambda strength_max: fixed


STRENGTH = "a number >= 0, 'auto' or a share of strength_max_ such as '0.5%'"


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


def solver(
    model: Any, n_distances: int, rng: np.random.Generator, batches: Any = None
) -> Any:
    """Return the Solver that ``model.solver`` names; "auto" chooses by size.

    Parameters
    ----------
    model : CPML
    n_distances : int
        Distances in one evaluation of all rows in memory.
    rng : numpy.random.Generator
        Of what is drawn.
    batches : callable, default=None
        As in ``Stochastic`` and ``Adam``.
    """
    auto = "proximal" if n_distances <= EXACT_DISTANCES else "stochastic"
    make = choice(model, "solver", {"auto": SOLVERS[auto], **SOLVERS})
    max_iter = whole_number(model, "max_iter")
    tol = number(model, "tol", "a number >= 0", 0.0)
    if model.solver == "paper" and strength(model)(1.0) == 0.0:
        raise wrong(
            model, "strength", "> 0 when solver='paper': lambda is 1 / strength"
        )
    if is_convex(model):
        return make(rng, batches, max_iter=max_iter, tol=tol)
    if model.solver != "auto":
        raise wrong(model, "solver", f"'auto' when constraints={model.constraints!r}")
    if objective_class(model) is EntrywiseObjective:
        raise wrong(
            model, "penalty", f"'schatten' when constraints={model.constraints!r}"
        )
    if not regularizer(model).is_smooth:
        raise wrong(model, "p", f"finite when constraints={model.constraints!r}")
    if n_distances <= EXACT_DISTANCES and batches is None:
        return LBFGS(max_iter, tol, rng)
    return Adam(max_iter, tol, rng, margin(model), batches=batches)


def is_convex(model: Any) -> bool:
    """Return whether the constraints have a convex loss, hence optima and proofs."""
    return model.constraints in SAMPLED


def takes_minibatches(model: Any) -> bool:
    """Return whether the loss is, nearly, the mean of what it is on samples of rows."""
    return bool(model.scope == "all")


def choice(model: Any, name: str, table: dict[str, Any]) -> Any:
    """Return what the model's parameter of this name stands for."""
    value = getattr(model, name)
    if not isinstance(value, str) or value not in table:
        listed = ", ".join(map(repr, table))
        raise wrong(model, name, f"one of {listed}")
    return table[value]


def number(
    model: Any,
    name: str,
    wanted: str,
    low: float = -np.inf,
    high: float = np.inf,
    open_low: bool = False,
    finite: bool = True,
) -> float:
    """Return a parameter that is a number in a range."""
    value = getattr(model, name)
    is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    try:
        x = float(value) if is_number else np.nan
    except OverflowError:  # a whole number beyond all floats
        raise wrong(model, name, wanted) from None
    if not low <= x <= high or (finite and np.isinf(x)) or (open_low and x == low):
        raise wrong(model, name, wanted)
    return x


def whole_number(model: Any, name: str, low: int = 1) -> int:
    """Return a parameter that is a whole number >= ``low``."""
    return check_whole(getattr(model, name), name, type(model).__name__, low)


def check_whole(value: Any, name: str, owner: str, low: int = 1) -> int:
    """Return a value that must be a whole number >= ``low``.

    Parameters
    ----------
    value : object
    name, owner : str
        Which parameter of whom, for the message.
    low : int, default=1
    """
    if not is_whole(value) or value < low:
        raise ValueError(
            f"The {name!r} parameter of {owner} must be a whole number >= {low}; "
            f"got {value!r}."
        )
    return int(value)


def numbered(model: Any, name: str, table: Mapping[int, Any]) -> Any:
    """Return what a setting that is one of some whole numbers stands for."""
    value = getattr(model, name)
    if not is_whole(value) or value not in table:
        raise wrong(model, name, f"one of {', '.join(map(str, table))}")
    return table[value]


def is_whole(value: Any) -> bool:
    """Return whether it is a whole number; True and False are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def wrong(model: Any, name: str, wanted: str) -> ValueError:
    """Return the error for a parameter that is not as wanted."""
    return ValueError(
        f"The {name!r} parameter of {type(model).__name__} must be {wanted}; "
        f"got {getattr(model, name)!r}."
    )


def flag(model: Any, name: str) -> bool:
    """Return a parameter that is True or False."""
    value = getattr(model, name)
    if not isinstance(value, bool | np.bool_):
        raise wrong(model, name, "True or False")
    return bool(value)


def generator(random_state: Any) -> np.random.Generator:
    """Return a generator from what scikit-learn takes as random_state."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(seeded(random_state).randint(2**31))


def seeded(random_state: Any) -> np.random.RandomState:
    """Return NumPy's older generator, where draws must stay as they were."""
    try:
        return check_random_state(random_state)
    except (ValueError, TypeError):
        raise ValueError(
            "The 'random_state' parameter must be None, a whole number from 0 to "
            "2**32 - 1, a RandomState or a Generator of NumPy; got "
            f"{random_state!r:.60}."
        ) from None
