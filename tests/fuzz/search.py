"""The properties that are searched, each with the strategy of its examples.

Where there is none, an example is a whole number, from which all else is drawn.
"""

from hypothesis import strategies as st

from fuzz import (
    commands,
    exports,
    model_files,
    options,
    properties,
    tables,
    tasks,
)


@st.composite
def orders(draw):
    """A case without weights, sound settings, and an order of its rows and columns."""
    case = draw(tables.cases())._replace(weights=None)
    return (
        case,
        draw(options.estimators(sound=True)),
        draw(st.permutations(range(case.n_rows))),
        draw(st.permutations(range(len(case.names)))),
    )


CROSSED = {"fit", "task", "number", "question", "command"}
"""Those in which everything else is drawn without a look at the table."""
PROPERTIES = {
    "fit": (
        st.tuples(tables.cases(), options.estimators()),
        properties.fit_or_refuse,
    ),
    "order": (orders(), properties.same_in_any_order),
    "task": (tasks.tasks(), tasks.task_or_refuse),
    "match": (tasks.pairings(), tasks.match_or_refuse),
    "number": (tasks.regressions(), tasks.number_or_refuse),
    "question": (
        st.tuples(
            tables.cases(), st.sampled_from(["triplets", "pairs"]), tasks.CHOICES
        ),
        tasks.ask_or_refuse,
    ),
    "page": (st.tuples(tables.cases()), tasks.page_or_refuse),
    "command": (commands.examples, commands.run_or_refuse),
    "export": (exports.examples(), exports.same_everywhere),
    "model file": (None, model_files.load_or_refuse),
}
