"""Too little disk or memory, folders that may not be written, threads and processes."""

import multiprocessing
import os
import resource
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import nearkind as nk
from nearkind.errors import ModelFileError

RNG = np.random.default_rng(0)
X = RNG.integers(0, 4, (400, 5)).astype(str)
Y = (X[:, 0] + X[:, 1]).astype(str)
NEW = RNG.integers(0, 5, (900, 5)).astype(str)  # with values that fit did not see
GREEDY = """
import resource, sys
sys.argv = ["nearkind", *sys.argv[1:]]
from nearkind.cli import main
import nearkind.cli.model_table, numpy, scipy.linalg
scipy.linalg.eigh(numpy.eye(99) @ numpy.eye(99))  # OpenBLAS, short of memory, exits
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (300 << 20),) * 2)
main()
"""
pytestmark = pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")


@pytest.fixture(scope="module")
def model():
    return nk.CPMLClassifier(nk.CPML(tol=0.1)).fit(X, Y)


def answers(model):
    """Return all that a model says of new rows, as bytes."""
    found = [model.predict(NEW), model.predict_proba(NEW), *model.kneighbors(NEW)]
    return b"".join(np.ascontiguousarray(each).tobytes() for each in found)


def test_eight_threads_say_what_one_says(model):
    expected = answers(model)
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(answers, [model] * 16)) == {expected}


@pytest.mark.parametrize(
    "method", [m for m in multiprocessing.get_all_start_methods() if m != "forkserver"]
)
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_processes_say_what_this_one_says(model, method):
    expected = answers(model)  # with threads, before anything is forked
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, context) as pool:
        assert set(pool.map(answers, [model] * 3)) == {expected}


def test_a_model_that_does_not_fit_on_the_disk(model, tmp_path):
    path = tmp_path / "m.nearkind"
    path.write_bytes(b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(ModelFileError, match=r"Cannot save .*name .* another disk"):
            nk.save(model, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_only_be_read(model, tmp_path):
    tmp_path.chmod(0o555)
    with pytest.raises(ModelFileError, match=r"Cannot save .*Permission denied"):
        nk.save(model, tmp_path / "m.nearkind")
    tmp_path.chmod(0o755)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory need Linux")
def test_too_little_memory_is_one_sentence(model, tmp_path):
    nk.save(model, tmp_path / "m.nearkind")
    row = ",".join(["1"] * 5) + "\n"
    (tmp_path / "many.csv").write_text("0,1,2,3,4\n" + row * 2_000_000)
    out = subprocess.run(
        [sys.executable, "-c", GREEDY, "predict", "m.nearkind", "many.csv"],
        capture_output=True, encoding="utf-8", check=False, cwd=tmp_path,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert out.returncode == 1, out.stderr
    assert out.stderr.startswith("nearkind: Not enough memory")
    assert "fewer rows" in out.stderr
    assert out.stderr.count("\n") == 1
