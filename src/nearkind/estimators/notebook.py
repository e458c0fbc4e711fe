"""HTML of fitted models for notebooks."""

import re
from html import escape
from typing import Any

import numpy as np

OUTPUT_FEATURES = re.compile(r"(?<=<div>)([\d,]+(?: of [\d,]+)?) features?(?=</div>)")
"""How scikit-learn's box counts the columns that ``transform`` makes."""
MOST_BARS = 10
"""Features that have a bar."""
CELL = "padding:1px 8px 1px 0;text-align:left;white-space:nowrap"
BAR = "display:inline-block;height:0.7em;background:currentColor;opacity:0.45"
WIDEST = 12.0
"""Width of the longest bar, in letters."""


def learned_html(model: Any) -> str:
    """Return what a fitted model has learned; nothing if its features have no share.

    Parameters
    ----------
    model : classifier or distance
        Fitted.
    """
    shares = getattr(model, "feature_relevance_", None)
    if shares is None:
        return ""
    names, order = model.codebook_.feature_names, np.argsort(-shares, kind="stable")
    most = float(np.abs(shares).max(initial=0.0)) or 1.0
    bars = [_bar(names[d], float(shares[d]), most) for d in order[:MOST_BARS]]
    n_more = len(order) - len(bars)
    more = f"<p>and {n_more} more</p>" if n_more else ""
    return (
        '<div style="margin:0.5em 0;font-size:0.9em">'
        f"{''.join(f'<p>{escape(line)}</p>' for line in _lines(model))}"
        f'<table style="font-size:inherit">{"".join(bars)}</table>{more}</div>'
    )


def _lines(model: Any) -> list[str]:
    """Return what is known beside the shares: accuracy, voters, what explains."""
    held = getattr(model, "held_accuracy_", None)
    right = [] if held is None else [f"cross-validated accuracy {held:.1%}"]
    committee = getattr(model, "committee_", None)
    n_columns = model.n_features_in_
    size = f"fitted to {n_columns:,} column{'' if n_columns == 1 else 's'}"
    if (n_rows := getattr(model, "n_samples_fit_", None)) is not None:
        size += f" of {n_rows:,} rows"
    if committee is None:
        return [size, "Share of each column in the distance between two rows"]
    voters = [voter.report.title for voter in committee.voters]
    together = [f"votes by {name}" for name in voters] if len(voters) > 1 else []
    shares = f"Share of each column in the distance, by {committee.explained_by}"
    return [size, *right, *together, shares]


def _bar(name: object, share: float, most: float) -> str:
    width = WIDEST * max(share, 0.0) / most
    return (
        f'<tr><th scope="row" style="{CELL}">{escape(str(name))}</th>'
        f'<td style="{CELL}">{share:.1%}</td><td style="{CELL}">'
        f'<span style="{BAR};width:{width:.2f}em"></span></td></tr>'
    )
