"""The page shows every picture, and its code is what draws them."""

import re
from pathlib import Path

import pytest
from matplotlib import pyplot

import nearkind as nk
from helpers.real_files import real_file
from tools import gallery

TEXT = gallery.PAGE.read_text()
SETS = re.findall(r'load\("(\w+)"\)', TEXT)


def test_every_picture_is_shown():
    code = "".join(code for code, _ in gallery.blocks(TEXT))
    assert set(re.findall(r"nk\.plot\.(\w+)\(", code)) == set(nk.plot.all())
    assert len(gallery.blocks(TEXT)) == TEXT.count("```python")


def test_pictures_are_there_and_small():
    names = re.findall(r"!\[[^]]+\]\((.+?)\)", TEXT)
    assert len(names) == len({name for _, name in gallery.blocks(TEXT) if name})
    for name in [*names, "pictures/readme.png"]:
        path = gallery.PAGE.parent / name
        assert 1_000 < path.stat().st_size < 80_000, name


@pytest.mark.slow
def test_the_page_draws_its_pictures(tmp_path, monkeypatch):
    folder = Path({real_file(name).parent for name in SETS}.pop())
    monkeypatch.setenv("NEARKIND_DATA", str(folder))
    monkeypatch.setattr(gallery, "PICTURES", tmp_path)
    gallery.main([])
    drawn = {path.stem for path in tmp_path.glob("*.png")}
    assert drawn == {name for _, name in gallery.blocks(TEXT) if name} | {"readme"}
    assert not pyplot.get_fignums()
