"""Pages in a real browser, used as a person would."""

import shutil
import warnings
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

import nearkind as nk
from nearkind.errors import UnseenValueWarning
from nearkind.export.portable_features import as_text
from nearkind.model_view import ModelView
from nearkind.pages.data import ReportData
from nearkind.pages.page import page
from nearkind.pages.summary import summary
from nearkind.tables.values import plain
from nearkind.voting.explanation import deciding_rows

NAMES = "chromium", "chromium-browser", "google-chrome"
STRANGE = "never seen before"


@contextmanager
def opened_browser():
    """Start the system's browser, or skip with a reason."""
    sync_api = pytest.importorskip("playwright.sync_api")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"no browser; install one of {', '.join(NAMES)}")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox"]
        )
        yield browser
        browser.close()


def report_data(model, X, y=None, **named):
    """Return what the command line makes of a model and a frame."""
    columns = {name: X[name].astype(object).tolist() for name in X}
    cells = {name: [plain(c) for c in cells] for name, cells in columns.items()}
    view = ModelView(model)
    y_pred = model.predict(cells).tolist() if view.committee else None
    y_true = None if y is None else list(y)
    shares = np.full(X.shape[1], 1 / X.shape[1])
    if view.report.method == "CPML":
        shares = view.relevance(cells)
    target = None if y is None else "class"
    return ReportData(
        model, cells, shares, y_pred=y_pred, y_true=y_true, target=target, **named
    )


def committee(X, y, *members):
    """Return a search whose members are these, fitted."""
    model = nk.CPMLClassifierCV([nk.baselines.Hamming()], cv=2).fit(X, y)
    voters = tuple(member.fit(X, y).committee_.voters[0] for member in members)
    model.committee_ = replace(model.committee_, voters=voters)
    return model


class Visit:
    """A page that is open; it must not complain in the console."""

    def __init__(self, browser, path, **context):
        self.context = browser.new_context(reduced_motion="reduce", **context)
        self.page = self.context.new_page()
        self.page.set_default_timeout(5_000)
        self.complaints = []
        self.page.on("console", lambda line: self.complaints.append(line.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.goto(path.as_uri())

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.context.close()
        if kind is None:
            assert self.complaints == []

    def text(self, selector):
        return self.page.inner_text(selector)

    def said(self):
        return self.page.get_attribute("#said", "data-class")

    def shares(self):
        """Return the votes shown, by class."""
        lines = self.page.eval_on_selector_all(
            "#answer tbody tr",
            "all => all.map(line => [line.children[0].innerText, "
            "line.children[1].innerText])",
        )
        return {name: float(share.rstrip("%")) / 100 for name, share in lines}

    def neighbours(self):
        """Return the lines shown: row numbers, how many rows, distance."""
        return self.page.eval_on_selector_all(
            "#neighbours tbody tr",
            "all => all.map(line => [line.dataset.rows.split(' ').map(Number), "
            "Number(line.dataset.count), Number(line.dataset.distance)])",
        )

    def pick(self, number):
        self.page.fill("#row-number", str(number))
        self.page.press("#row-number", "Enter")

    def set(self, d, value):
        """Change a field as a person does; None is missing, STRANGE never seen."""
        field = self.page.locator(f"#field-{d}")
        if field.evaluate("field => field.tagName") == "INPUT":
            field.fill("" if value is None else str(value))
            return
        special = {None: "missing", STRANGE: "unseen"}
        if value in special:
            field.select_option(value=special[value])
        else:
            field.select_option(label=as_text(value))


def visited(browser, folder, data, **context):
    """Write the page of a model and a table, and open it."""
    path = folder / "report.html"
    path.write_text(page(summary(data)), "utf-8")
    return Visit(browser, path, **context)


def asked(model, row):
    """Return class, votes, distances and rows that Python says of a dict of cells."""
    table = [row]
    k = ModelView(model).voter.rule.n_neighbors
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenValueWarning)
        said = str(model.predict(table)[0])
        shares = dict(zip(map(str, model.classes_), model.predict_proba(table)[0],
                          strict=True))  # fmt: skip
        distances, rows = model.kneighbors(table, k)
    return said, shares, distances[0], rows[0]


def assert_agrees(visit, model, row):
    """Compare class, votes and neighbours of the page with those of Python."""
    said, shares, distances, rows = asked(model, row)
    assert visit.said() == said, row
    shown = visit.shares()
    for name, share in shares.items():
        assert abs(shown.get(name, 0.0) - share) < 6e-4, (row, name)
    lines = visit.neighbours()
    if len(model.committee_.voters) > 1:  # those with the largest votes of all voters
        first = deciding_rows(model.committee_, [row], 1)["row"][0]
        assert any(first in numbers for numbers, *_ in lines), (row, first)
        return
    found = np.sort(np.repeat([d for *_, d in lines], [int(n) for _, n, _ in lines]))
    np.testing.assert_allclose(found[: len(distances)], distances, atol=1e-6, rtol=1e-6)
    assert set(rows.tolist()) <= {number for numbers, *_ in lines for number in numbers}


def edits(X, n, seed=0, numbers=()):
    """Draw rows and changes: (row number, column, new cell or None or STRANGE)."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        d = int(rng.integers(X.shape[1]))
        cells = X.iloc[:, d]
        value = plain(cells.iloc[int(rng.integers(len(X)))])
        if X.columns[d] in numbers:
            value = round(float(rng.normal(cells.mean(), 2 * cells.std())), 3)
        draw = rng.random()
        special = None if draw < 0.1 else STRANGE
        is_special = draw < 0.2 and not (special and X.columns[d] in numbers)
        yield int(rng.integers(len(X))), d, special if is_special else value


def assert_edits_agree(visit, model, X, n, **drawn):
    """Make random edits, most of them on top of others, and compare each time."""
    row = None
    for i, (number, d, value) in enumerate(edits(X, n, **drawn)):
        if i % 4 == 0:
            visit.pick(number)
            row = {name: plain(cell) for name, cell in X.iloc[number].items()}
        visit.set(d, value)
        row[X.columns[d]] = value
        assert_agrees(visit, model, row)
