"""Type checkers and editors know the names that are loaded when they are used."""

from inspect import ismodule
from pathlib import Path

import pytest

import nearkind as nk

mypy = pytest.importorskip("mypy.api")
SOURCE = Path(nk.__file__).parents[1]


@pytest.fixture(scope="module")
def said_of(tmp_path_factory):
    """Return a function from lines of a program to what mypy says of each."""
    cache = tmp_path_factory.mktemp("mypy-cache")

    def said(*lines):
        program = tmp_path_factory.mktemp("program") / "program.py"
        program.write_text("\n".join(["import nearkind as nk", *lines]))
        options = ["--follow-imports=silent", "--ignore-missing-imports"]
        options += ["--config-file=", f"--cache-dir={cache}", "--no-error-summary"]
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("MYPYPATH", str(SOURCE))
            out, trouble, _ = mypy.run([*options, str(program)])
        assert not trouble
        found = {}
        for line in out.splitlines():
            number, message = line.removeprefix(f"{program}:").split(":", 1)
            found.setdefault(int(number) - 2, []).append(message.strip())
        return ["; ".join(found.get(number, [])) for number in range(len(lines))]

    return said


def public_names():
    """Yield what the package offers, and what its public modules do."""
    for name in nk.__all__:
        thing = getattr(nk, name)
        yield f"nk.{name}"
        if ismodule(thing):
            yield from (f"nk.{name}.{part}" for part in getattr(thing, "__all__", []))


@pytest.mark.slow
def test_every_public_name_has_a_type(said_of):
    names = list(public_names())
    said = said_of(*(f"reveal_type({name})" for name in names))
    offenders = {
        name: message
        for name, message in zip(names, said, strict=True)
        if "Revealed type is" not in message or 'is "Any"' in message
    }
    assert not offenders


@pytest.mark.slow
def test_misspelt_names_are_errors(said_of):
    said = said_of(
        "nk.CPML(strenght=1)",
        "nk.CPMLClassifier(neighbours=3)",
        "nk.CPMLClassifierCV(time_buget=60)",
        "nk.CMPL",
        "nk.baselines.Haming",
    )
    assert 'Unexpected keyword argument "strenght" for "CPML"' in said[0]
    assert 'Unexpected keyword argument "neighbours"' in said[1]
    assert 'Unexpected keyword argument "time_buget"' in said[2]
    assert 'has no attribute "CMPL"' in said[3]
    assert 'has no attribute "Haming"' in said[4]


@pytest.mark.slow
def test_an_estimator_is_of_its_class(said_of):
    said = said_of("reveal_type(nk.CPML())", 'reveal_type(nk.CPML().fit([["a"]], [0]))')
    assert all('type is "nearkind.estimators.cpml.CPML"' in each for each in said)
