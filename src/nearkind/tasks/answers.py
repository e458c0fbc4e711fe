"""A person's answers to questions about the rows of a table, as a JSON-able value."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from nearkind.errors import error_context
from nearkind.tables import FactorizedTable
from nearkind.validation.parameters import is_whole

FORMAT, VERSION = "nearkind answers", 1
CHOICES = {"first": 1.0, "neither": 0.5, "second": 0.0, "unsure": None}
"""Each choice, and how far it speaks for the first; None: it says nothing."""
KINDS = {"triplets": 3, "pairs": 2}
"""Each kind of question, and how many rows it compares."""


@dataclass(frozen=True)
class Answer:
    """One answer.

    Attributes
    ----------
    rows : tuple of int
        Of a triplet (i, j, k): is row i more like j, the first, or like k, the second?
        Of a pair (i, j): are they alike, the first, or different, the second?
    choice : {"first", "second", "neither", "unsure"}
    by : str, default=""
        Who answered, in one session.
    number : int, default=0
        Number of the answer in that session.
    """

    rows: tuple[int, ...]
    choice: str
    by: str = ""
    number: int = 0

    @property
    def value(self) -> float | None:
        """1 for first, 0 for second, 1/2 for neither, None for unsure."""
        return CHOICES[self.choice]

    @property
    def key(self) -> tuple[int, ...]:
        """The question whichever way round it is asked."""
        *anchor, last, other = self.rows
        return (*anchor, *sorted((last, other)))

    @property
    def turned(self) -> float | None:
        """The value for the question as ``key`` puts it."""
        is_turned = len(self.rows) == 3 and self.rows != self.key
        return 1.0 - self.value if is_turned and self.value is not None else self.value


def table_facts(table: FactorizedTable) -> dict[str, Any]:
    """Return what tells whether answers are about a table: columns, rows, fingerprint.

    Numbers are compared by value and rows in their order; columns may be in any order.

    Examples
    --------
    >>> from nearkind.tables import read_table
    >>> facts = table_facts(read_table({"size": [1, 2]}).factorize())
    >>> facts == table_facts(read_table({"size": [1.0, 2.0]}).factorize())
    True
    """
    digest, names = sha256(), [str(name) for name in table.names]
    for name, d in sorted(zip(names, range(len(names)), strict=True)):
        texts = [*map(_text, table.columns[d].values), ""]
        cells = [texts[code] for code in table.codes[:, d].tolist()]
        digest.update(json.dumps([name, cells]).encode())
    found = digest.hexdigest()[:16]
    return {"columns": names, "rows": table.n_rows, "fingerprint": found}


def _text(value: Any) -> str:
    is_whole_float = isinstance(value, float) and value.is_integer()
    return str(int(value) if is_whole_float else value)


def read_state(path: Path) -> Any:
    """Return the answers in a file as they are written there."""
    try:
        return json.loads(path.read_text("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"{str(path)!r} holds no whole file of answers ({error}). If it was cut "
            "off while it was copied or downloaded, copy it again."
        ) from None


def answers_in(state: Any, kind: str, facts: Mapping[str, Any]) -> list[Answer]:
    """Return the answers of a state about a table; raise ValueError if it has none.

    Parameters
    ----------
    state : dict
        What ``Questions.state`` returns.
    kind : str
    facts : dict
        Of the table, from ``table_facts``.
    """
    head = state if isinstance(state, Mapping) else {}
    if (head.get("format"), head.get("version")) != (FORMAT, VERSION):
        raise ValueError(
            "These are no answers to questions that this release can read: expected "
            "the value of Questions.state, or the file that `nearkind teach` or its "
            f"page writes, of version {VERSION}; got {state!r:.60}."
        )
    if state.get("kind") != kind:
        raise ValueError(
            f"The answers are about {state.get('kind')!r}; expected {kind!r}. Use "
            "Questions(kind=...) as when they were given."
        )
    _check_table(state.get("table"), facts)
    if not isinstance(listed := state.get("answers"), list):
        raise ValueError("The answers lack their list, 'answers'.")
    found = []
    for number, each in enumerate(listed):
        with error_context(f"answers[{number}]"):
            found.append(read_answer(each, kind, facts["rows"]))
    return found


def kind_of(state: object) -> str:
    """Return the kind of question that answers are about."""
    is_pairs = isinstance(state, Mapping) and state.get("kind") == "pairs"
    return "pairs" if is_pairs else "triplets"


def _check_table(told: object, facts: Mapping[str, Any]) -> None:
    told = told if isinstance(told, Mapping) else {}
    if told.get("fingerprint") == facts["fingerprint"]:
        return
    theirs, ours = told.get("columns"), facts["columns"]
    theirs = theirs if isinstance(theirs, list) else ours
    other = [repr(n) for n in [*theirs, *ours] if (n in theirs) != (n in ours)]
    why = "some cells differ, or the rows are in another order"
    if other:
        why = f"only one of the two has the columns {', '.join(other[:5])}"
    elif told.get("rows") != facts["rows"]:
        why = f"theirs has {told.get('rows')} rows, this one has {facts['rows']}"
    raise ValueError(
        f"The answers are about another table: {why}. Give the table that the "
        "questions were asked about, with the same columns left out."
    )


def read_answer(told: object, kind: str, n_rows: int) -> Answer:
    """Return an answer to a question about rows of a table; raise ValueError if none.

    Parameters
    ----------
    told : dict
        With the attributes of ``Answer``, rows as a list.
    kind : str
    n_rows : int
    """
    told = told if isinstance(told, Mapping) else {}
    rows, n = told.get("rows"), KINDS[kind]
    rows = rows if isinstance(rows, list) and all(map(is_whole, rows)) else []
    if len({row for row in rows if 0 <= row < n_rows}) < n or len(rows) != n:
        raise ValueError(
            f"expected {n} different row numbers from 0 to {n_rows - 1}; got "
            f"{told.get('rows')!r:.80}."
        )
    choice, number = told.get("choice"), told.get("number", 0)
    if choice not in [*CHOICES]:
        listed = ", ".join(map(repr, CHOICES))
        raise ValueError(f"The choice must be one of {listed}; got {choice!r:.40}.")
    if not is_whole(number):
        raise ValueError(f"number must be a whole number; got {number!r}.")
    return Answer(tuple(rows), choice, str(told.get("by", "")), number)


def consistency(answers: Iterable[Answer]) -> tuple[int, float | None]:
    """Return how often a question was asked again, and the share answered alike."""
    first: dict[Any, float | None] = {}
    said = [each for each in answers if each.turned is not None]
    before = [first.setdefault((each.by, each.key), each.turned) for each in said]
    n_repeated = len(said) - len(first)
    n_alike = sum(a == each.turned for a, each in zip(before, said, strict=True))
    return n_repeated, (n_alike - len(first)) / n_repeated if n_repeated else None


def contradictions(answers: list[Answer]) -> list[list[int]]:
    """Return groups of answers that no distance can satisfy together, by number.

    An answer to a triplet says which of two distances is smaller. Answers contradict
    each other where following them leads from a distance back to itself.

    Examples
    --------
    >>> given = [((0, 1, 2), "first"), ((2, 0, 1), "first"), ((1, 2, 0), "first")]
    >>> contradictions([Answer(*each) for each in given])
    [[0, 1, 2]]
    """
    said = [n for n, each in enumerate(answers) if each.value in (0.0, 1.0)]
    ends = [pair for n in said for pair in _near_and_far(answers[n])]
    places = {pair: at for at, pair in enumerate(dict.fromkeys(ends))}
    at = np.array([places[pair] for pair in ends], dtype=int)
    near, far = at[::2], at[1::2]
    graph = sparse.coo_array((np.ones(len(near)), (near, far)), (len(places) + 1,) * 2)
    labels = connected_components(graph, directed=True, connection="strong")[1]
    groups: dict[int, list[int]] = {}
    for number, a, b in zip(said, labels[near], labels[far], strict=True):
        if a == b:
            groups.setdefault(int(a), []).append(number)
    return sorted(groups.values())


def _near_and_far(answer: Answer) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return a smaller and a larger distance, or one and the limit of near rows."""
    i, *others = answer.rows
    pairs = [tuple(sorted((i, other))) for other in others]
    near, far = pairs if len(pairs) == 2 else (pairs[0], (*pairs[0], "limit"))
    return (near, far) if answer.value == 1.0 else (far, near)


def majority(answers: Iterable[Answer]) -> NDArray[np.intp]:
    """Return decided questions (m, n), the first chosen by most of their answers.

    Of a pair the last column is +1 if it was found alike and -1 if not.
    """
    votes: Counter[tuple[int, ...]] = Counter()
    for each in answers:
        if each.turned is not None:
            votes[each.key] += int(2.0 * each.turned) - 1
    rows = []
    for (first, *others), vote in votes.items():
        if vote:
            side = np.sign(vote).item()
            rows.append(
                (first, *others[::side]) if others[1:] else (first, *others, side)
            )
    return np.array(rows, dtype=np.intp).reshape(len(rows), 3)
