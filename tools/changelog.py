"""Write CHANGELOG.md from the files in changelog.d, newest version first.

    python -m tools.changelog

A file is one sentence, named ``WHAT.KIND.md``. Those of a released version are in a
folder named after it; those in changelog.d itself belong to the version that
pyproject.toml names, which is not released yet.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "CHANGELOG.md"
HEADINGS = {"feature": "New", "change": "Changed", "fix": "Fixed"}
HEAD = (
    "# Changelog\n\n<!-- Made by `make changelog` from changelog.d; do not edit. -->\n"
)
UP = re.compile(r"(?<=\]\()(?:\.\./)+")  # links of a fragment start in its folder


def changelog(root: Path = ROOT) -> str:
    """Return the text of the page."""
    folder = root / "changelog.d"
    version = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    released = [path for path in folder.iterdir() if path.is_dir()]
    parts = [HEAD, *_section(f"{version} (not released yet)", folder)]
    for path in sorted(released, key=_numbers, reverse=True):
        parts += _section(path.name, path)
    return "\n".join(parts)


def _numbers(folder: Path) -> list[int]:
    return [int(number) for number in folder.name.split(".")]


def _section(title: str, folder: Path) -> Iterator[str]:
    """Yield the parts of one version, none if it has no fragments."""
    fragments = [path for path in sorted(folder.glob("*.md")) if path.stem != "README"]
    for path in fragments:
        if path.stem.rpartition(".")[2] not in HEADINGS:
            raise ValueError(
                f"{path.name}: name it WHAT.KIND.md with KIND one of {[*HEADINGS]}."
            )
    if fragments:
        yield f"## {title}\n"
    for kind, heading in HEADINGS.items():
        texts = [p.read_text() for p in fragments if p.stem.endswith(f".{kind}")]
        if texts:
            items = (f"- {UP.sub('', ' '.join(text.split()))}\n" for text in texts)
            yield f"### {heading}\n\n{''.join(items)}"


if __name__ == "__main__":
    PAGE.write_text(changelog())
