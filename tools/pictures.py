"""Draw the pictures of docs/choosing.md and docs/theory.md.

    python -m tools.pictures

Each takes seconds, and changes only if the results do.
"""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

import nearkind as nk

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
INK, WARM, COOL, PALE = "#1f2a30", "#d9541e", "#00796b", "#b9c4c2"
MILD = "#6fbfb3"
STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "figure.facecolor": "white",
    "savefig.dpi": 110,
}


def structures():
    """Draw what each structure can couple, for 3 features and 2 classes."""
    fig, axes = plt.subplots(1, 4, figsize=(7.2, 2.1))
    I2, D3, one = np.eye(2), np.eye(3), np.ones((3, 3))
    patterns = {
        "single": np.kron(I2, one),
        "multi": np.kron(np.diag([1, 2]), one),
        "diagonal": np.kron(I2, D3),
        "full": np.ones((6, 6)),
    }
    for ax, (name, pattern) in zip(axes, patterns.items(), strict=True):
        shown = np.where(pattern > 1, 0.6, pattern)
        ax.imshow(shown, cmap="GnBu", vmin=0, vmax=1.5)
        ax.set_xticks([2.5], [])
        ax.set_yticks([2.5], [])
        ax.axhline(2.5, color="white")
        ax.axvline(2.5, color="white")
        ax.set_title(name, family="monospace", fontsize=9)
    return fig


def projections():
    """Draw the accuracy of histograms and of one-hot rows where a rule decides."""
    data = nk.datasets.load("tic_tac_toe", as_frame=False)
    X, y = data.X, data.y
    fig, axes = plt.subplots(1, 2, figsize=(7.2, 2.7), sharey=True)
    for ax, name in zip(axes, ("vdm", "onehot"), strict=True):
        scores = [_score(X, y, projection=name, **kind) for kind in KINDS.values()]
        ax.barh(list(KINDS), scores, color=[PALE, MILD], height=0.55)
        for at, score in enumerate(scores):
            ax.text(
                score - 0.01, at, f"{score:.1%}", ha="right", va="center", color=INK
            )
        ax.set_title(f'projection="{name}"', family="monospace", fontsize=9)
        ax.set_xlim(0.5, 1.0)
        ax.set_xlabel("accuracy, tic_tac_toe")
    return fig


KINDS = {
    "triplets": {"constraints": "triplets", "max_iter": 1000},
    "neighbors": {"constraints": "neighbors", "structure": "full"},
}


def _score(X, y, **settings):
    X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    metric = nk.CPML(tol=5e-2, **settings)
    return nk.CPMLClassifier(metric).fit(X, y).score(X_test, y_test)


def exponents():
    """Draw the spectra at three p, on features of which half are noise."""
    data = nk.datasets.make_synthetic(300, 5, 3, 0.9, n_noisy=5, random_state=0)
    fig, axes = plt.subplots(1, 3, figsize=(7.2, 2.3), sharey=True)
    for ax, p in zip(axes, (1.0, 2.0, np.inf), strict=True):
        model = nk.CPML(p=p, strength="10%", tol=2e-2, max_iter=400)
        model.fit(data.X, data.y)
        share = model.spectrum_.ravel() / model.spectrum_.sum()
        ax.bar(np.arange(1, 11), share, color=COOL)
        ax.set_title(f"p = {p:g}, rank {model.rank_}", fontsize=9)
        ax.set_xlabel("eigenvalue")
        ax.set_xticks([1, 5, 10])
    axes[0].set_ylabel("share of the trace")
    return fig


def strengths():
    """Draw rank and accuracy along the strengths."""
    data = nk.datasets.load("balance", as_frame=False)
    X, X_test, y, y_test = train_test_split(data.X, data.y, random_state=0)
    shares, ranks, scores = [50, 30, 10, 3, 1, 0.3, 0.1], [], []
    for share in shares:
        metric = nk.CPML(strength=f"{share}%", tol=1e-2, max_iter=500)
        model = nk.CPMLClassifier(metric).fit(X, y)
        ranks.append(model.metric_.rank_)
        scores.append(model.score(X_test, y_test))
    fig, (left, right) = plt.subplots(1, 2, figsize=(7.2, 2.4))
    for ax, line, label in (
        (left, ranks, "rank of M"),
        (right, scores, "accuracy, balance"),
    ):
        ax.plot(shares, line, "o-", color=COOL)
        ax.set_xscale("log")
        ax.invert_xaxis()
        ax.set_xlabel("strength, % of strength_max_")
        ax.set_ylabel(label)
    return fig


def scopes():
    """Draw which rows each scope draws together, for a class in two pieces."""
    rng, turn = np.random.default_rng(3), np.arange(6) * np.pi / 3
    ring = np.vstack([[0, 0], 0.7 * np.column_stack([np.cos(turn), np.sin(turn)])])
    centres = {"a": [(0, 0), (4, 0)], "b": [(2, 0)]}
    fig, axes = plt.subplots(1, 3, figsize=(7.2, 1.5), sharex=True, sharey=True)
    points = {
        name: np.vstack([c + ring + rng.normal(0, 0.1, (7, 2)) for c in at])
        for name, at in centres.items()
    }
    titles = ('scope="all"', 'scope="local"', 'constraints="neighbors"')
    for ax, title in zip(axes, titles, strict=True):
        _pulls(ax, points["a"], title)
        for at, colour in zip(points.values(), (COOL, WARM), strict=True):
            ax.plot(*at.T, "o", color=colour, ms=4.5)
        ax.set_title(title, family="monospace", fontsize=9)
        ax.set_aspect("equal")
        ax.set_axis_off()
    return fig


def _pulls(ax, rows, title):
    """Draw lines from a row to all of its class, its nearest, or by probability."""
    anchor, others = rows[0], rows[1:]
    far = np.hypot(*(others - anchor).T)
    weights = {
        'scope="all"': np.full(len(far), 0.7),
        'scope="local"': np.where(np.argsort(np.argsort(far)) < 3, 0.9, 0.0),
        'constraints="neighbors"': np.exp(-(far**2)),
    }[title]
    for other, weight in zip(others, weights, strict=True):
        ax.plot(*zip(anchor, other, strict=True), color=INK, alpha=weight, lw=1)


def bound():
    """Draw Theorem 1 against p, printed and corrected, and Theorem 2 against n."""
    fig, (left, right) = plt.subplots(1, 2, figsize=(7.2, 2.8))
    p = np.concatenate([np.linspace(1, 1.999, 60), np.linspace(2, 8, 120)])
    for variant, colour in (("printed", WARM), ("corrected", COOL)):
        y = [nk.theory.rademacher_bound(q, 1000, 60, 1, variant) for q in p]
        y = np.where(np.isclose(p, 1.999), np.nan, y)
        left.plot(p, y, color=colour, label=variant)
    left.set_xlabel("p, with D = 60, n = 1,000, diameter 1")
    left.set_ylabel("bound on R")
    n = np.logspace(2, 7, 60)
    for q, colour in ((1, COOL), (3, INK), (np.inf, WARM)):
        y = [nk.theory.generalization_bound(q, m, 8, 2, 1, 0.05) for m in n]
        right.loglog(n, y, color=colour, label=f"p = {q:g}")
    right.axhline(1, color=PALE, ls="--")
    right.text(1.2e2, 0.03, "below the dashed line\nit is informative", fontsize=8)
    right.set_xlabel("n, with D = 8, diameter 2, strength 1, delta 0.05")
    right.set_ylabel("bound of Theorem 2")
    for ax in (left, right):
        ax.legend(frameon=False)
    return fig


PICTURES = {
    "choosing-projections": projections,
    "choosing-structures": structures,
    "choosing-scopes": scopes,
    "choosing-exponents": exponents,
    "choosing-strengths": strengths,
    "theory-bound": bound,
}

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    with plt.rc_context(STYLE):
        for name, draw in PICTURES.items():
            figure = draw()
            figure.tight_layout()
            figure.savefig(FOLDER / f"{name}.png", metadata={"Software": None})
            plt.close(figure)
