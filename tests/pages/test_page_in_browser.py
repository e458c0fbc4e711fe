"""The page in a browser: it answers as Python does, whatever a person changes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import nearkind as nk
from helpers.browsing import (
    Visit,
    assert_agrees,
    assert_edits_agree,
    committee,
    opened_browser,
    report_data,
    visited,
)
from helpers.real_files import real_file
from nearkind.baselines import Hamming

KINDS = [
    ["dm3", "hamming", "vdm", "goodall3"],
    ["lin", "smirnov", "anderberg", "euclidean", "hdml"],
    ["lin", "smirnov", "anderberg", "euclidean", "chi2_lmnn"],
]
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::nearkind.errors.UnseenValueWarning",
)


def quick(n_neighbors=5, weights="uniform", **settings):
    metric = nk.CPML(
        constraints="neighbors", projection="onehot", max_iter=10, **settings
    )
    return nk.CPMLClassifier(metric, n_neighbors=n_neighbors, weights=weights)


def car(n_rows=600):
    data = pd.read_csv(real_file("car"), dtype=str)
    data = data.sample(n_rows, random_state=0).reset_index(drop=True)
    return data.drop(columns="class"), data["class"]


def mixed(n_rows=160, seed=0):
    """Numbers that are cut into ranges, few numbers, booleans, words, and gaps."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n_rows)
    X = pd.DataFrame(
        {
            "height": np.round(rng.normal(10.0 * y, 8.0), 2),
            "count": (rng.integers(0, 4, n_rows) + y).astype(float),
            "flag": np.where(y + (rng.random(n_rows) < 0.2) > 1, "yes", "no"),
            "colour": rng.choice(["赤", "青", "🙂"], n_rows),
        }
    )
    X.loc[rng.choice(n_rows, 9, replace=False), ["height", "colour"]] = None
    return X.astype({"colour": object}), np.array(["ham", "egg", "jam"])[y]


@pytest.fixture(scope="module")
def browser():
    with opened_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def car_page(browser, tmp_path_factory):
    X, y = car()
    model = quick().fit(X, y)
    folder = tmp_path_factory.mktemp("car")
    visited(browser, folder, report_data(model, X, y)).context.close()
    return folder / "report.html", model, X


def test_fifty_edits_of_car(browser, car_page):
    path, model, X = car_page
    with Visit(browser, path) as visit:
        assert_edits_agree(visit, model, X, 50)


@pytest.mark.slow
def test_fifty_edits_of_a_mixed_table_by_three_voters(browser, tmp_path):
    X, y = mixed()
    model = committee(
        X, y,
        nk.CPMLClassifier(Hamming(), n_neighbors=4), quick(3, "distance"),
        quick(7, structure="full"),
    )  # fmt: skip
    with visited(browser, tmp_path, report_data(model, X, y)) as visit:
        assert_edits_agree(visit, model, X, 50, numbers=["height"])
        visit.page.click("#model summary")
        assert "the best learned one of 3 distances" in visit.text("#model")


@pytest.mark.slow
def test_forest_neighbours_vote_with_their_weight(browser, tmp_path):
    X, y = mixed()
    forest = nk.CPMLClassifier(nk.baselines.ForestNeighbors(40), weights="soft")
    model = committee(X, y, forest, nk.CPMLClassifier("euclidean", weights="soft"))
    weights = np.array([0.7, 0.3])
    model.committee_ = replace(model.committee_, weights=weights)
    with visited(browser, tmp_path, report_data(model, X, y)) as visit:
        assert_edits_agree(visit, model, X, 25, numbers=["height"])
        visit.page.click("#model summary")
        assert "70% of the votes" in visit.text("#model")
        visit.pick(7)
        visit.page.wait_for_selector("#contributions tbody")
        lines = visit.page.locator("#contributions tbody tr .number").all_inner_texts()
        found = [float(text.replace("\N{MINUS SIGN}", "-")) for text in lines]
        wanted = model.explain_rows(X.iloc[[7]])[list(X)].iloc[0]
        assert np.allclose(sorted(found), sorted(100.0 * wanted), atol=0.06)


@pytest.mark.slow
def test_crosses_follow_the_cells(browser, tmp_path):
    X, y = mixed()
    pairs = [("flag", "height"), ("colour", "count"), ("count", "height")]
    voters = quick(3, crosses=pairs), quick(4), quick(5, crosses=pairs[:1])
    model = committee(X, y, *voters)
    with visited(browser, tmp_path, report_data(model, X, y)) as visit:
        assert_edits_agree(visit, model, X, 30, numbers=["height"])
        assert visit.page.locator("#explorer-fields label").count() == 4
        assert "4 columns" in visit.text("#summary")
        names = visit.page.locator("#values-column option").all_inner_texts()
        assert {"flag x height", "colour x count"} <= set(names)
        visit.page.select_option("#values-column", label="colour x count")
        assert "赤 x 0" in visit.text("#values-nearest")


@pytest.mark.slow
@pytest.mark.parametrize("kinds", KINDS, ids=lambda kinds: kinds[0])
def test_every_kind_of_distance(browser, tmp_path, kinds):
    X, y = mixed(60)
    distances = (nk.baselines.all()[kind]() for kind in kinds)
    voters = [
        nk.CPMLClassifier(distance, n_neighbors=3, weights="distance")
        for distance in distances
    ]
    model = committee(X, y, *voters)
    with visited(browser, tmp_path, report_data(model, X, y)) as visit:
        assert_edits_agree(visit, model, X, 10, numbers=["height"])


@pytest.mark.slow
def test_a_person_picks_a_row_by_mouse_and_by_keyboard(browser, car_page):
    path, model, X = car_page
    with Visit(browser, path) as visit:
        number = hovered(visit)
        visit.page.mouse.down()
        visit.page.mouse.up()
        assert visit.page.input_value("#row-number") == str(number)
        assert_agrees(visit, model, X.iloc[number].to_dict())
        visit.page.focus("#rows-map")
        visit.page.keyboard.press("ArrowRight")
        visit.page.keyboard.press("ArrowDown")
        spoken = visit.page.inner_text("#rows-said")
        visit.page.keyboard.press("Enter")
        assert spoken.startswith(f"Row {visit.page.input_value('#row-number')},")


def hovered(visit):
    """Move over the map until a row is told; return its number."""
    canvas = visit.page.locator("#rows-map")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    for step in range(40):
        visit.page.mouse.move(
            box["x"] + box["width"] * (0.2 + 0.015 * step),
            box["y"] + box["height"] / 2,
        )
        if visit.page.is_visible("#rows-tip"):
            return int(visit.text("#rows-tip strong").removeprefix("Row "))
    return None


def picture(visit):
    """Return the map as it is drawn by the frame after the next."""
    frames = (
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    map_url = "document.querySelector('#rows-map').toDataURL()"
    return visit.page.evaluate(f"{frames}.then(() => {map_url})")


@pytest.mark.slow
def test_the_map_zooms_and_hides_classes(browser, car_page):
    path, *_ = car_page
    with Visit(browser, path) as visit:
        visit.page.click("#zoom-all")
        whole = picture(visit)
        visit.page.click("#zoom-in")
        assert picture(visit) != whole
        visit.page.click("#zoom-all")
        assert picture(visit) == whole
        visit.page.locator("#rows-map").hover()
        visit.page.mouse.wheel(0, -300)
        visit.page.mouse.move(0, 0)
        assert picture(visit) != whole
        for chip in visit.page.locator("#rows-legend .chip").all()[:-1]:
            chip.click()
            assert chip.get_attribute("aria-pressed") == "false"
        assert hovered(visit) is None


@pytest.mark.slow
def test_a_suggested_change_does_what_it_says(browser, car_page):
    path, model, X = car_page
    with Visit(browser, path) as visit:
        for number in range(40):
            visit.pick(number)
            before = visit.said()
            visit.page.wait_for_selector("#changes h3")
            suggestions = visit.page.locator("#changes li")
            if suggestions.count():
                break
            visit.page.evaluate("document.querySelector('#changes').replaceChildren()")
        said = suggestions.first.inner_text()
        suggestions.first.locator("button").click()
        assert visit.said() != before
        assert visit.said() in said
        name, value = said.split(" gives ")[0].split(": ")
        assert_agrees(visit, model, {**X.iloc[number].to_dict(), name: value})
        assert "with 1 value changed" in visit.text("#answer")
        visit.page.click("#undo")
        assert visit.said() == before


@pytest.mark.slow
def test_several_values_are_suggested_where_one_is_not_enough(browser, tmp_path):
    cells = [[a, b, c, d] for a in "01" for b in "01" for c in "01" for d in "01"]
    X = pd.DataFrame(cells, columns=["<b>", "b", "c", "d"])
    y = np.where(X[["<b>", "b", "c"]].eq("1").sum(axis=1) >= 2, "many", "few")
    model = nk.CPMLClassifier(Hamming(), n_neighbors=1).fit(X, y)
    with visited(browser, tmp_path, report_data(model, X, y)) as visit:
        visit.pick(0)
        visit.page.wait_for_selector("#changes li")
        said = visit.text("#changes")
        assert "It takes 2 changes of values; fewer are not enough." in said
        change = nk.nearest_change(model, X.iloc[0].to_dict())
        assert change.n_changes == 2
        visit.page.locator("#changes li button").first.click()
        assert visit.said() == "many"
        assert "with 2 values changed" in visit.text("#answer")


@pytest.mark.slow
def test_training_rows_show_the_way_where_there_is_too_much_to_try(browser, tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat(["p", "q"], 40)
    flips = rng.random((80, 12)) < 0.1
    values = np.where(np.where(y == "p", 0, 1)[:, None] ^ flips, "v1", "v0")
    values = np.where(rng.random((80, 12)) < 0.2, "v2", values)
    X = pd.DataFrame(values, columns=[f"c{d}" for d in range(12)])
    model = nk.CPMLClassifier(Hamming(), n_neighbors=9).fit(X, y)
    with visited(browser, tmp_path, report_data(model, X, y)) as visit:
        for number in (0, 1, 45):
            visit.pick(number)
            before = visit.said()
            visit.page.wait_for_selector("#changes li", timeout=20_000)
            said = visit.text("#changes .note")
            fewest = nk.nearest_change(model, X.iloc[number].to_dict()).n_changes
            visit.page.locator("#changes li button").first.click()
            assert visit.said() != before
            n_changed = int(visit.text("#answer").split(" with ")[1].split()[0])
            assert n_changed == fewest if "no fewer" in said else n_changed >= fewest
            assert_agrees(visit, model, visit_row(visit, X))


def visit_row(visit, X):
    """Return the cells that the form shows."""
    return {
        name: visit.page.locator(f"#field-{d} option:checked").inner_text()
        for d, name in enumerate(X)
    }


def test_contributions_to_a_prediction_are_those_of_python(browser, car_page):
    path, model, X = car_page
    with Visit(browser, path) as visit:
        visit.pick(7)
        visit.page.wait_for_selector("#contributions tbody")
        lines = visit.page.locator("#contributions tbody tr").all()
        shown = {
            line.locator("th span").first.text_content().split(" ")[0]: float(
                line.locator(".number").inner_text().replace("\N{MINUS SIGN}", "-")
            )
            for line in lines
        }
        wanted = model.explain_rows(X.iloc[[7]])[list(X)].iloc[0]
        assert set(shown) == set(X)
        for name, part in shown.items():
            assert abs(part - 100 * wanted[name]) < 0.06


@pytest.mark.slow
def test_contributions_are_those_of_explain(browser, car_page):
    path, model, X = car_page
    with Visit(browser, path) as visit:
        visit.pick(3)
        line = visit.page.locator("#neighbours tbody tr").nth(3)
        line.locator("button").click()
        other = int(line.get_attribute("data-rows").split()[0])
        parts = model.distance_.explain(X.iloc[[3]], X.iloc[[other]])
        expected = [part for part in parts["contribution"] if part != 0]
        shown = visit.page.locator("#why tbody .number").all_inner_texts()
        numbers = [float(text.replace("\N{MINUS SIGN}", "-")) for text in shown]
        np.testing.assert_allclose(numbers, expected, atol=1e-4)


@pytest.mark.slow
def test_a_confusion_leads_to_its_rows(browser, car_page):
    path, model, X = car_page
    with Visit(browser, path) as visit:
        cell = visit.page.locator("#confusions-table td.wrong button").first
        cell.click()
        count = int(cell.inner_text())
        rows = visit.page.locator("#confusions-rows li button")
        assert rows.count() == count
        number = int(rows.first.inner_text().removeprefix("Row "))
        rows.first.click()
        assert visit.page.input_value("#row-number") == str(number)
        said = model.predict(X.iloc[[number]])[0]
        assert cell.get_attribute("aria-label").endswith(f"predicted as {said}")


@pytest.mark.slow
def test_rows_held_out_by_a_search_have_a_matrix_of_their_own(browser, tmp_path):
    X, y = car(200)
    model = nk.CPMLClassifierCV([Hamming()], cv=2, max_members=1).fit(X, y)
    with visited(browser, tmp_path, report_data(model, X, y)) as visit:
        cells = visit.page.locator("#confusions-held td.right").all_inner_texts()
        assert sum(map(int, cells)) == np.trace(model.confusion_)


@pytest.mark.slow
def test_distances_of_values_are_those_of_the_model(browser, car_page):
    path, model, _ = car_page
    with Visit(browser, path) as visit:
        visit.page.select_option("#values-column", label="persons")
        visit.page.click("#values-details summary")
        table = model.distance_.value_distances("persons")
        heads = visit.page.locator("#values-table thead th").all_inner_texts()
        numbers = visit.page.locator("#values-table tbody td").all_inner_texts()
        expected = table.loc[heads, heads].to_numpy().ravel()
        np.testing.assert_allclose([float(n) for n in numbers], expected, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_stands_in_the_way_of_anybody(browser, car_page, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    path, *_ = car_page
    with Visit(browser, path, color_scheme=scheme) as visit:
        visit.page.click("#values-details summary")
        visit.page.locator("#confusions-table td.wrong button").first.click()
        visit.page.wait_for_selector("#changes h3")
        found = axe.Axe().run(visit.page)
        assert found.violations_count == 0, found.generate_report()


@pytest.mark.slow
def test_a_narrow_screen_shows_all_without_sideways_scrolling(browser, car_page):
    path, model, X = car_page
    narrow = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
    with Visit(browser, path, **narrow) as visit:
        assert visit.page.evaluate("document.documentElement.scrollWidth") == 360
        assert_edits_agree(visit, model, X, 4)


@pytest.mark.slow
def test_colours_follow_the_button(browser, car_page):
    path, *_ = car_page
    paper = "getComputedStyle(document.body).backgroundColor"
    with Visit(browser, path, color_scheme="light") as visit:
        light = visit.page.evaluate(paper)
        visit.page.click("#theme")
        assert visit.page.evaluate(paper) != light
        visit.page.click("#theme")
        assert visit.page.evaluate(paper) == light


@pytest.mark.slow
def test_a_class_has_one_colour_on_all_pages_of_a_model(browser, car_page, tmp_path):
    path, model, X = car_page
    said = model.predict(X)
    some = X[said != pd.Series(said).mode()[0]]  # another class is the most frequent
    shown = """Object.fromEntries(Array.from(document.querySelectorAll('.class'),
        (label) => [label.innerText, label.firstChild.style.backgroundColor]))"""
    with Visit(browser, path) as visit:
        colours = visit.page.evaluate(shown)
    with visited(browser, tmp_path, report_data(model, some)) as visit:
        found = visit.page.evaluate(shown)
    assert len(set(found.values())) > 1
    assert found.items() <= colours.items()


@pytest.mark.slow
def test_the_page_fetches_nothing(browser, car_page):
    path, *_ = car_page
    context = browser.new_context(offline=True)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    assert page.inner_text("#said")
    assert asked == [path.as_uri()]
    context.close()


HOSTILE = [
    "</script><img src=x onerror=alert(1)>", "<!--<script>", "it's \"so\" & `so`",
    "🙂 ${1} \\u003c", "x" * 200, "\u2028 \u2029", "",
]  # fmt: skip


def test_values_and_names_are_never_markup(browser, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, len(HOSTILE), 90)
    names = ["</title><img src=y>", "'\"&<b>", "z" * 200]
    words = np.array([*HOSTILE, "plain"], dtype=object)
    X = pd.DataFrame(
        {name: words[(y + rng.integers(0, 2, 90)) % 8] for name in names}, dtype=object
    )
    labels = np.array([*HOSTILE[:-1], "b<i>"], dtype=object)[y]
    model = quick(3).fit(X, labels)
    data = report_data(model, X, labels, name="<b>&m", where="</title><script>")
    with visited(browser, tmp_path, data) as visit:
        assert visit.text("h1") == "<b>&m on </title><script>"
        assert visit.page.title() == "<b>&m on </title><script>"
        assert visit.page.locator("img, b, i, body script:not([type])").count() == 1
        for d in range(3):
            visit.pick(5 * d)
            row = {**X.iloc[5 * d].to_dict(), names[d]: HOSTILE[0]}
            visit.page.select_option(f"#field-{d}", label=HOSTILE[0])
            assert_agrees(visit, model, row)
        visit.page.locator("#confusions-table td button").first.click()
        assert visit.page.locator("#confusions-rows li").count() > 0
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= 1280


def strangers():
    """Return a report on values of which some were never seen."""
    rng = np.random.default_rng(1)
    words = pd.DataFrame({"only": rng.choice(["a", "b", "c"], 40)}, dtype=object)
    labels = np.where(words["only"] == "a", "x", "y")
    strange = words.copy()
    strange.iloc[:3, 0] = ["never", None, "<i>"]
    return report_data(quick(3).fit(words, labels), strange, labels)


def odd_reports():
    """Tables at the edges of what there can be."""
    rng = np.random.default_rng(1)
    words = pd.DataFrame({"only": rng.choice(["a", "b", "c"], 40)}, dtype=object)
    labels = np.where(words["only"] == "a", "x", "y")
    yield "one column", report_data(quick(3).fit(words, labels), words, labels)
    alike = pd.DataFrame({"p": ["a"] * 12, "q": ["b"] * 12}, dtype=object)
    classes = np.array(["x", "y"] * 6)
    hamming = nk.CPMLClassifier(Hamming(), n_neighbors=3)
    yield "all rows equal", report_data(hamming.fit(alike, classes), alike, classes)
    some = words[words["only"] == "a"]
    model = nk.CPMLClassifier(Hamming(), n_neighbors=3).fit(words, labels)
    yield "rows of one class", report_data(model, some, ["x"] * len(some))
    many = pd.DataFrame(
        rng.choice(["a", "b"], (30, 500)), columns=[f"c{d}" for d in range(500)]
    ).astype(object)
    sides = np.where(many["c0"] == "a", "x", "y")
    yield (
        "500 columns",
        report_data(nk.CPMLClassifier(Hamming(), n_neighbors=3).fit(many, sides), many),
    )
    yield "strangers", strangers()
    alone = nk.CPML(constraints="neighbors", max_iter=5).fit(words, labels)
    yield "a distance alone", report_data(alone, words)


@pytest.mark.slow
def test_odd_tables_have_their_page(browser, tmp_path):
    for name, data in odd_reports():
        with visited(browser, tmp_path, data) as visit:
            visit.pick(0)
            visit.page.locator("#explorer-form select").first.select_option(index=0)
            lines = visit.neighbours()
            assert lines, name
            if data.view.committee is not None:
                assert visit.said() in data.classes, name
                row = {**{key: cells[0] for key, cells in data.X.items()}}
                first = visit.page.locator("#explorer-form select").first
                d = int(first.get_attribute("id").removeprefix("field-"))
                row[list(data.X)[d]] = first.locator("option").first.inner_text()
                assert_agrees(visit, data.model, row)
            else:
                assert visit.page.locator("#said, #confusions").count() == 0


@pytest.mark.slow
def test_a_value_never_seen_is_shown_and_kept(browser, tmp_path):
    data = strangers()
    with visited(browser, tmp_path, data) as visit:
        visit.pick(0)
        field = visit.page.locator("#field-0")
        chosen = field.evaluate("field => field.selectedOptions[0].text")
        assert chosen == "never (not seen in training)"
        assert_agrees(visit, data.model, {"only": "never"})
        assert "3 rows with a value" in visit.text("#data-lines")
