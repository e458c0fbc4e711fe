"""Values, counts and shares as text that can be drawn."""

from functools import lru_cache
from textwrap import fill
from typing import Any

UNKNOWN = "\N{REPLACEMENT CHARACTER}"


def shorten(text: str, most: int) -> str:
    """Return a text of at most ``most`` letters, shortened in the middle.

    Examples
    --------
    >>> shorten("a rather long name of a column", 12)
    'a rath…olumn'
    """
    if len(text) <= most:
        return text
    kept = most - 1
    return f"{text[: kept - kept // 2]}…{text[len(text) - kept // 2 :]}"


def value_text(value: object, most: int = 24) -> str:
    """Return a value on one line; a missing one is "missing", an empty text is ''.

    Letters that no font has are replaced, and dollar signs are escaped: matplotlib
    would read two of them as a formula.
    """
    text = "missing" if value is None else str(value)
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    text = " ".join(text.split()) or repr(str(value))
    return _replace_missing_glyphs(shorten(text, most)).replace("$", r"\$")


def list_text(values: list[Any], most: int = 60) -> str:
    """Return values as one text: as many as fit in ``most`` letters, and how many more.

    Long texts have several lines.

    Examples
    --------
    >>> list_text(["red", "green", "blue"], 12)
    'red, green + 1'
    """
    texts = [value_text(value) for value in values]
    n_shown = 1
    while n_shown < len(texts) and len(", ".join(texts[: n_shown + 1])) <= most:
        n_shown += 1
    rest = len(texts) - n_shown
    return fill(", ".join(texts[:n_shown]) + (f" + {rest:,}" if rest else ""), 26)


def count_text(n: int, one: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> count_text(1, "row"), count_text(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{n:,} {one}{'' if n == 1 else 's'}"


def percent(share: float) -> str:
    """Return a share in per cent, with one or two digits below 100 %.

    Examples
    --------
    >>> percent(0.5), percent(-0.0123), percent(0.00004), percent(1e-6), percent(1e-17)
    ('50 %', '−1.2 %', '0.004 %', '< 0.001 %', '0 %')
    """
    size = abs(100.0 * share)
    if size < 0.001:
        return "0 %" if size < 1e-7 else "< 0.001 %"
    form = ".0f" if size >= 9.95 else ".1f" if size >= 0.095 else ".1g"
    sign = "\N{MINUS SIGN}" if share < 0.0 else ""
    return f"{sign}{size:{form}} %"


def _replace_missing_glyphs(text: str) -> str:
    """Replace letters that no font has; matplotlib would warn of each."""
    from matplotlib import rcParams

    settings: Any = rcParams
    families = settings["font.family"]
    names = [name for f in families for name in settings.get(f"font.{f}", [f])]
    fonts = _fonts(tuple(names))
    return "".join(
        letter
        if letter.isascii() or any(font.get_char_index(ord(letter)) for font in fonts)
        else UNKNOWN
        for letter in text
    )


@lru_cache(maxsize=8)
def _fonts(names: tuple[str, ...]) -> tuple[Any, ...]:
    from matplotlib.font_manager import findfont, get_font

    found = []
    for name in names:
        try:
            found.append(get_font(findfont(name, fallback_to_default=False)))
        except ValueError:  # no such font here
            continue
    return tuple(found)
