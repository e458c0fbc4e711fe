"""Search the loader of model files by coverage, with atheris (libFuzzer).

    python -m fuzz.loader FOLDER -max_total_time=600

The bytes that are mutated are the JSON of a file, sealed again with a valid checksum
and the arrays of one file. FOLDER keeps what reached new code.
"""

import sys
import warnings
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["nearkind.persistence"]):
    import nearkind.persistence.models

import nearkind as nk
from helpers.mutants import FILES
from nearkind.errors import ModelFileError
from nearkind.persistence.container import pack_container, read_container

TEXTS = {name: read_container(BytesIO(FILES[name]), 1 << 30) for name in FILES}
ARRAYS = TEXTS["mixed_bins"][1]


def load(data):
    """Load a file with such JSON: a model, or a ``ModelFileError``."""
    warnings.simplefilter("ignore")
    with suppress(ModelFileError):
        nk.load(BytesIO(pack_container(data, ARRAYS)), limit=1 << 26)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, (text, _) in TEXTS.items():
        (folder / name).write_bytes(text)
    atheris.Setup(sys.argv, load)
    atheris.Fuzz()
