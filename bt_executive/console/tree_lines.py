"""The lines of a drawn tree in colours, the most telling ones where there is little room."""

from __future__ import annotations

import re

from rich.text import Text

# How py_trees marks a status, and its colour here.
MARKS = {'✓': 'green', '✕': 'yellow', '*': 'bold cyan', '-': 'dim'}
STATUS = re.compile(r'\[([✓✕*-])\](?= --|$)')
LEFT_OUT = '… {} more rows: not reached, or without a message'
# What goes first if there is no room: what was not reached, then what does not apply.
# (What it says beside [-] is from an earlier time.)
EXPENDABLE = tuple(
    re.compile(each) for each in (r'\[-\](?= --|$)', r'\[✕\]( -- (no)?)?$', r'\[✓\]')
)


def in_colours(text: str, rows: int) -> list[Text]:
    """The lines of a tree; at most so many, the most telling ones."""
    lines = text.splitlines()
    left = _fold(lines, rows)
    folded = (
        [Text(LEFT_OUT.format(len(lines) - len(left)), 'dim')] if len(left) < len(lines) else []
    )
    return [*(_coloured(line) for line in left), *folded]


def _fold(lines: list[str], rows: int) -> list[str]:
    """The lines, or so many less one that a last row can say how many are left out."""
    if len(lines) <= rows:
        return lines
    expendable = sorted(
        (rank, -_depth(line), -number)
        for number, line in enumerate(lines)
        if (rank := _rank(line)) is not None
    )
    gone = {-number for *_, number in expendable[: len(lines) - (rows - 1)]}
    lines = [line for number, line in enumerate(lines) if number not in gone]
    return lines[: max(rows - 1, 0)]


def _rank(line: str) -> int | None:
    """How soon a row goes, the soonest first; None: never."""
    return next((rank for rank, each in enumerate(EXPENDABLE) if each.search(line)), None)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _coloured(line: str) -> Text:
    found = STATUS.search(line)
    text = Text(line)
    if found:
        text.stylize(MARKS[found[1]], *found.span())
        if found[1] == '*':
            text.stylize('bold', 0, found.start())
        if found[1] == '-':
            text.stylize('dim')
        text.stylize('dim', found.end())
    return text
