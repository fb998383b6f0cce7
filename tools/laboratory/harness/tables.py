"""Tables, for the terminal and for pages, and paragraphs of pages."""

from __future__ import annotations

import textwrap
from collections.abc import Collection

Table = list[list[str]]  # headings, then rows
LINE = 120  # columns of prose in a page


def as_text(lines: Table, left: Collection[int] = (0,)) -> str:
    """Columns for the terminal, those of `left` aligned there."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join(c.ljust(w) if i in left else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths))).rstrip()
                     for line in lines)


def as_markdown(lines: Table, left: Collection[int] = (0,)) -> str:
    """The same as a Markdown table."""
    head, *body = lines
    rule = ["---" if i in left else "---:" for i in range(len(head))]
    return "\n".join("| " + " | ".join(c.replace("|", "\\|") for c in line) + " |" for line in [head, rule, *body])


def wrapped(prose: str, mark: str = "") -> str:
    """A paragraph of Markdown, or with a mark an item of a list."""
    return textwrap.fill(mark + prose, LINE, subsequent_indent=" " * len(mark), break_long_words=False, break_on_hyphens=False)
