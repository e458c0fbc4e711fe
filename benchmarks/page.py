"""The report page: how large it is, and how soon it answers.

A quick model of each set, the page on all its rows, and in a browser: milliseconds to
the first answer, and of these those that the page was busy (the machine may be so with
other things); from a changed value to the new answer, 50th and 95th percentile of 40
changes; and until every single change was tried. Aims: below 10 MB, first answer within
1,000 ms.

``python -m benchmarks.page [SET ...]`` measures other sets.
"""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

import nearkind as nk
from benchmarks.harness import no_warnings, print_status, print_table, seconds_of
from benchmarks.sets import load
from nearkind.datasets.catalogue import NUMERIC
from nearkind.pages.data import ReportData
from nearkind.pages.page import page
from nearkind.pages.summary import summary

SETS = ["car", "audiology", "mushroom", "adult"]
COLUMNS = ("set", "rows", "columns", "votes of", "MB", "s to write")
COLUMNS += ("first answer", "busy", "change p50", "p95", "all changes")
CHANGE = """async () => {
  const fields = [...document.querySelectorAll('#explorer-form select')];
  const field = fields[Math.floor(Math.random() * fields.length)];
  const start = performance.now();
  field.selectedIndex = Math.floor(Math.random() * (field.options.length - 2));
  field.dispatchEvent(new Event('change'));
  document.body.offsetHeight;
  return performance.now() - start;
}"""
TRIED = """async () => {
  document.querySelector('#changes').replaceChildren();
  const start = performance.now();
  document.querySelector('#explorer-rows button').click();
  while (!document.querySelector('#changes h3')) await new Promise((go) => setTimeout(go, 5));
  return performance.now() - start;
}"""  # noqa: E501


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    sets = sys.argv[1:] if arguments is None else arguments
    with TemporaryDirectory() as folder:
        lines = [measure(name, Path(folder)) for name in sets or SETS]
    title = "The report page, times in ms: below 10 MB, first answer within 1,000"
    print_table(title, COLUMNS, lines)


def measure(name: str, folder: Path) -> list[str]:
    """Return the line of one set."""
    print_status(f"page: {name}")
    data = report_data(name)
    path = folder / f"{name}.html"
    seconds = seconds_of(lambda: path.write_text(page(summary(data)), "utf-8"))
    first, busy, changes, tried = times_in_browser(path)
    return [
        name,
        f"{len(data.codes):,}",
        str(data.codes.shape[1]),
        f"{len(data.view.voter.rows.codes):,}",
        f"{path.stat().st_size / 1e6:.2f}",
        f"{seconds:.1f}",
        *(
            f"{ms:.0f}"
            for ms in (first, busy, *np.percentile(changes, [50, 95]), tried)
        ),
    ]


def report_data(name: str) -> ReportData:
    """Learn quickly, and classify every row."""
    data = load(name)
    X = data.X.astype({column: float for column in NUMERIC.get(name, set())})
    metric = nk.CPML(constraints="neighbors", projection="onehot", max_iter=20)
    with no_warnings():
        model = nk.CPMLClassifier(metric).fit(X, data.y)
        y_pred = model.predict(X).tolist()
    cells = {column: X[column].astype(object).tolist() for column in X}
    relevance = model.feature_relevance_
    y_true = data.y.tolist()
    return ReportData(model, cells, relevance, name, name, y_pred, y_true, "class")


def times_in_browser(path: Path) -> tuple[float, float, list[float], float]:
    """Return ms to the first answer and busy until then, of 40 changes, of trials."""
    with sync_playwright() as playwright:
        chromium: Any = playwright.chromium
        browser = chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        tab = browser.new_page()
        session = tab.context.new_cdp_session(tab)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        tab.goto(path.as_uri())
        first = float(tab.evaluate("document.documentElement.dataset.ready"))
        busy = 1e3 * metrics(session)["TaskDuration"]
        changes = [tab.evaluate(CHANGE) for _ in range(40)]
        tried = tab.evaluate(TRIED)
        browser.close()
    return first, busy, changes, tried


def metrics(session: Any) -> dict[str, float]:
    """Return what the browser counted, seconds being those of its own thread."""
    found = session.send("Performance.getMetrics")["metrics"]
    return {each["name"]: each["value"] for each in found}


if __name__ == "__main__":
    main()
