"""What stands below a table: from which rows, settings and versions it was made."""

from collections import Counter
from collections.abc import Iterable, Sequence

from nearkind.experiments.rows import Row

CONVERGED = "TOLERANCE", "SETTLED"


def provenance(rows: Sequence[Row]) -> str:
    """Return one line: designs, how fits ended, the largest gap, versions.

    Examples
    --------
    >>> row = Row("zoo", "cpml-s", 0, "shares, k=1", 7, stops={"TOLERANCE": 5},
    ...           largest_gap=0.0008, versions={"nearkind": "1.0"})
    >>> for sentence in provenance([row]).split(". "):
    ...     print(sentence)
    Made from 1 row (1 done), 1 repetition; shares, k=1
    Fits of cpml-s: 5 TOLERANCE; largest proven gap 0.08 %
    nearkind 1.0.
    """
    done = [row for row in rows if row.is_done]
    counts = {row.repetition for row in rows}
    designs = sorted({row.design for row in rows})
    parts = [
        f"Made from {_number(len(rows), 'row')} ({len(done):,} done), "
        f"{_number(len(counts), 'repetition')}; {'; '.join(designs)}.",
        *_endings(done),
    ]
    known = known_versions(done).items()
    told = ", ".join(f"{name} {' and '.join(each)}" for name, each in known)
    return " ".join([*parts, f"{told}."] if told else parts)


def is_converged(row: Row) -> bool:
    """Return whether the chosen fit came to its tolerance, or states no reason."""
    return row.stop_reason is None or row.stop_reason in CONVERGED


def _endings(rows: Sequence[Row]) -> list[str]:
    """Return, for each method that states it, how its fits ended."""
    lines = []
    for method in dict.fromkeys(row.method for row in rows):
        mine = [row for row in rows if row.method == method]
        stops: Counter[str] = Counter()
        for row in mine:
            stops.update(row.stops or {})
        if not stops:
            continue
        gaps = [row.largest_gap for row in mine if row.largest_gap is not None]
        words = ", ".join(f"{n:,} {reason}" for reason, n in stops.most_common())
        proof = f"; largest proven gap {100 * max(gaps):.2g} %" if gaps else ""
        lines.append(f"Fits of {method}: {words}{proof}.")
    return lines


def known_versions(rows: Iterable[Row]) -> dict[str, list[str]]:
    """Return all versions that made the rows, by package."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        for name, version in (row.versions or {}).items():
            found.setdefault(name, {})[version] = None
    return {name: [*versions] for name, versions in found.items()}


def _number(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"
