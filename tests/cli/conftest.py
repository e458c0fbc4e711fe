"""Tables and models that tests of commands share."""

import pytest

from helpers.commands import PETS, done
from nearkind.cli.jit import compile_ahead


@pytest.fixture(scope="session", autouse=True)
def _compiled():
    """Compile before the first command, which would announce it."""
    compile_ahead()


@pytest.fixture
def pets(tmp_path):
    path = tmp_path / "pets.csv"
    path.write_text(PETS)
    return path


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """Models of pets, by method."""
    folder = tmp_path_factory.mktemp("models")
    table = folder / "pets.csv"
    table.write_text(PETS)
    made = {}
    for method in ("hamming", "single"):
        made[method] = folder / f"{method}.nearkind"
        wanted = "-t", "kind", "--drop", "name", "-m", method
        done("fit", table, *wanted, "-o", made[method])
    return made
