"""Write the tutorials as notebooks, without outputs: ``python -m tools.notebooks``."""

import json
import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
TUTORIALS = ["tutorial", "tutorial-numbers"]
BLOCK = re.compile(r"```python\n(.*?)```\n?", re.S)
PROMPT = re.compile(r"^(?:>>>|\.\.\.) ?")


def notebook(page):
    """Return the notebook of a page: a cell of text or of code for each block.

    Examples
    --------
    >>> made = json.loads(notebook("# A page\\n\\n```python\\n>>> 1 + 1\\n2\\n```\\n"))
    >>> [(cell["cell_type"], cell["source"]) for cell in made["cells"]]
    [('markdown', '# A page'), ('code', '1 + 1')]
    """
    cells = []
    for number, part in enumerate(BLOCK.split(page)):
        text = part.strip()
        if number % 2:
            lines = [line for line in text.split("\n") if PROMPT.match(line)]
            text = "\n".join(PROMPT.sub("", line) for line in lines)
        kind = "code" if number % 2 else "markdown"
        cell = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        if text:
            cells.append(cell | {"source": text})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel}}
    return json.dumps(whole | {"nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def main():
    """Write all notebooks."""
    for name in TUTORIALS:
        page = (DOCS / f"{name}.md").read_text()
        (DOCS / "recipes" / f"{name}.ipynb").write_text(notebook(page))


if __name__ == "__main__":
    main()
