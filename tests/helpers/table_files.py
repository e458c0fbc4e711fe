"""Files to read in tests."""

import gzip

import pytest

from nearkind.io import ReadOptions, read_columns


def written(folder, name, content):
    """Write text or bytes, compressed if the name says so; return the path as text."""
    data = content.encode() if isinstance(content, str) else content
    path = folder / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return str(path)


def complaint(path, read=read_columns, **options):
    """Return what is said of a file, which must be one sentence that names it."""
    with pytest.raises((ValueError, OSError, TypeError)) as error:
        read(path, ReadOptions(**options))
    text = str(error.value)
    assert "\n" not in text
    assert text.endswith((".", "?"))
    return text
