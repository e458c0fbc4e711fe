"""Model files on disk and in memory: one sentence for whatever goes wrong."""

from io import BytesIO

import pytest

import nearkind as nk
from nearkind.errors import ModelFileError
from nearkind.persistence import container, files

MODEL = nk.baselines.Hamming().fit([["a"], ["b"]])


class OnlyWritten:
    """A stream that cannot be read."""

    def __init__(self):
        self.data = b""

    def write(self, data):
        self.data += data


class OnlyRead:
    """A stream that cannot be written to, and may fail."""

    def __init__(self, data=b"", error=None):
        self.stream, self.error = BytesIO(data), error

    def read(self, size):
        if self.error:
            raise self.error
        return self.stream.read(size)


def test_a_stream_need_only_write_or_only_read():
    out = OnlyWritten()
    nk.save(MODEL, out)
    assert type(nk.load(OnlyRead(out.data))) is nk.baselines.Hamming


def test_a_path_is_read_and_written(tmp_path):
    for path in (tmp_path / "model", str(tmp_path / "text")):
        nk.save(MODEL, path)
        assert type(nk.load(path)) is nk.baselines.Hamming


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (OSError(5, "Input/output error"), "Input/output error"),
        (OSError("the line is  dead."), "the line is dead"),
        (OSError(), "OSError"),
        (MemoryError(), "there is not enough memory for it"),
        (OverflowError("too large"), "there is not enough memory for it"),
    ],
)
def test_what_goes_wrong_is_one_sentence(error, why):
    with pytest.raises(ModelFileError) as caught:
        nk.load(OnlyRead(error=error))
    assert str(caught.value) == f"Cannot load a file: {why}."
    assert caught.value.__cause__ is error


def test_a_sentence_has_three_hundred_characters_at_most():
    for size, said in [(300, "a" * 300), (301, "a" * 297 + "...")]:
        with pytest.raises(ModelFileError) as caught:
            nk.load(OnlyRead(error=OSError("a" * size)))
        assert str(caught.value) == f"Cannot load a file: {said}."


@pytest.mark.parametrize("limit", [0, -1, 1.0, True, None, "9"])
def test_the_limit_is_a_whole_number_of_bytes(limit):
    words = f"limit must be a whole number of bytes >= 1; got {limit!r}"
    with pytest.raises(ValueError, match=words):
        nk.load(BytesIO(), limit=limit)


def test_the_limit_is_a_gibibyte_unless_told():
    assert nk.load.__kwdefaults__ == {"limit": 2**30}


def test_a_limit_of_one_byte_is_a_limit(tmp_path):
    nk.save(MODEL, tmp_path / "model")
    with pytest.raises(ModelFileError, match=r"Cannot load '.*model': .*limit is 1;"):
        nk.load(tmp_path / "model", limit=1)


def test_parts_that_do_not_fit_are_told_with_what_to_do():
    data = container.pack_container(b"[", b"")
    words = r"its parts do not fit together \(.*\); save the model again\.$"
    with pytest.raises(ModelFileError, match=words):
        nk.load(BytesIO(data))


def test_what_could_not_be_read_is_not_written(monkeypatch, tmp_path):
    def unreadable(*parts):
        raise ValueError("It is unreadable.")

    monkeypatch.setattr(files, "from_json", unreadable)
    with pytest.raises(ModelFileError) as caught:
        nk.save(MODEL, tmp_path / "model")
    why = "its parts do not fit together (It is unreadable); fit it again."
    assert str(caught.value) == f"Cannot save to {str(tmp_path / 'model')!r}: {why}"
    assert not list(tmp_path.iterdir())
