"""Files to read in tests."""

import gzip

import pytest

from nearkind.io import Asked, read


def written(folder, name, content):
    """Write text or bytes, compressed if the name says so; return the path as text."""
    data = content.encode() if isinstance(content, str) else content
    path = folder / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return str(path)


def complaint(path, **asked):
    """Return what is said of a file, which must be one sentence that names it."""
    with pytest.raises((ValueError, OSError, TypeError)) as error:
        read(path, Asked(**asked))
    text = str(error.value)
    assert "\n" not in text
    assert text.endswith((".", "?"))
    return text
