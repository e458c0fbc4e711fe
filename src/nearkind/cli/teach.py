"""``nearkind teach``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from nearkind.cli import options
from nearkind.cli.option_groups import option

if TYPE_CHECKING:
    from nearkind.tables import Table
    from nearkind.tasks.questions import AnswerProgress, Question, Questions

KEYS = {"1": "first", "2": "second", "=": "neither", "?": "unsure"}
LEGEND = "1 or 2: that one   =: neither   ?: unsure   u: undo   q: quit"
REPORT_EVERY = 10
"""Answers after which it is told what has been learned."""
MOST_COLUMNS, MOST_TOLD = 5, 2


def teach(
    table: options.TargetTable,
    output: Path | None = option(),
    n_questions: int = option(default=30),
    answers: Path | None = option(),
    page: Path | None = option(),
    pairs: bool = option(default=False),
    seed: options.Seed = 0,
    force: options.Force = False,
) -> None:
    """Ask which rows of DATA are alike, and learn a distance from the answers.

    Keys: 1 and 2 choose a row, = says neither, ? unsure, u takes the last answer
    back, q ends; the same command goes on later. With --target, that column is not
    shown, and its classes teach too.
    """
    from nearkind import Questions
    from nearkind.cli import answer_fits, outputs
    from nearkind.errors import error_context
    from nearkind.io import write_text
    from nearkind.tasks.answers import read_state

    inputs = {"DATA": table.rows.data}
    if page is not None:
        outputs.check_output(page, outputs.PAGE, inputs, force)
    elif output is None:
        raise typer.BadParameter(
            "name the model file, such as -o model.nearkind, or a page to write, "
            "such as --page ask.html.",
            param_hint="--output",
        )
    else:
        outputs.check_output(output, outputs.MODEL, inputs, force)
        answers = answers or output.with_suffix(".answers.json")
        outputs.check_output(answers, outputs.ANSWERS, inputs, force)
    X, y = answer_fits.read_partly_labelled(table)
    kind = "pairs" if pairs else "triplets"
    questions = Questions(X, kind=kind, random_state=seed)
    if answers is not None and answers.exists() and answers.stat().st_size:
        state = read_state(answers)
        with error_context(str(answers)):
            questions.merge(state)
    if page is not None:
        from nearkind.pages.questionnaire import questionnaire

        name = Path(table.rows.data).name
        write_text(questionnaire(questions, n_questions, name), page)
        outputs.echo_path(page)
        return
    assert output is not None
    assert answers is not None
    _ask(questions, n_questions, answers)
    _learn(questions, X, y, table.column, output, answers)


def _learn(
    questions: "Questions",
    X: "Table",
    y: list[Any] | None,
    target: str | None,
    output: Path,
    answers: Path,
) -> None:
    """Learn a distance from the answers, save and show it."""
    from time import perf_counter

    from nearkind import save
    from nearkind.cli import answer_fits, console

    if not any(each.choice in ("first", "second") for each in questions.answers):
        typer.echo(
            "No row was chosen yet, so there is no model; run the command again to "
            f"continue with {answers}."
        )
        return
    start = perf_counter()
    metric = questions.fit(y)
    model, facts = answer_fits.fitted(metric, X, y, target, start)
    save(model, output)
    console.show_fit({"model": str(output), **facts})


def _ask(questions: "Questions", n_questions: int, path: Path) -> None:
    """Ask until there are so many answers, and keep them in a file."""
    import json

    from nearkind.cli.console import Screen
    from nearkind.io import write_text

    screen = Screen()
    while len(questions.answers) < n_questions:
        question = questions.ask()
        if question is None:
            screen.line("All questions about these rows have been asked.")
            return
        _show(screen, question, len(questions.answers) + 1, n_questions)
        key = _key()
        if key == "q":
            screen.line(f"The answers are in {path}; run the same command to continue.")
            return
        if key == "u":
            questions.undo()
        elif key in KEYS:
            questions.answer(question, KEYS[key])
            if len(questions.answers) % REPORT_EVERY == 0:
                _tell(screen, questions, questions.progress())
        write_text(json.dumps(questions.state) + "\n", path)


def _key() -> str:
    """Return the next key that means something; q at the end of the input."""
    import sys

    while True:
        try:
            pressed = typer.getchar() if sys.stdin.isatty() else sys.stdin.read(1)
        except (EOFError, KeyboardInterrupt):
            return "q"
        if pressed in ("", "\x03", "\x04"):
            return "q"
        if pressed.lower() in (*KEYS, "u", "q"):
            return pressed.lower()


def _show(screen: Any, question: "Question", number: int, n_questions: int) -> None:
    """Print the rows side by side: the columns that differ, then the others."""
    from nearkind.cli.console import cell_text

    asked = "Are these two rows similar (1) or not (2)?"
    head = [f"row {row}" for row in question.rows]
    if len(head) == 3:
        asked = "Is the row on the left more like 1 or like 2?"
        head[1:] = f"1: {head[1]}", f"2: {head[2]}"
    screen.section(f"Question {number} of {n_questions}: {asked}")
    lines = []
    for name in question.columns:
        first, *others = map(cell_text, question.cells[name])
        marked = [f"{cell} *" if cell != first else cell for cell in others]
        lines.append((str(name), first, *marked))
    screen.table(("", *head), lines)
    if n_same := len(question.cells) - len(question.columns):
        screen.line(f"The other columns are the same in all ({n_same}).")
    screen.line(f"* differs from the row on the left. {LEGEND}")


def _tell(screen: Any, questions: "Questions", progress: "AnswerProgress") -> None:
    """Print what has been learned so far."""
    from nearkind.cli.console import print_relevance

    screen.section(f"After {progress.n_answers} answers")
    if progress.agreement is not None:
        screen.line(
            "Agreement with the model fitted to the other answers: "
            f"{progress.agreement:.0%}"
        )
    if progress.consistency is not None:
        screen.line(
            f"Repeated questions answered the same way: {progress.consistency:.0%}"
        )
    screen.line(
        f"Mean certainty of the model on other questions: {progress.certainty:.0%}"
    )
    for group in progress.contradictions:
        named = ", ".join(str(number + 1) for number in group)
        screen.line(f"Answers {named} contradict each other.")
    shares = [*progress.relevance.items()][:MOST_COLUMNS]
    print_relevance(screen, [{"feature": k, "share": x} for k, x in shares], None)
    for name, _ in shares[:MOST_TOLD]:
        if apart := questions.value_distances(name):
            near, far = ("{1} and {2} ({0:.2f})".format(*apart[at]) for at in (0, -1))
            screen.line(f"{name}: nearest are {near}, farthest {far}")
