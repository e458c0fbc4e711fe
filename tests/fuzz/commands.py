"""Files of any bytes and odd tables, given to commands: a sentence, or an answer."""

import tempfile
from pathlib import Path

from hypothesis import strategies as st

from fuzz.tables import HOSTILE
from helpers.commands import PETS, done, run

CELL = st.sampled_from(
    [
        *(x for x in HOSTILE if x.isprintable()),
        "red",
        "blue",
        "3",
        "4.5",
        '"',
        "\x1b[1m",
    ]
)
SEPARATORS = st.sampled_from([",", ",", ";", "\t", "|"])
NEWLINES = st.sampled_from(["\n", "\n", "\r\n", "\r", "\n\n"])
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
ENDINGS = ["csv"] * 8 + ["tsv", "jsonl", "parquet", "arrow", "txt", "csv.gz", ""]
COMMANDS = [
    ["fit", "FILE", "-t", "kind", "-m", "hamming", "-o", "OUT"],
    ["fit", "FILE", "-t", "kind", "-m", "single", "-o", "OUT", "--stream"],
    ["fit", "FILE", "-t", "kind", "-m", "euclidean", "-o", "OUT", "--json"],
    ["predict", "MODEL", "FILE"],
    ["predict", "MODEL", "FILE", "--keep", "-o", "TABLE"],
    ["neighbors", "MODEL", "FILE", "--row", "0"],
    ["explain", "MODEL", "FILE", "--row", "0"],
    ["transform", "MODEL", "FILE", "-o", "TABLE"],
    ["duplicates", "FILE"],
    ["evaluate", "FILE", "-t", "kind", "-m", "hamming"],
    ["predict", "FILE", "PETS"],
    ["fit", "FILE", "-t", "weight", "-m", "hamming", "--task", "number", "-o", "OUT"],
    ["cluster", "FILE", "-k", "2", "-o", "TABLE"],
    ["cluster", "FILE", "-k", "auto", "-o", "TABLE", "--json"],
    ["outliers", "FILE", "-o", "TABLE"],
    ["outliers", "FILE", "--ordered", "coat=down,curls,fur", "-o", "TABLE"],
    ["impute", "FILE", "-o", "TABLE", "--weights", "legs=2"],
    ["impute", "FILE", "--metric", "unbiased", "--json"],
    ["match", "FILE", "PETS", "-o", "TABLE", "--caliper", "0.5"],
    ["match", "PETS", "FILE", "--column", "legs", "--exact", "kind", "--json"],
    ["neighbors", "FILE", "--row", "1"],
    ["teach", "FILE", "-o", "OUT", "--questions", "3", "--answers", "ANSWERS"],
    ["show", "FILE"],
    ["report", "FILE", "-o", "PAGE"],
]


@st.composite
def damaged_pets(draw):
    """A table of pets with some of its bytes changed, cut or doubled."""
    data = bytearray(PETS.encode())
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        how = draw(st.sampled_from(["set", "insert", "cut", "double"]))
        if how == "set" and data:
            data[at] = draw(st.integers(0, 255))
        elif how == "insert":
            data[at:at] = draw(st.binary(max_size=5))
        elif how == "cut":
            del data[at : at + draw(st.integers(1, 30))]
        else:
            data[at:at] = data[at : at + draw(st.integers(1, 30))]
    return bytes(data)


@st.composite
def odd_tables(draw):
    """Lines of a table that has nearly the columns of the pets."""
    separator, newline = draw(SEPARATORS), draw(NEWLINES)
    head = ["name", "legs", "coat", "weight", "kind"]
    if draw(st.booleans()):
        head = [*draw(st.lists(CELL, max_size=3)), "kind"]
    lines = [head]
    for _ in range(draw(st.integers(0, 8))):
        n = draw(st.sampled_from([len(head)] * 8 + [len(head) - 1, len(head) + 1, 0]))
        lines.append(draw(st.lists(CELL, min_size=n, max_size=n)))
    text = newline.join(separator.join(line) for line in lines)
    return text.encode(draw(ENCODINGS), "replace")


FILES = st.one_of(damaged_pets(), damaged_pets(), odd_tables(), st.binary(max_size=60))
examples = st.tuples(FILES, st.sampled_from(COMMANDS), st.sampled_from(ENDINGS))
FOLDER = tempfile.TemporaryDirectory()
PLACE = Path(FOLDER.name)
INTERRUPTED = 130


def model_of_pets():
    """Return a model file of the pets, made once."""
    path, table = PLACE / "pets.nearkind", PLACE / "pets.csv"
    if not path.exists():
        table.write_text(PETS)
        done("fit", table, "-t", "kind", "-m", "hamming", "-o", path)
    return path


def run_or_refuse(data, command, ending):
    """A command answers, or says in one line what is wrong; it never falls over."""
    path = PLACE / (f"input.{ending}" if ending else "input")
    path.write_bytes(data)
    places = {
        "FILE": path,
        "MODEL": model_of_pets(),
        "OUT": PLACE / "out.nearkind",
        "TABLE": PLACE / "out.csv",
        "PETS": PLACE / "pets.csv",
        "ANSWERS": PLACE / "answers.json",
        "PAGE": PLACE / "page.html",
    }
    places["ANSWERS"].unlink(missing_ok=True)
    result = run(*(places.get(word, word) for word in command), stdin="12=q")
    if result.exit_code == INTERRUPTED:  # the time of the search is over
        raise KeyboardInterrupt
    error = result.exception
    if error is not None and not isinstance(error, SystemExit):
        raise error
    assert result.exit_code in (0, 1, 2), result.exit_code
    assert "Traceback" not in result.output
    if command[0] != "predict" or "-o" in command:
        assert not set("\x1b\x7f\x9b\u202e") & set(result.output), (
            "it steers a terminal"
        )
    if result.exit_code == 1:
        lines = result.stderr.splitlines()
        assert all(line.startswith("nearkind: ") for line in lines), result.stderr
    return ["answered", "refused", "usage"][result.exit_code]
