"""Arrays in one run of bytes, and JSON that is no markup."""

import json
from base64 import b64decode

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkind.pages.page import ArrayBytes, json_text, narrow

whole = st.lists(st.integers(0, 2**32 - 1)).map(lambda x: np.array(x, dtype=np.int64))
real = st.lists(st.floats(allow_nan=False)).map(lambda x: np.array(x, dtype=float))


def unpacked(tree, data):
    """Read a packed tree as the page does."""
    if isinstance(tree, dict) and "array" in tree:
        kind, at, length = tree["array"]
        assert at % 8 == 0
        return np.frombuffer(data, np.dtype(kind).newbyteorder("<"), length, at)
    if isinstance(tree, dict):
        return {key: unpacked(value, data) for key, value in tree.items()}
    return [unpacked(value, data) for value in tree] if isinstance(tree, list) else tree


@given(st.lists(whole | real, max_size=6))
def test_arrays_come_back(arrays):
    arrays_of_page = ArrayBytes()
    tree = json.loads(json_text(arrays_of_page.extract({"all": arrays, "text": "x"})))
    found = unpacked(tree, b64decode(arrays_of_page.base64))
    assert found["text"] == "x"
    for a, b in zip(arrays, found["all"], strict=True):
        assert np.array_equal(a, b)


@given(st.text())
def test_no_text_opens_a_tag(text):
    written = json_text([text])
    assert "<" not in written
    assert json.loads(written) == [text]


def test_numbers_take_as_few_bytes_as_they_need():
    sizes = [narrow(np.array([n])).itemsize for n in (255, 256, 65_535, 65_536)]
    assert sizes == [1, 2, 2, 4]


def test_what_json_has_not_is_refused():
    with pytest.raises(ValueError, match="JSON"):
        json_text([float("nan")])
