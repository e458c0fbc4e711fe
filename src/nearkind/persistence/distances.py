"""Distances: which fitted attributes are kept, how, and what must hold of them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from nearkind import baselines as b
from nearkind.baselines.code_trees import CodeTrees
from nearkind.baselines.contingency import ValuePairs
from nearkind.baselines.lmca import KERNELS
from nearkind.baselines.matrix_learner import Coding
from nearkind.baselines.pair_tables import PairTables
from nearkind.encoding.codebook import Codebook
from nearkind.estimators.cpml import CPML
from nearkind.estimators.params import choice
from nearkind.metrics.structures import Diagonal, Full, Multi, Single
from nearkind.metrics.value_tables import ValueTables
from nearkind.persistence import checks as c
from nearkind.persistence.container import RefusedError
from nearkind.persistence.nodes import Pack, Reader, Unpack, Writer, short_repr
from nearkind.projections.base import TableProjection
from nearkind.projections.concatenation import ChannelConcatenation, Concatenation
from nearkind.projections.cooccurrence import Cooccurrence
from nearkind.projections.coordinates import Coordinates
from nearkind.projections.onehot import OneHot
from nearkind.projections.vdm import VDM
from nearkind.solvers.solution import Record

_MEAN = ("similarity_tables_", "divisor_")
_RATIO = ("similarity_tables_", "weight_tables_")
_MARGIN = (
    "classes_", "metric_", "objective_", "n_iter_", "stop_reason_", "objective_scale_",
)  # fmt: skip
_DESCENT = ("classes_", "history_", "objective_", "n_iter_", "stop_reason_")
_MATRIX = ("classes_", "coding_", "reduced_metric_", "value_tables_")
KEPT: dict[type, tuple[str, ...]] = {
    CPML: (
        "classes_", "metric_", "spectrum_", "rank_", "feature_relevance_",
        "objective_", "gap_", "history_", "n_iter_", "stop_reason_", "strength_",
        "strength_max_", "value_tables_", "projection_", "structure_",
    ),
    b.Euclidean: ("classes_", "value_tables_"),
    b.Hamming: ("n_features_out_",),
    **dict.fromkeys(
        (b.Eskin, b.InverseOccurrence, b.OccurrenceFrequency, b.Smirnov, b.Burnaby,
         b.Gambaryan, b.Goodall1, b.Goodall2, b.Goodall3, b.Goodall4), _MEAN
    ),
    **dict.fromkeys((b.Lin, b.Lin1, b.Anderberg), _RATIO),
    b.ValueDifference: ("classes_", "pair_tables_"),
    b.Association: ("pair_tables_",),
    b.Cheng: ("classes_", "history_", "n_iter_", "pair_tables_"),
    b.DM3: ("dependence_", "mismatch_weights_", "match_weights_", "value_pairs_"),
    b.DILCA: ("contexts_", "value_tables_"),
    b.HELIC: (
        "classes_", "groups_", "weights_", "objective_", "gap_", "strength_",
        "strength_max_", "n_iter_", "stop_reason_", "value_tables_",
    ),
    **dict.fromkeys((b.LMNN, b.KDML), (*_MARGIN, "value_tables_")),
    b.LMCA: (*_DESCENT, "components_", "value_tables_"),
    b.KernelLMCA: (
        *_DESCENT, "components_", "landmarks_", "length_", "projection_",
    ),
    b.Chi2LMNN: (*_DESCENT, "components_", "value_tables_"),
    b.GBLMNN: (*_DESCENT, "start_tables_", "trees_"),
    b.ITML: (*_MATRIX, "bounds_", "n_iter_"),
    b.POLA: (*_MATRIX, "loss_history_", "threshold_"),
    b.DMLEig: (*_MATRIX, "objective_", "gap_", "n_iter_", "stop_reason_"),
    b.MMC: (*_MATRIX, "objective_", "gap_", "n_iter_"),
    b.NCA: ("classes_", "components_", "n_iter_", "value_tables_"),
    b.MCML: (
        "classes_", "metric_", "objective_", "gap_", "strength_", "strength_max_",
        "n_iter_", "stop_reason_", "value_tables_",
    ),
    b.HDML: ("classes_", "objective_", "n_iter_", "stop_reason_", "value_tables_"),
    b.RFM: ("classes_", "metric_", "value_tables_"),
    b.Discriminant: ("classes_", "intercept_", "n_iter_", "value_tables_"),
}  # fmt: skip
"""Fitted attributes of each distance; what scikit-learn asks follows from codebook_."""

OF_BATCHES: dict[type, tuple[str, ...]] = {CPML: ("n_samples_seen_", "class_count_")}
"""What a distance has besides if it learned from batches."""

NAMES_IN_FILE = {
    "projection_": "_projection",
    "structure_": "_structure",
    "divisor_": "_divisor",
    "value_pairs_": "_pairs",
    "mismatch_weights_": "_differing",
    "match_weights_": "_equal",
    "coding_": "_coding",
    "reduced_metric_": "_M",
    "objective_scale_": "_scale",
    "n_features_out_": "_n_features_out",
}
"""Attributes that have another name in files, the one that version 0.1 gave them."""

STRUCTURES = {"Single": Single, "Multi": Multi, "Diagonal": Diagonal, "Full": Full}
PROJECTIONS = (
    VDM, OneHot, Concatenation, Cooccurrence, ChannelConcatenation, Coordinates,
    TableProjection,
)  # fmt: skip

CHECKS: dict[str, c.Check] = {
    "classes_": c.check_classes,
    "spectrum_": c.check_reals(2),
    "rank_": c.check_count,
    "feature_relevance_": c.check_reals(1),
    "objective_": c.check_number,
    "gap_": c.check_number,
    "history_": c.check_history,
    "n_iter_": c.check_count,
    "stop_reason_": c.check_reason,
    "strength_": c.check_number,
    "strength_max_": c.check_number,
    "threshold_": c.check_number,
    "value_tables_": c.check_vectors,
    "start_tables_": c.check_vectors,
    "trees_": c.check_kind(CodeTrees),
    "landmarks_": c.check_codes,
    "length_": c.check_amount,
    "pair_tables_": c.check_distances,
    "similarity_tables_": c.check_pairs,
    "weight_tables_": c.check_pairs,
    "contexts_": c.check_kind(dict),
    "groups_": c.check_kind(list),
    "bounds_": c.check_kind(tuple),
    "weights_": c.check_reals(1),
    "loss_history_": c.check_reals(1),
    "components_": c.check_reals(2),
    "intercept_": c.check_reals(1),
    "dependence_": c.check_reals(2),
    "mismatch_weights_": c.check_reals(1),
    "match_weights_": c.check_reals(1),
    "value_pairs_": c.check_kind(ValuePairs),
    "n_features_out_": c.check_count,
    "n_samples_seen_": c.check_count,
    "class_count_": c.check_reals(1),
    "divisor_": c.check_amount,
    "objective_scale_": c.check_number,
    "reduced_metric_": c.check_psd(2),
    "coding_": c.check_kind(Coding),
    "projection_": c.check_kind(TableProjection),
    "structure_": c.check_kind(*STRUCTURES.values()),
}
METRICS: dict[type, Any] = {
    CPML: c.check_psd(3),
    b.LMNN: c.check_psd(2),
    b.KDML: c.check_psd(2),
    b.MCML: c.check_psd(2),
    b.RFM: c.check_psd(2),
}


def pack_distance(writer: Writer, model: Any) -> dict[str, Any]:
    """Return the fitted attributes of a distance as JSON."""
    owner, names = type(model).__name__, KEPT[type(model)]
    of_batches = OF_BATCHES.get(type(model), ())
    names = (*names, *(name for name in of_batches if hasattr(model, name)))
    lacking = [name for name in ("codebook_", *names) if not hasattr(model, name)]
    if lacking:
        raise RefusedError(f"this {owner} lacks {lacking[0]}; call fit again")
    output = vars(model).get("_sklearn_output_config", {}).get("transform")
    return {
        "codebook_": writer.node(model.codebook_, f"codebook_ of {owner}"),
        "output": writer.node(output, f"the output of {owner}"),
        **{
            NAMES_IN_FILE.get(n, n): writer.node(getattr(model, n), f"{n} of {owner}")
            for n in names
        },
    }


def restore_distance(reader: Reader, payload: Any, model: Any) -> None:
    """Set the fitted attributes of a distance, after checking them."""
    names = KEPT[type(model)]
    if isinstance(payload, dict):
        of_batches = OF_BATCHES.get(type(model), ())
        names = (*names, *(name for name in of_batches if name in payload))
    in_file = {name: NAMES_IN_FILE.get(name, name) for name in names}
    wanted = {"codebook_", "output", *in_file.values()}
    if not isinstance(payload, dict) or set(payload) != wanted:
        raise RefusedError(f"{type(model).__name__} does not have its attributes")
    book = reader.value(payload["codebook_"])
    c.check_kind(Codebook)(book, "codebook_", book)
    for name in names:
        value = reader.value(payload[in_file[name]])
        check = METRICS[type(model)] if name == "metric_" else CHECKS[name]
        check(value, name, book)
        setattr(model, name, value)
    model.set_codebook(book)
    _set_output(model, payload["output"])
    if type(model) in CHECK_SHAPES:
        CHECK_SHAPES[type(model)](model)


def _set_output(model: Any, output: Any) -> None:
    if output is None:
        return
    if output not in ("default", "pandas", "polars"):
        raise RefusedError(
            f"the output of transform is {short_repr(output)} instead of 'default', "
            "'pandas' or 'polars'"
        )
    model.set_output(transform=output)


def _check_cpml(model: Any) -> None:
    """Refuse M of another size than projection and structure make."""
    tables, book = model.projection_.tables, model.codebook_
    c.check_rows_of_values(tables, "projection_", book, 3)
    channels = {table.shape[2] for table in tables}
    n_rows = sum(table.shape[1] for table in tables)
    shape = model.structure_.shape(n_rows, max(channels))
    if len(channels) > 1 or model.metric_.shape != (*shape, shape[1]):
        raise RefusedError("metric_ does not fit projection and structure")
    if model.spectrum_.shape != shape:
        raise RefusedError("spectrum_ does not fit metric_")
    if model.feature_relevance_.shape != (len(book.n_values),):
        raise RefusedError("feature_relevance_ does not have one share a column")
    counts = getattr(model, "class_count_", model.classes_)
    if len(counts) != len(model.classes_):
        raise RefusedError("class_count_ does not have one count a class")


def _check_reduced_metric(model: Any) -> None:
    """Refuse M over other directions than those of the coding."""
    coding = model.coding_
    c.check_rows_of_values(coding.tables, "coding_", model.codebook_, 2)
    widths = [table.shape[1] for table in coding.tables]
    bases = [c.reals(basis, "coding_", 2).shape[1] for basis in coding.bases]
    if widths != bases or model.reduced_metric_.shape != (sum(widths), sum(widths)):
        raise RefusedError("reduced_metric_ does not fit coding_")


def _check_landmarks(model: Any) -> None:
    """Refuse coefficients of other kernels than those with the landmarks."""
    choice(model, "kernel", KERNELS)
    tables = model.projection_.tables
    c.check_rows_of_values(tables, "projection_", model.codebook_, 3)
    if len({table.shape[2] for table in tables}) > 1:
        raise RefusedError("projection_ has tables of different channels")
    if model.components_.shape[1] != len(model.landmarks_) or not model.length_ > 0.0:
        raise RefusedError("components_ or length_ does not fit landmarks_")


def _check_histograms(model: Any) -> None:
    """Refuse histograms with negative shares."""
    if any((table < 0.0).any() for table in model.value_tables_.vectors):
        raise RefusedError("value_tables_ hold negative shares")


def _check_trees(model: Any) -> None:
    """Refuse nodes that ask for what is not there, or that lead back."""
    trees, book = model.trees_, model.codebook_
    n_nodes, size = len(trees.vectors), model.start_tables_.vectors[0].shape[1]
    for name in ("roots", "features", "left", "right"):
        numbers = getattr(trees, name)
        if getattr(numbers, "dtype", None) != np.intp or numbers.ndim != 1:
            raise RefusedError(f"{name} of trees_ is not a list of whole numbers")
    shapes = {len(part) for part in (trees.features, trees.left, trees.right)}
    sides = trees.goes_left
    if getattr(sides, "dtype", None) != np.bool_ or sides.ndim != 2:
        raise RefusedError("goes_left of trees_ is not a table of true and false")
    if c.reals(trees.vectors, "trees_", 2).shape[1] != size:
        raise RefusedError("trees_ and start_tables_ have vectors of different lengths")
    if shapes != {n_nodes} or sides.shape != (n_nodes, max(book.n_values) + 1):
        raise RefusedError("trees_ do not have one entry a node, or a side a value")
    is_node = (trees.roots >= 0) & (trees.roots < n_nodes)
    is_feature = (trees.features >= 0) & (trees.features < len(book.n_values))
    if not is_node.all() or not is_feature.all():
        raise RefusedError("trees_ name a node or a column that is not there")
    itself = np.arange(n_nodes)
    is_leaf = (trees.left == itself) & (trees.right == itself)
    follows = (np.minimum(trees.left, trees.right) > itself) & (
        np.maximum(trees.left, trees.right) < n_nodes
    )
    if not (is_leaf | follows).all():
        raise RefusedError("trees_ lead back, or to no node")


def _check_divisor(model: Any) -> None:
    """Refuse a mean over more than one for each value of each column."""
    if model.divisor_ > sum(model.codebook_.n_values):
        raise RefusedError("divisor_ is larger than the number of values")


def _check_indicators(model: Any) -> None:
    if model.n_features_out_ != sum(size + 1 for size in model.codebook_.n_values):
        raise RefusedError("n_features_out_ is not the number of values")


def _check_value_pairs(model: Any) -> None:
    """Refuse pairs of values that are not laid out as DM3 lays them out."""
    pairs, n_features = model.value_pairs_, len(model.codebook_.names_)
    for name in ("left", "right", "offsets", "widths"):
        if getattr(pairs, name).dtype != np.intp or getattr(pairs, name).ndim != 1:
            raise RefusedError(f"{name} of value_pairs_ is not a list of whole numbers")
    alone = pairs.left[pairs.left == pairs.right].tolist()
    if sorted(alone) != list(range(n_features)) or (pairs.left > pairs.right).any():
        raise RefusedError("value_pairs_ are not pairs of the columns")
    sizes = np.asarray(model.codebook_.n_values) + 1
    ends = np.cumsum(sizes[pairs.left] * sizes[pairs.right])
    laid = pairs.offsets.tolist() == [0, *ends[:-1].tolist()]
    if not laid or pairs.widths.tolist() != sizes[pairs.right].tolist():
        raise RefusedError("value_pairs_ do not fit the values of the columns")
    if c.reals(pairs.chances, "value_pairs_", 1).shape != (ends[-1],):
        raise RefusedError("value_pairs_ do not have one chance a pair of values")
    shapes = (
        model.dependence_.shape,
        model.mismatch_weights_.shape,
        model.match_weights_.shape,
    )
    if shapes != ((n_features, n_features), (n_features,), (n_features,)):
        raise RefusedError("dependence_ or weights do not have one entry a column")


CHECK_SHAPES: dict[type, Callable[[Any], None]] = {
    CPML: _check_cpml,
    **{kind: _check_divisor for kind, names in KEPT.items() if names == _MEAN},
    b.Hamming: _check_indicators,
    b.DM3: _check_value_pairs,
    b.KernelLMCA: _check_landmarks,
    b.Chi2LMNN: _check_histograms,
    b.GBLMNN: _check_trees,
    **dict.fromkeys((b.ITML, b.POLA, b.DMLEig, b.MMC), _check_reduced_metric),
}


def _pack_parts(kind: str, *names: str) -> Pack:
    """Return what packs an object as a node of this kind, with these attributes."""

    def pack(writer: Writer, value: Any, what: str) -> Any:
        parts = (getattr(value, name) for name in names)
        lists = [list(p) if isinstance(p, list | tuple) else p for p in parts]
        return {kind: writer.node(lists, what)}

    return pack


def _unpack_parts(cls: Any) -> Unpack:
    """Return what makes an object of this class of its attributes."""
    return lambda reader, payload: cls(*reader.value(list(payload)))


def _pack_projection(writer: Writer, value: TableProjection, what: str) -> Any:
    """Return the tables, whatever made them: a fitted projection only gathers rows."""
    return {"projection": writer.node(list(value.tables), what)}


def _unpack_projection(reader: Reader, payload: Any) -> TableProjection:
    projection = TableProjection()
    projection.tables = reader.value(list(payload))
    return projection


def _pack_structure(writer: Writer, value: Any, what: str) -> Any:
    names = {structure: name for name, structure in STRUCTURES.items()}
    return {"structure": names[type(value)]}


def _unpack_structure(reader: Reader, payload: Any) -> Any:
    return STRUCTURES[payload]()


def _pack_record(writer: Writer, value: Record, what: str) -> Any:
    return {"Record": writer.node(list(value), what)}


def _unpack_record(reader: Reader, payload: Any) -> Record:
    record = Record(*reader.value(list(payload)))
    if [type(number) for number in record] != [int, float, float, float]:
        raise RefusedError(
            "a record of history_ does not hold one whole number and three floats"
        )
    return record


PACKS: dict[type, Pack] = {
    ValueTables: _pack_parts("ValueTables", "vectors"),
    PairTables: _pack_parts("PairTables", "tables"),
    Coding: _pack_parts("Coding", "tables", "bases"),
    ValuePairs: _pack_parts(
        "ValuePairs", "left", "right", "offsets", "widths", "chances"
    ),
    CodeTrees: _pack_parts(
        "CodeTrees", "roots", "features", "goes_left", "left", "right", "vectors"
    ),
    Record: _pack_record,
    **dict.fromkeys(PROJECTIONS, _pack_projection),
    **dict.fromkeys(STRUCTURES.values(), _pack_structure),
}
UNPACKS: dict[str, Unpack] = {
    "ValueTables": _unpack_parts(ValueTables),
    "PairTables": _unpack_parts(PairTables),
    "Coding": _unpack_parts(Coding),
    "ValuePairs": _unpack_parts(ValuePairs),
    "CodeTrees": _unpack_parts(CodeTrees),
    "Record": _unpack_record,
    "projection": _unpack_projection,
    "structure": _unpack_structure,
}
