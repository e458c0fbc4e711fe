"""CHANGELOG.md is what changelog.d makes."""

import pytest

from tools import changelog


def repository(folder, **fragments):
    """Write a small repository: name of a fragment -> its text."""
    (folder / "pyproject.toml").write_text('[project]\nversion = "0.3.0"\n')
    for name, text in fragments.items():
        path = folder / "changelog.d" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_the_page_is_up_to_date():
    assert changelog.PAGE.read_text() == changelog.changelog(), "run `make changelog`"


def test_versions_stand_newest_first_and_kinds_in_their_order(tmp_path):
    root = repository(
        tmp_path,
        **{
            "0.9.0/a.fix": "Mends A.\n",
            "0.10.0/b.feature": "Do B, see\n[c](../../docs/c.md).\n",
            "d.fix": "Mends D.\n",
            "e.feature": "Do E.\n",
            "README": "How to.\n",
        },
    )
    assert changelog.changelog(root) == changelog.HEAD + (
        "\n## 0.3.0 (not released yet)\n\n### New\n\n- Do E.\n\n"
        "### Fixed\n\n- Mends D.\n\n"
        "## 0.10.0\n\n### New\n\n- Do B, see [c](docs/c.md).\n\n"
        "## 0.9.0\n\n### Fixed\n\n- Mends A.\n"
    )


def test_an_unknown_kind_is_refused(tmp_path):
    root = repository(tmp_path, **{"a.news": "A.\n"})
    with pytest.raises(ValueError, match=r"WHAT\.KIND\.md"):
        changelog.changelog(root)
