"""A hook of mkdocs by which examples with prompts are copied as code alone.

Pages have ``>>>`` in blocks of Python, which doctest runs, and ``$`` in those of a
shell. The copy button of the theme takes the attribute ``data-copy`` of a block if it
has one: here the lines that have a prompt, without it.
"""

import re
from html import escape, unescape

SESSION = re.compile(r"^```python\n(?=>>>)", re.M)
BLOCK = re.compile(r'<div class="((?:[\w-]+ )*highlight)">(<pre>.*?</pre>)', re.S)
PROMPT = re.compile(r'^.*?<span class="gp">.*?</span>(.*)$')
TAG = re.compile(r"<[^>]+>")


def on_page_markdown(markdown, **_):
    """Return a page with its sessions named as such, so that prompts are known."""
    return SESSION.sub("```pycon\n", markdown)


def on_page_content(html, **_):
    """Return the HTML of a page with what is to be copied beside each session."""
    return BLOCK.sub(_with_code, html)


def _with_code(found):
    kind, block = found.groups()
    lines = filter(None, map(PROMPT.match, block.splitlines()))
    code = "\n".join(unescape(TAG.sub("", line[1])).strip("\n") for line in lines)
    copied = f' data-copy="{escape(code)}"' if code else ""
    return f'<div class="{kind}"{copied}>{block}'
