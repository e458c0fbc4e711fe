"""Draw the pictures of docs/gallery.md and of the README, from real data.

    NEARKIND_DATA=folder python -m tools.gallery [NAME ...]

The Python blocks of the page are run in their order. If a picture follows a block, it
is the figure of ``ax``. With names, only those pictures are written.
"""

import io
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "gallery.md"
PICTURES = ROOT / "docs" / "pictures"
BLOCK = re.compile(
    r"```python\n(.*?)```(?:\n\n!\[[^]]*\]\(pictures/([\w-]+)\.png\))?", re.S
)
DPI = 110
N_COLOURS = 200


def blocks(text):
    """Return the Python blocks of a page, each with the name of its picture or ''."""
    return BLOCK.findall(text)


def figures(text):
    """Run a page; yield name and figure of each picture, that of README last."""
    scope = {}
    for code, name in blocks(text):
        exec(compile(code, PAGE.name, "exec"), scope)
        if name:
            yield name, scope["ax"].figure
    yield "readme", readme(scope)


def save(figure, name):
    """Write a picture with a palette of few colours, a third of the size."""
    from PIL import Image

    whole = io.BytesIO()
    figure.savefig(whole, dpi=DPI)
    few = Image.open(whole).convert("RGB").quantize(N_COLOURS, dither=Image.Dither.NONE)
    few.save(PICTURES / f"{name}.png", optimize=True)


def readme(scope):
    """Return the figure of rows before and after learning, and of one column."""
    from matplotlib import pyplot

    import nearkind as nk

    figure = pyplot.figure(figsize=(1400 / DPI, 560 / DPI), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.1)
    grid = figure.add_gridspec(
        2, 2, width_ratios=[1.0, 1.05], height_ratios=[1.25, 1.0]
    )
    before = figure.add_subplot(grid[:, 0])
    after, smells = (figure.add_subplot(grid[k, 1]) for k in (0, 1))
    X, y, mushroom = scope["X"], scope["y"], scope["mushroom"]
    nk.plot.rows(nk.baselines.Hamming().fit(X), X, y, ax=before)
    nk.plot.rows(mushroom, X, y, ax=after)
    nk.plot.values(mushroom, "odor", ax=smells)
    before.title.set_text("8,124 mushrooms by Hamming distance")
    after.title.set_text("The same, by the learned distance")
    smells.title.set_text("Learned distances between smells")
    return figure


def main(names):
    import matplotlib
    from matplotlib import pyplot

    matplotlib.use("Agg")
    for name, figure in figures(PAGE.read_text()):
        if not names or name in names:
            save(figure, name)
        pyplot.close(figure)


if __name__ == "__main__":
    main(sys.argv[1:])
