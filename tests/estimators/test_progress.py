"""What is shown of a fit, and what scikit-learn's callbacks are told of it."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from io import StringIO

import numpy as np
import pytest
from rich.console import Console
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.estimators import progress as module
from nearkind.estimators.bases import CallbackSupport
from nearkind.estimators.progress import fit_progress
from nearkind.solvers.solution import Record

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
with_callbacks = pytest.mark.skipif(
    find_spec("sklearn.callback") is None, reason="scikit-learn before 1.9"
)
X, Y = labelled_table()
LINE = r"iteration +(\d+)  objective \d\.\d{6}  gap (\S+)  \d+\.\d s"


def quick(**settings):
    return nk.CPML(**{"max_iter": 20, **settings})


@pytest.fixture
def terminal(monkeypatch):
    """Stand in for a terminal on standard error; call it to read the last line."""
    screen = StringIO()
    console = Console(force_terminal=True, file=screen, width=100)
    monkeypatch.setattr(module, "_terminal", lambda: console)

    def last_line():
        plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen.getvalue())
        return plain.rstrip("\n").splitlines()[-1].split("\r")[-1]

    return last_line


class Stub(CallbackSupport):
    """A model to watch; fitted attributes as a test wants them."""

    def __init__(self, verbose, max_iter=10, **fitted):
        self.verbose, self.max_iter = verbose, max_iter
        vars(self).update(fitted)


class Recorder:
    """A callback of scikit-learn's that notes every hook."""

    def __init__(self, stop_at=np.inf):
        self.seen, self.stop_at = [], stop_at

    def setup(self, estimator, context):
        self.seen.append(("setup", context.task_name))

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None):
        self.seen.append(("begin", context.task_name))

    def on_fit_task_end(
        self, estimator, context, *, X=None, y=None, fitted_estimator=None
    ):
        self.seen.append(("end", context.task_name))
        self.context, self.X, self.y = context, X, y
        self.fitted = fitted_estimator
        return sum(hook == "end" for hook, _ in self.seen) >= self.stop_at

    def teardown(self, estimator, context):
        self.seen.append(("teardown", context.task_name))


class Travelling(Recorder):
    """One that meta-estimators hand down."""

    max_propagation_depth = None


class TestDisplay:
    def test_silence_is_the_default(self, terminal, capsys):
        quick().fit(X, Y)
        assert capsys.readouterr() == ("", "")
        with fit_progress(Stub(0)) as callback:
            assert callback is None

    def test_a_line_a_record_where_there_is_no_terminal(self, capsys):
        model = quick(verbose=1).fit(X, Y)
        out, err = capsys.readouterr()
        assert err == ""
        lines = [re.fullmatch(LINE, line) for line in out.splitlines()]
        assert [int(line[1]) for line in lines] == [r.iteration for r in model.history_]
        assert float(lines[-1][2]) == pytest.approx(model.gap_, rel=0.01)

    def test_more_than_one_is_lines_on_a_terminal_too(self, terminal, capsys):
        model = quick(verbose=2).fit(X, Y)
        assert len(capsys.readouterr().out.splitlines()) == len(model.history_)

    def test_a_bar_ends_full_with_what_was_reached_and_why(self, terminal, capsys):
        model = quick(verbose=1, tol=0.5, max_iter=300).fit(X, Y)
        assert model.stop_reason_ == "TOLERANCE"
        gap = f"{100 * model.gap_ / model.objective_:.3g}"
        count = f"{model.n_iter_}/{model.n_iter_}"
        reached = f"{count} objective {model.objective_:.6f} gap {gap} %"
        *words, _elapsed, reason = terminal().split()
        assert words == ["CPML", 30 * "━", *reached.split()]
        assert reason == "TOLERANCE"
        assert capsys.readouterr() == ("", "")

    def test_a_bar_is_there_before_the_first_record(self, terminal):
        reached = {"n_iter_": 40, "objective_": 0.25, "gap_": np.nan}
        with fit_progress(Stub(1, 200, **reached, stop_reason_="SETTLED")) as callback:
            assert re.search("Stub ━{30} preparing", terminal())
            callback(Record(20, 0.5, np.nan, 0.0))
        assert re.search("40/40  objective 0.250000  estimate .* SETTLED$", terminal())

    def test_the_text_on_the_way_keeps_its_length(self):
        texts = {
            module._description(Record(5, 0.5, 0.5, 0.0), 200): "gap 100 %",
            module._description(Record(45, 0.5, 0.0123, 0.0), 200): "gap 2.46 %",
            module._description(Record(200, 0.4, 3e-5, 0.0), 200): "gap 0.0075 %",
            module._description(Record(60, 0.0, 0.0, 0.0), 200): "gap 0 %",
            module._description(Record(60, 0.4, np.nan, 0.0), 200): "estimate",
        }
        assert all(text.rstrip().endswith(gap) for text, gap in texts.items())
        assert {len(text) for text in texts} == {42}
        assert next(iter(texts)).startswith("  5/200  objective 0.500000  ")

    def test_a_metric_that_is_zero_at_once_fills_the_bar(self, terminal):
        with pytest.warns(UserWarning, match="learned metric is zero"):
            quick(verbose=1, strength=100.0).fit(X, Y)
        assert re.search("━{30} 0/0  objective 1.0.* TOLERANCE$", terminal())

    def test_counts_go_on_when_constraints_are_renewed(self, terminal, capsys):
        model = quick(verbose=2, scope="local").fit(X, Y)
        told = [int(n) for n, _ in re.findall(LINE, capsys.readouterr().out)]
        assert told == [record.iteration for record in model.history_]
        assert told == sorted(told)
        again = quick(verbose=1, scope="local").fit(X, Y)
        assert f" {again.n_iter_}/{again.n_iter_} " in terminal()

    def test_the_end_of_the_bar_moves_with_each_solve(self, capsys):
        seen = []
        solves = module._Solves(20, [lambda *told: seen.append(told)])
        for iteration, seconds in [(0, 0.5), (15, 1.0), (0, 0.1), (15, 0.3), (15, 2.0)]:
            solves(Record(iteration, 1.0, 0.1, seconds))
        assert [(record.iteration, limit) for record, limit in seen] == [
            (0, 20), (15, 20), (15, 35), (30, 35), (45, 50),
        ]  # fmt: skip
        assert seen[-1][0].seconds == pytest.approx(1.0 + 0.3 + 2.0)

    def test_a_fit_that_fails_says_so_in_its_bar(self, terminal, monkeypatch):
        fail_in_solver(monkeypatch, MemoryError("no room"))
        with pytest.raises(MemoryError, match="no room"):
            quick(verbose=1).fit(X, Y)
        assert terminal().endswith("MemoryError")

    def test_an_interrupted_fit_says_so_in_its_bar(self, terminal, monkeypatch):
        fail_in_solver(monkeypatch, KeyboardInterrupt())
        assert quick(verbose=1).fit(X, Y).stop_reason_ == "INTERRUPTED"
        assert terminal().endswith("INTERRUPTED")

    def test_stated_constraints_are_shown_too(self, terminal):
        triplets = [(0, 1, 2), (3, 4, 5), (6, 7, 8)]
        model = quick(verbose=1).fit_constraints(X, triplets=triplets, y=Y)
        assert terminal().endswith(model.stop_reason_)

    def test_on_a_real_terminal_the_bar_leaves_standard_output_alone(self):
        pty = pytest.importorskip("pty")
        code = (
            "import nearkind as nk; data = nk.datasets.load('credit_risk');"
            "from nearkind.solvers import proximal; old = proximal.Proximal._round;"
            "loud = lambda *a: print('meanwhile') or old(*a);"
            "proximal.Proximal._round = loud;"
            "nk.CPML(tol=0.5, verbose=1).fit(data.X, data.y)"
        )
        ours, theirs = pty.openpty()
        command = [sys.executable, "-c", code]
        env = {**os.environ, "TERM": "xterm-256color"}
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=theirs, env=env, text=True
        ) as run:
            os.close(theirs)
            shown = everything(ours)
            out = run.stdout.read()
        assert run.returncode == 0
        assert set(out.split()) == {"meanwhile"}
        assert "━" in shown
        assert "TOLERANCE" in shown


@with_callbacks
class TestCallbacks:
    def test_hooks_are_called_in_order_one_task_a_record(self):
        recorder = Recorder()
        model = quick().set_callbacks(recorder).fit(X, Y)
        tasks = [f"iteration {record.iteration}" for record in model.history_]
        inner = [(hook, task) for task in tasks for hook in ("begin", "end")]
        assert recorder.seen == [
            ("setup", "fit"),
            ("begin", "fit"),
            *inner,
            ("end", "fit"),
            ("teardown", "fit"),
        ]
        assert recorder.X is X
        assert recorder.y is Y
        np.testing.assert_array_equal(recorder.fitted.transform(X), model.transform(X))

    def test_the_number_of_tasks_is_not_promised(self):
        recorder = Recorder()
        quick().set_callbacks(recorder).fit(X, Y)
        assert recorder.context.max_subtasks is None

    def test_stated_constraints_have_tasks_too(self):
        recorder = Recorder()
        model = quick(projection="onehot").set_callbacks(recorder)
        model.fit_constraints(X, triplets=[(0, 1, 2), (3, 4, 5)])
        assert len(recorder.seen) == 4 + 2 * len(model.history_)

    @pytest.mark.parametrize("scope", ["all", "local"])
    def test_a_request_to_stop_keeps_the_best_so_far(self, scope):
        recorder = Recorder(stop_at=2)
        model = quick(scope=scope, max_iter=200).set_callbacks(recorder)
        with pytest.warns(ConvergenceWarning, match="best metric so far"):
            model.fit(X, Y)
        assert model.stop_reason_ == "INTERRUPTED"
        assert len(model.history_) == 2
        assert np.isfinite(model.transform(X)).all()
        assert recorder.seen[-2:] == [("end", "fit"), ("teardown", "fit")]

    @pytest.mark.parametrize("stop_at", [1, 3])
    def test_neighbours_may_be_stopped_too(self, stop_at):
        recorder = Recorder(stop_at=stop_at)
        model = quick(constraints="neighbors", tol=0.0).set_callbacks(recorder)
        with pytest.warns(ConvergenceWarning, match="best metric so far"):
            model.fit(X, Y)
        assert model.stop_reason_ == "INTERRUPTED"
        assert len(model.history_) == stop_at
        assert recorder.seen[-2:] == [("end", "fit"), ("teardown", "fit")]

    def test_a_fit_that_fails_tears_down_and_can_be_repeated(self, monkeypatch):
        recorder = Recorder()
        model = quick().set_callbacks(recorder)
        with monkeypatch.context() as patch:
            fail_in_solver(patch, MemoryError("no room"))
            with pytest.raises(MemoryError):
                model.fit(X, Y)
        assert recorder.seen[-1] == ("teardown", "fit")
        assert ("end", "fit") not in recorder.seen  # as scikit-learn has it
        assert not [name for name in vars(model) if "callback_fit_ctx" in name]
        model.fit(X, Y)
        assert recorder.seen[-2:] == [("end", "fit"), ("teardown", "fit")]

    def test_a_callback_that_fails_fails_the_fit_and_is_torn_down(self):
        class Failing(Recorder):
            def setup(self, estimator, context):
                super().setup(estimator, context)
                raise OSError("disk full")

        recorder = Failing()
        with pytest.raises(OSError, match="disk full"):
            quick().set_callbacks(recorder).fit(X, Y)
        assert recorder.seen == [("setup", "fit"), ("teardown", "fit")]

    def test_callbacks_are_no_parameters_and_change_no_result(self):
        recorder = Recorder()
        model = quick().set_callbacks(recorder).fit(X, Y)
        assert model.get_params() == quick().get_params()
        np.testing.assert_array_equal(model.metric_, quick().fit(X, Y).metric_)
        copy = clone(model)
        assert not hasattr(copy, "metric_")
        copy.fit(X, Y)  # scikit-learn hands callbacks to clones
        assert len(recorder.seen) == 2 * (4 + 2 * len(model.history_))

    def test_scikit_learns_progress_bar(self, capsys):
        from sklearn.callback import ProgressBar

        quick().set_callbacks(ProgressBar()).fit(X, Y)
        out = capsys.readouterr().out
        assert "CPML - fit" in out
        assert "100%" in out

    def test_scikit_learns_scores_come_at_the_end(self):
        from sklearn.callback import ScoringMonitor

        monitor = ScoringMonitor(scoring={"triplets": triplet_accuracy})
        model = quick().set_callbacks(monitor).fit(X, Y)
        (scores,) = monitor.get_logs().data
        assert scores["triplets"] == model.triplet_accuracy(X, Y)

    def test_in_a_pipeline(self):
        recorder = Travelling()
        line = make_pipeline(quick(), "passthrough").set_callbacks(recorder)
        line.fit(X, Y)
        assert recorder.seen.count(("setup", "fit")) == 1
        assert recorder.seen.count(("teardown", "fit")) == 1
        assert ("end", f"iteration {line[0].n_iter_}") in recorder.seen

    @pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
    @pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
    def test_in_a_grid_search(self, n_jobs):
        from sklearn.callback import ProgressBar

        within, above = Recorder(), ProgressBar(max_propagation_depth=None)
        search = GridSearchCV(
            quick().set_callbacks(within),
            {"p": [1.0, 2.0]},
            cv=2,
            scoring=triplet_accuracy,
            n_jobs=n_jobs,
            error_score="raise",
        )
        search.set_callbacks(above).fit(X, Y)
        assert np.isfinite(search.cv_results_["mean_test_score"]).all()
        fits = within.seen.count(("end", "fit"))
        assert fits == (5 if n_jobs == 1 else 1)  # other processes have their own

    def test_under_a_classifier(self):
        recorder = Recorder()
        nk.CPMLClassifier(quick().set_callbacks(recorder)).fit(X, Y)
        assert recorder.seen[-1] == ("teardown", "fit")


@pytest.mark.slow
def test_a_scikit_learn_without_callbacks_will_do():
    code = (
        "import sys; sys.modules['sklearn.callback'] = None; import nearkind as nk;"
        "data = nk.datasets.load('credit_risk');"
        "model = nk.CPML(tol=0.5, verbose=1).fit(data.X, data.y);"
        "print(model.stop_reason_, hasattr(model, 'set_callbacks'));"
        "print('rich' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    *lines, outcome, has_rich = run.stdout.splitlines()
    assert outcome == "TOLERANCE False"
    assert has_rich == "False"  # there was no bar to show
    assert all(re.fullmatch(LINE, line) for line in lines)


def triplet_accuracy(model, X, y):
    return model.triplet_accuracy(X, y)


def fail_in_solver(patch, error):
    def fail(*_):
        raise error

    patch.setattr("nearkind.solvers.proximal.State.step", fail)


def everything(terminal):
    """Read what is written to a terminal until nobody holds it any more."""
    with open(terminal, "rb", buffering=0) as screen:
        shown = b""
        try:
            while part := screen.read(4_096):
                shown += part
        except OSError:  # how Linux says the end
            pass
    return shown.decode()
