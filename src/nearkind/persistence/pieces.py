"""What distances are made of: tables of vectors, of pairs of values, records."""

from typing import Any

from nearkind.baselines.coded_rows import Coding
from nearkind.baselines.pair_tables import PairTables
from nearkind.baselines.value_pairs import ValuePairs
from nearkind.metrics.structures import Diagonal, Full, Multi, Single
from nearkind.metrics.value_tables import ValueTables
from nearkind.persistence.container import RefusedError
from nearkind.persistence.nodes import Pack, Reader, Unpack, Writer
from nearkind.projections.base import TableProjection
from nearkind.projections.concatenation import ChannelConcatenation, Concatenation
from nearkind.projections.cooccurrence import Cooccurrence
from nearkind.projections.coordinates import Coordinates
from nearkind.projections.onehot import OneHot
from nearkind.projections.vdm import VDM
from nearkind.solvers.solution import Record

_PROJECTIONS = (
    VDM, OneHot, Concatenation, Cooccurrence, ChannelConcatenation, Coordinates,
    TableProjection,
)  # fmt: skip
STRUCTURES = {kind.__name__: kind for kind in (Single, Multi, Diagonal, Full)}


def _of_parts(*names: str) -> Pack:
    """Return what packs an object of some sequences or arrays, kind its class."""

    def pack(writer: Writer, value: Any, what: str) -> Any:
        parts = (getattr(value, name) for name in names)
        lists = [list(p) if isinstance(p, list | tuple) else p for p in parts]
        return {type(value).__name__: writer.node(lists, what)}

    return pack


def _into(kind: Any) -> Unpack:
    """Return what makes an object of its parts again."""
    return lambda reader, payload: kind(*reader.value(list(payload)))


def _pack_projection(writer: Writer, value: TableProjection, what: str) -> Any:
    """Keep the tables, whatever made them: a fitted projection only gathers rows."""
    return {"projection": writer.node(list(value.tables), what)}


def _unpack_projection(reader: Reader, payload: Any) -> TableProjection:
    projection = TableProjection()
    projection.tables = reader.value(list(payload))
    return projection


def _pack_structure(writer: Writer, value: Any, what: str) -> Any:
    return {"structure": type(value).__name__}


def _unpack_structure(reader: Reader, payload: Any) -> Any:
    return STRUCTURES[payload]()


def _pack_record(writer: Writer, value: Record, what: str) -> Any:
    return {"Record": writer.node(list(value), what)}


def _unpack_record(reader: Reader, payload: Any) -> Record:
    record = Record(*reader.value(list(payload)))
    if [type(number) for number in record] != [int, float, float, float]:
        raise RefusedError("a record of a fit is not of numbers")
    return record


PACKS: dict[type, Pack] = {
    ValueTables: _of_parts("vectors"),
    PairTables: _of_parts("tables"),
    Coding: _of_parts("tables", "bases"),
    ValuePairs: _of_parts("left", "right", "offsets", "widths", "chances"),
    Record: _pack_record,
    **dict.fromkeys(_PROJECTIONS, _pack_projection),
    **dict.fromkeys(STRUCTURES.values(), _pack_structure),
}
UNPACKS: dict[str, Unpack] = {
    **{k.__name__: _into(k) for k in (ValueTables, PairTables, Coding, ValuePairs)},
    "Record": _unpack_record,
    "projection": _unpack_projection,
    "structure": _unpack_structure,
}
