"""Questions to a person: what is asked, what is kept, what is learned."""

import json

import numpy as np
import pandas as pd
import pytest

import nearkind as nk
from nearkind.tasks.answer_posterior import AnswerPosterior, answered_first
from nearkind.tasks.answers import Answer, contradictions, read_state

CAR = nk.datasets.load("monks1", as_frame=True)
X, Y = CAR.X, CAR.y.to_numpy()


def says(rows, column="a5"):
    """Return the choice of a person who looks at one column."""
    cells = X[column].to_numpy()[list(rows)]
    near = cells[0] == cells[1:]
    if near[0] == near[1]:
        return "neither"
    return "first" if near[0] else "second"


def taught(n=24, **settings):
    questions = nk.Questions(X, **settings)
    for _ in range(n):
        question = questions.ask()
        questions.answer(question, says(question.rows))
    return questions


def test_the_column_that_a_person_looks_at_is_found():
    questions = taught()
    progress = questions.progress()
    assert next(iter(progress.relevance)) == "a5"
    assert progress.n_repeated >= 1
    assert progress.consistency == 1.0
    assert progress.contradictions == []
    assert progress.agreement > 0.8
    model = questions.fit()
    assert isinstance(model, nk.CPML)
    assert model.feature_relevance_.argmax() == 4


def test_a_question_names_the_rows_and_the_columns_that_differ():
    question = nk.Questions(X).ask()
    rows = X.iloc[list(question.rows)]
    assert question.table.equals(rows)
    assert question.columns == [name for name in X if rows[name].nunique() > 1]
    assert question.cells == rows.to_dict("list")


def test_the_same_question_until_it_is_answered_and_the_same_seed_the_same_ones():
    one, other = taught(6), taught(6)
    assert one.ask().rows == one.ask().rows == other.ask().rows
    assert [a.rows for a in one.answers] == [a.rows for a in other.answers]


def test_answers_go_on_from_json_and_are_not_counted_twice():
    done = taught(8)
    state = json.loads(json.dumps(done.state))
    again = nk.Questions(X).merge(state).merge(state)
    assert again.answers == done.answers
    assert again.ask().rows == done.ask().rows
    other = taught(3)
    both = again.merge(other.state)
    assert len(both.answers) == 11
    assert both.fit().feature_relevance_.argmax() == 4


def test_the_fingerprint_knows_numbers_by_value_and_columns_by_name():
    table = pd.DataFrame({"a": [1, 2, 3, 4], "b": ["x", None, "y", "z"]})
    state = nk.Questions(table).state
    other = table[["b", "a"]].astype({"a": float})
    assert nk.Questions(other).merge(state).answers == []


def test_undo_takes_back_the_last_answer():
    questions = taught(2)
    before = questions.ask().rows
    questions.answer(questions.ask(), "first")
    assert questions.undo().rows == before
    assert questions.ask().rows == before
    assert nk.Questions(X).undo() is None


def test_pairs():
    questions = nk.Questions(X, kind="pairs")
    for _ in range(20):
        question = questions.ask()
        i, j = question.rows
        alike = X["a5"].iloc[i] == X["a5"].iloc[j]
        questions.answer(question, "first" if alike else "second")
    assert questions.fit().feature_relevance_.argmax() == 4
    questions.answer((0, 1), "first")
    questions.answer((1, 0), "second")
    assert questions.progress().contradictions == [[20, 21]]


def test_contradictions_follow_chains_and_ignore_unsure_ones():
    given = [
        Answer((0, 1, 2), "first"),
        Answer((2, 0, 3), "first"),
        Answer((3, 2, 1), "unsure"),
        Answer((3, 2, 9), "first"),
        Answer((0, 2, 1), "first"),
    ]
    assert contradictions(given) == [[0, 4]]


def test_contradictions_are_named_in_a_warning():
    questions = taught(5)
    first = next(a for a in questions.answers if a.choice == "first")
    questions.answer(first.rows, "second")
    with pytest.warns(UserWarning, match=r"2 of 6 answers contradict.*answers \d, 5"):
        questions.fit()


def test_labels_and_answers_teach_together():
    y = np.where(np.arange(len(Y)) % 4 == 0, Y.astype(object), None)
    metric = nk.CPML("diagonal", projection="vdm+onehot", p=2.0, tol=0.05)
    model = taught(12, metric=metric).fit(y=y)
    assert model.classes_.tolist() == ["0", "1"]
    assert model.triplet_accuracy(X, Y) > 0.5


def test_a_batch_is_of_different_new_questions():
    questions = taught(5)
    rows = questions.batch(100)
    assert 50 < len(rows) <= 100
    assert len({tuple(each) for each in rows.tolist()}) == len(rows)
    assert not {a.key for a in questions.answers} & {tuple(r) for r in rows.tolist()}


def test_few_columns_differ_in_questions_about_a_wide_table():
    rng = np.random.default_rng(0)
    kinds = rng.integers(4, size=(9, 20))[rng.integers(9, size=300)]
    table = np.where(
        rng.random((300, 20)) < 0.1, rng.integers(4, size=(300, 20)), kinds
    )
    questions = nk.Questions(table.astype(str))
    for choice in ("first", "second", "neither", "unsure") * 3:
        question = questions.ask()
        assert len(question.columns) <= 8
        questions.answer(question, choice)


def test_distances_between_values_are_told():
    questions = taught()
    apart = questions.value_distances("a5")
    assert len(apart) == 6
    assert [each[0] for each in apart] == sorted(each[0] for each in apart)
    assert {value for each in apart for value in each[1:]} == {*X["a5"]}
    assert apart[-1][0] > questions.value_distances("a3")[-1][0]
    numbers = nk.Questions({"size": np.arange(50.0), "kind": ["a", "b"] * 25})
    assert numbers.value_distances("size") == []


def test_one_wrong_answer_of_many_moves_the_posterior_little():
    questions = nk.Questions(X)
    of = questions.comparisons
    features = of.features(np.array([(0, 1, 200)] * 9))
    mean = [
        AnswerPosterior.of(
            features[:n], np.ones(n) - (np.arange(n) == 8), of.prior_mean
        )
        .predict(features[:1])[0]
        .item()
        for n in (8, 9)
    ]
    assert mean[1] > 0.0
    assert mean[0] - mean[1] < mean[0] - of.prior_mean @ features[:1].T


@pytest.mark.parametrize("seed", range(3))
def test_the_posterior_mean_is_where_the_slope_is_zero(seed):
    rng, of = np.random.default_rng(seed), nk.Questions(X).comparisons
    features = of.features(rng.integers(len(X), size=(60, 3)))
    answers = rng.choice([0.0, 0.5, 1.0], 60)
    found = AnswerPosterior.of(features, answers, of.prior_mean)
    margin, step = features @ found.weights, 1e-5
    up, at, down = (answered_first(margin + x) for x in (step, 0.0, -step))
    slope = (up - down) / (2.0 * step)
    assert np.allclose(found.residuals, (answers - at) * slope / (at * (1.0 - at)))
    assert np.allclose(found.weights, of.prior_mean + features.T @ found.residuals)


def test_many_values_are_learned_from_the_rows_compared():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"name": np.arange(2_100).astype(str), "kind": rng.choice(list("abc"), 2_100)}
    )
    questions = nk.Questions(table)
    for _ in range(20):
        question = questions.ask()
        a, b, c = question.cells["kind"]
        near = "neither" if (a == b) == (a == c) else "first" if a == b else "second"
        questions.answer(question, near)
    y = np.where(np.arange(2_100) % 50 == 0, table["kind"], None)
    with pytest.warns(UserWarning, match="distinct values"):
        model = questions.fit(y)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert len(model.value_distances("name")) < 1_000
    assert model.feature_relevance_.argmax() == 1


def test_the_end_of_a_small_table():
    questions = nk.Questions([["a"], ["b"], ["c"]])
    rows = set()
    while (question := questions.ask()) is not None and len(rows) < 9:
        rows.add(question.rows)
        questions.answer(question, "unsure")
    assert len(rows) == 3
    assert questions.ask() is None
    assert questions.progress().n_decided == 0
    with pytest.raises(ValueError, match="3 answers teach nothing"):
        questions.fit()


@pytest.mark.parametrize(
    ("table", "settings", "message"),
    [
        ([["a", 1]], {}, "at least 3 different rows; X has 1 rows, 1"),
        ([["a"], ["b"], ["a"]], {}, "at least 3 different rows; X has 3 rows, 2"),
        ([["a"], ["a"]], {"kind": "pairs"}, "at least 2 different rows"),
        (X, {"kind": "triples"}, "'triplets', 'pairs'; got 'triples'"),
        (X, {"metric": "hamming"}, "None or a CPML.*got 'hamming'"),
    ],
)
def test_wrong_tables_and_settings(table, settings, message):
    with pytest.raises(ValueError, match=message):
        nk.Questions(table, **settings)


@pytest.mark.filterwarnings("ignore:The learned metric is zero")
@pytest.mark.parametrize("choice", ["first", "second"])
def test_a_pair_of_the_only_two_rows_is_learned_from(choice):
    questions = nk.Questions([["a", 1], ["b", 1]], kind="pairs")
    questions.answer((0, 1), choice)
    assert np.isfinite(questions.fit().pairwise_distances([["a", 1], ["b", 1]])).all()


@pytest.mark.parametrize(
    ("question", "choice", "message"),
    [
        ((0, 1, 432), "first", r"row numbers from 0 to 431; got \[0, 1, 432\]"),
        ((0, 1), "first", "expected 3 different row numbers"),
        ((0, 1, 1), "first", "expected 3 different row numbers"),
        ((0, 1, 2.5), "first", "expected 3 different row numbers"),
        (None, "first", "expected 3 different row numbers.*got None"),
        ((0, 1, 2), "frist", "'neither', 'second', 'unsure'; got 'frist'"),
        ((0, 1, 2), 1, "'unsure'; got 1"),
    ],
)
def test_wrong_answers(question, choice, message):
    with pytest.raises(ValueError, match=message):
        nk.Questions(X).answer(question, choice)


def changed(**changes):
    return {**taught(2).state, **changes}


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (lambda: [], "no answers to questions"),
        (lambda: changed(version=9), "of version 1; got.*'version': 9"),
        (lambda: changed(kind="pairs"), "about 'pairs'; expected 'triplets'"),
        (lambda: changed(answers=None), "lack their list"),
        (
            lambda: changed(answers=[{"rows": [0, 1, 999]}]),
            r"answers\[0\].*row numbers.*999",
        ),
        (lambda: changed(answers=[{"rows": [0, 1, 2]}]), r"answers\[0\].*choice"),
        (lambda: changed(answers=["first"]), r"answers\[0\].*row numbers"),
        (lambda: changed(table=None), "about another table"),
        (lambda: nk.Questions(X[::-1]).state, "another order"),
        (lambda: nk.Questions(X[:99]).state, "theirs has 99 rows, this one has 432"),
        (lambda: nk.Questions(X.iloc[:, 1:]).state, "only one of.*columns 'a1'"),
    ],
)
def test_wrong_states(state, message):
    with pytest.raises(ValueError, match=message):
        nk.Questions(X).merge(state())


def test_a_file_of_nested_lists_holds_no_answers(tmp_path):
    path = tmp_path / "answers.json"
    path.write_text("[" * 100_000)
    with pytest.raises(ValueError, match="holds no whole file of answers"):
        read_state(path)
