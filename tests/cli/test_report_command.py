"""``nearkind report``."""

from html.parser import HTMLParser

from commands import PETS, complaint, done


class Page(HTMLParser):
    """Collects tags and text."""

    def __init__(self):
        super().__init__()
        self.tags, self.text = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text.append(data)


def parsed(path):
    page = Page()
    page.feed(path.read_text())
    return page


def test_a_page_with_bars_and_confusions(models, pets, tmp_path):
    out = tmp_path / "r.html"
    assert done("report", models["single"], pets, "-o", out) == f"{out}\n"
    page = parsed(out)
    words = " ".join(page.text)
    for part in ("single.nearkind on pets.csv", "3 columns", "of 12 rows", "weight",
                 "What is, against what was said"):  # fmt: skip
        assert part in words
    assert page.tags.count("td") == 3 * 3 + 3 * 4  # bars; a label and three counts
    assert "http" not in out.read_text()
    counts = [int(t) for t in page.text if t.isdigit()]
    assert sum(counts) == 12


def test_values_are_no_markup(tmp_path, pets):
    evil = "<script>alert(1)</script>"
    text = PETS.replace("bird", evil).replace("coat", "<b>coat&")
    (tmp_path / f"x{'&'}.csv").write_text(text)
    data, model, out = tmp_path / "x&.csv", tmp_path / "m", tmp_path / "r.html"
    done("fit", data, "-t", "kind", "--drop", "name", "-m", "hamming", "-o", model)
    done("report", model, data, "-o", out)
    page = parsed(out)
    assert not {"script", "b"} & set(page.tags)
    assert evil in "".join(page.text)


def test_without_classes_the_answers_are_counted(models, tmp_path):
    out = tmp_path / "r.html"
    rows = b"legs,coat,weight\n4,fur,004\n4,fur,004\n"
    done("report", models["hamming"], "-", "-o", out, stdin=rows)
    assert " ".join(parsed(out).text).split()[-3:] == ["Classes", "cat", "2"]


def test_bad_places(models, pets, tmp_path):
    said = complaint(
        "report", models["hamming"], pets, "-o", tmp_path / "no" / "r.html"
    )
    assert "There is no folder" in said
