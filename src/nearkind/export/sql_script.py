"""SQL: a script of tables and views that embeds and classifies rows of a table.

Views lead from cells of the user's table, one a line, to each member's votes, and from
all votes to probabilities, to classes.
"""

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nearkind.errors import require_known
from nearkind.export.portable import PortableModel, numbered
from nearkind.export.sql_dialects import (
    DIALECTS,
    Dialect,
    identifier,
    number,
    optional,
    qualified,
)
from nearkind.export.sql_member import MemberScript, Statements
from nearkind.io.atomic_write import atomic_write
from nearkind.neighbors.voting import SHARE_TIE
from nearkind.voting.numbers import LogScale, NumberCommittee, QuantileScale

LEAST_POWER = 1e-300
"""Powers of shares below this one are zero; PostgreSQL refuses to compute them."""


def write(
    model: PortableModel,
    path: Path,
    dialect: str = "duckdb",
    table: str = "new_rows",
    key: str = "id",
    name: str | None = None,
) -> list[Path]:
    """Write a script that creates tables, and views on the rows of a table.

    Parameters
    ----------
    model : PortableModel
    path : Path
    dialect : {"duckdb", "postgres", "pgvector", "sqlite"}, default="duckdb"
    table : str, default="new_rows"
        Table whose rows are embedded and classified, its schema before a point; it must
        be there when the script is run.
    key : str, default="id"
        Column of it that tells rows apart; rows without a key, or with that of another,
        are left out.
    name : str, default=None
        Word with which all names begin that the script creates; None: as the file.
    """
    require_known(dialect, DIALECTS, f"There is no dialect {dialect!r}.")
    chosen, word = DIALECTS[dialect], path.stem if name is None else name
    size = max(member.size for member in model.members)
    if size > chosen.max_axes:
        raise ValueError(
            f"The vectors have {size:,} numbers, and a table holds at most "
            f"{chosen.max_axes:,} in dialect {dialect!r}. Fit with a larger strength, "
            "which shortens them, or export to JSON or ONNX."
        )
    script = Script(model, table, key, Statements(chosen, word))
    with atomic_write(path) as file:
        for statement in script.statements():
            file.write(f"{statement};\n".encode())
    return [path]


@dataclass(frozen=True)
class Script:
    """The statements for a model; what its members share, and theirs."""

    model: PortableModel
    table: str
    key: str
    create: Statements

    def statements(self) -> Iterator[str]:
        """Yield all statements."""
        yield f"{self._comment()}BEGIN"
        yield from self.create.dialect.head
        yield from self.cells()
        members = self._members()
        for member in members:
            yield from member.tables()
            yield from member.views()
        if self.model.labels:
            yield from self.classes([member.own.name("votes") for member in members])
        if self.model.numbers is not None:
            yield from self.numbers(self.model.numbers, members)
        yield "COMMIT"

    def _comment(self) -> str:
        """Return a comment on what to query."""
        what = "classes" if self.model.numbers is None else "numbers"
        view = json.dumps(f"{self.create.word}_{what}", ensure_ascii=False)
        predicts = self.model.labels or self.model.numbers
        query = f"-- Then query the view {view}.\n" if predicts else ""
        return f"-- A model of nearkind, to be run as a whole.\n{query}"

    def _members(self) -> list[MemberScript]:
        """Return the members; of several, each has a number in its names."""
        create, members, columns = self.create, self.model.members, self.model.columns
        words = numbered(create.word, len(members))
        return [
            MemberScript(columns, member, create.named(word), create)
            for member, word in zip(members, words, strict=True)
        ]

    def cells(self) -> Iterator[str]:
        """Yield statements for the columns, and the views of keys and of cells."""
        create, columns = self.create, self.model.columns
        yield from create.table(
            "columns",
            "column_number INTEGER PRIMARY KEY, name TEXT, keeps_blanks INTEGER, "
            "as_true TEXT, as_false TEXT",
            self._column_rows(),
        )
        table, key = qualified(self.table), f"t.{identifier(self.key)}"
        yield create.view(
            "keys",
            f"SELECT {key} AS key FROM {table} t WHERE {key} IS NOT NULL\n"
            f"GROUP BY {key} HAVING COUNT(*) < 2",
        )
        rows = f"{table} t JOIN {create.name('keys')} k ON k.key = {key}"
        quoted = [f"t.{identifier(name)}" for name in columns]
        query = create.dialect.cells(rows, quoted, create.name("columns"))
        yield create.view("cells", query)

    def _column_rows(self) -> Iterator[str]:
        """Yield what is known of each column, from the values of all its features."""
        members, write = self.model.members, self.create.dialect.text
        for at, name in enumerate(self.model.columns):
            features = [f for m in members for f in m.features if f.name == name]
            known = {value for f in features for _, value in f.known()}
            words = [optional(write, word) for word in boolean_words(known)]
            blanks = int(has_blanks_around(known))
            yield f"{at}, {write(name)}, {blanks}, {', '.join(words)}"

    def classes(self, votes: list[str]) -> Iterator[str]:
        """Yield statements for the labels, and the views of probabilities and classes.

        Classes without votes have a line of zero, added to those of each member.
        """
        create, labels = self.create, self.model.labels
        kind, literal = LABELS[type(labels[0])](create.dialect)
        known = self.model.calibration
        prior = np.zeros(len(labels)) if known is None else known.prior
        yield from create.table(
            "labels",
            f"class INTEGER PRIMARY KEY, label {kind}, prior DOUBLE PRECISION",
            (f"{c}, {literal(x)}, {number(prior[c])}" for c, x in enumerate(labels)),
        )
        pairs = zip(votes, self.model.voter_weights, strict=True)
        every = [
            f"SELECT key, class, {number(weight)} * share AS share FROM {view}"
            for view, weight in pairs
        ]
        every.append(
            f"SELECT k.key, l.class, 0.0e0 FROM {create.name('keys')} k "
            f"CROSS JOIN {create.name('labels')} l"
        )
        yield create.view(
            "probabilities",
            f"""SELECT a.key, a.class, l.label, {self._probability()} AS probability
FROM (
SELECT key, class, SUM(share) AS share FROM (
{" UNION ALL ".join(every)}
) v GROUP BY key, class
) a JOIN {create.name("labels")} l ON l.class = a.class""",
        )
        yield create.view(
            "classes",
            f"""SELECT key, label, probability FROM (
SELECT *, ROW_NUMBER() OVER (PARTITION BY key ORDER BY class) AS place FROM (
SELECT *, MAX(probability) OVER (PARTITION BY key) AS best
FROM {create.name("probabilities")}
) a WHERE probability >= best - {number(SHARE_TIE)} ) b WHERE place = 1""",
        )

    def numbers(
        self, committee: NumberCommittee, members: list[MemberScript]
    ) -> Iterator[str]:
        """Yield statements for the view of numbers.

        The scale of the target is inverted by pieces, number + slope * (t - low), or by
        one expression.
        """
        create, scale = self.create, committee.scale
        terms = [term for member in members for term in member.terms()]
        low, high = number(committee.low), number(committee.high)
        t = f"CASE WHEN t < {low} THEN {low} WHEN t > {high} THEN {high} ELSE t END"
        rows = f"""(SELECT key, {t} AS t FROM (
SELECT key, SUM(t) / {number(len(members))} AS t FROM (
{" UNION ALL ".join(terms)}
) a GROUP BY key ) b ) c"""
        if isinstance(scale, QuantileScale):
            slopes = np.diff(scale.numbers) / np.diff(scale.scores)
            yield from create.table(
                "scale",
                "low DOUBLE PRECISION, high DOUBLE PRECISION, number DOUBLE PRECISION, "
                "slope DOUBLE PRECISION",
                (
                    f"{number(a)}, {optional(number, b)}, {number(y)}, {number(slope)}"
                    for a, b, y, slope in zip(
                        scale.scores,
                        [*scale.scores[1:], None],
                        scale.numbers,
                        [*slopes, 0.0],
                        strict=True,
                    )
                ),
            )
            rows += (
                f" JOIN {create.name('scale')} s "
                "ON c.t >= s.low AND (s.high IS NULL OR c.t < s.high)"
            )
            inverse = "s.number + s.slope * (c.t - s.low)"
        elif isinstance(scale, LogScale):
            inverse = f"EXP(c.t) - {number(scale.shift)}"
        else:
            inverse = f"c.t * {number(scale.unit)} + {number(scale.centre)}"
        yield create.view("numbers", f"SELECT c.key, {inverse} AS number FROM {rows}")

    def _probability(self) -> str:
        """Return a probability, from the mean share of a class."""
        known = self.model.calibration
        if known is None:
            return "a.share"
        sharpness, prior_share = known.sharpness, known.prior_share
        least = LEAST_POWER ** (1.0 / max(sharpness, 1.0))
        power = (
            f"CASE WHEN a.share > {number(least)} "
            f"THEN POWER(a.share, {number(sharpness)}) ELSE 0.0e0 END"
        )
        return (
            f"{number(1.0 - prior_share)} * {power}\n"
            f"    / SUM({power}) OVER (PARTITION BY a.key) "
            f"+ {number(prior_share)} * l.prior"
        )


LABELS: dict[type, Callable[[Dialect], tuple[str, Callable[[Any], str]]]] = {
    str: lambda dialect: ("TEXT", dialect.text),
    bool: lambda dialect: ("BOOLEAN", lambda label: str(label).upper()),
    int: lambda dialect: ("BIGINT", str),
    float: lambda dialect: ("DOUBLE PRECISION", number),
}
"""Type of the labels -> its name in SQL, and what writes one."""


def boolean_words(known: Collection[object]) -> list[str | None]:
    """Return the texts that true and false are, None where they are numbers.

    Databases read the words of a CSV file as booleans.

    Examples
    --------
    >>> boolean_words({"True", "False", "yes"}), boolean_words({"true", "TRUE", 1})
    (['True', 'False'], [None, None])
    """
    texts = [value for value in known if isinstance(value, str)]
    found = [[x for x in texts if x.lower() == word] for word in ("true", "false")]
    has_numbers = len(texts) < len(known)
    return [None if has_numbers or len(words) != 1 else words[0] for words in found]


def has_blanks_around(known: Collection[object]) -> bool:
    """Return whether a text has blanks around it or is empty, so that all keep theirs.

    Examples
    --------
    >>> has_blanks_around({"a b", 1}), has_blanks_around({" a", "a"})
    (False, True)
    """
    texts = [value for value in known if isinstance(value, str)]
    return any(text != text.strip() for text in texts)
