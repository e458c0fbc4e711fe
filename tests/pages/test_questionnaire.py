"""The page that asks: what is in it, and that it asks and keeps as Python does."""

import json
import re

import numpy as np
import pytest

import nearkind as nk
from helpers.browsing import Visit, opened_browser
from helpers.commands import done
from nearkind.pages.questionnaire import questionnaire, questionnaire_facts
from nearkind.tasks.answer_posterior import information

X = "v" + nk.datasets.load("monks1", as_frame=True).X.astype(str)
KEYS = {"first": "1", "second": "2", "neither": "=", "unsure": "?"}


def says(rows):
    """Return the choice of a person who looks at one column."""
    a, b, c = X["a5"].to_numpy()[list(rows)]
    return "neither" if (a == b) == (a == c) else "first" if a == b else "second"


def test_the_page_is_whole_and_fetches_nothing():
    html = questionnaire(nk.Questions(X), 5, "<monks>")
    assert "Which rows of &lt;monks&gt; are similar?" in html
    assert "default-src 'none'" in html
    assert not re.search(r"(src|href)=[\"']?(http|//)", html)
    facts = re.search(r'id="facts">(.*?)</script>', html, re.S)[1]
    assert json.loads(facts)["columns"] == list(X)


def test_the_rows_of_all_questions_are_on_the_page():
    questions = nk.Questions(X)
    questions.answer((0, 7, 99), "first")
    facts = questionnaire_facts(questions, 6)
    assert len(facts["pool"]) == 60
    assert {0, 7, 99, *np.ravel(facts["pool"])} == set(facts["rows"])
    assert facts["cells"][4] == X["a5"].iloc[facts["rows"]].astype(str).tolist()
    assert facts["state"] == questions.state


@pytest.fixture(scope="module")
def browser():
    with opened_browser() as found:
        yield found


def shown(page):
    return tuple(map(int, page.get_attribute("body", "data-rows").split()))


def assert_tells_most(questions, pool, rows):
    """Check that the page asks the question of its pool that Python would ask."""
    asked = {each.key for each in questions.answers}
    open_ = [each for each in pool if (each[0], *sorted(each[1:])) not in asked]
    both = np.array([rows, questions.best(np.array(open_))])
    features = questions.comparisons.features(both)
    asked, best = information(*questions.posterior.predict(features))
    assert asked == pytest.approx(best, abs=1e-4)
    assert not {*rows} & {row for each in questions.answers[-4:] for row in each.rows}


@pytest.mark.slow
def test_thirty_answers_by_keyboard_teach_as_in_python(browser, tmp_path):
    table, page, model = (tmp_path / n for n in ("t.csv", "ask.html", "m.nearkind"))
    X.to_csv(table, index=False)
    done("teach", table, "--page", page, "--questions", 30)
    same = nk.Questions(X)
    html = page.read_text("utf-8")
    pool = json.loads(re.search(r'id="facts">(.*?)</script>', html, re.S)[1])["pool"]
    with Visit(browser, page, accept_downloads=True) as visit:
        for number in range(30):
            rows = shown(visit.page)
            assert visit.text("#count") == f"Question {number + 1} of 30"
            if number % 12 == 11:
                assert rows == same.ask().rows
            else:
                assert_tells_most(same, pool, rows)
            visit.page.keyboard.press(KEYS[says(rows)])
            same.answer(rows, says(rows))
        assert visit.text("#asked").startswith("Done")
        assert visit.page.inner_text("#learned dt >> nth=0") == "a5"
        visit.page.reload()
        assert visit.text("#count") == "30 answers"
        with visit.page.expect_download() as download:
            visit.page.focus("#download")
            visit.page.keyboard.press("Enter")
        answers = tmp_path / "answers.json"
        download.value.save_as(answers)
    loaded = nk.Questions(X).merge(json.loads(answers.read_text()))
    assert [(a.rows, a.choice) for a in loaded.answers] == [
        (a.rows, a.choice) for a in same.answers
    ]
    done("fit", table, "--answers", answers, "-o", model)
    vectors, expected = nk.load(model).transform(X), same.fit().transform(X)
    assert np.allclose(vectors, expected)


@pytest.mark.slow
def test_a_page_opened_twice_keeps_one_list(browser, tmp_path):
    path = tmp_path / "ask.html"
    path.write_text(questionnaire(nk.Questions(X), 9, "monks"), "utf-8")
    with Visit(browser, path) as visit:
        other = visit.context.new_page()
        other.goto(path.as_uri())
        visit.page.keyboard.press("1")
        other.get_by_text("Question 2 of 9", exact=True).wait_for()
        assert shown(other) == shown(visit.page)
        other.keyboard.press("?")
        other.keyboard.press("u")
        other.keyboard.press("2")
        visit.page.get_by_text("Question 3 of 9", exact=True).wait_for()
