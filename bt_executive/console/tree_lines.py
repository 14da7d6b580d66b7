"""The lines of a drawn tree in colours, folded into the most informative ones."""

from __future__ import annotations

import re

from rich.text import Text

# How py_trees marks a status, and its colour here.
MARKS = {'✓': 'green', '✕': 'yellow', '*': 'bold cyan', '-': 'dim'}
STATUS = re.compile(r'\[([✓✕*-])\](?= --|$)')
LEFT_OUT = '… {} more rows: not reached, or without a message'
# The lines that are left out first: not reached (its message is of an earlier tick), then failed
# without a message, then succeeded.
EXPENDABLE = tuple(
    re.compile(pattern) for pattern in (r'\[-\](?= --|$)', r'\[✕\]( -- (no)?)?$', r'\[✓\]')
)


def in_colours(text: str, rows: int) -> list[Text]:
    """Return at most `rows` lines of a tree, the most informative ones."""
    lines = text.splitlines()
    kept = _fold(lines, rows)
    left_out = len(lines) - len(kept)
    note = [Text(LEFT_OUT.format(left_out), 'dim')] if left_out else []
    return [*map(_coloured, kept), *note]


def _fold(lines: list[str], rows: int) -> list[str]:
    """Return all lines, or one less than `rows`, for the row with the number left out."""
    if len(lines) <= rows:
        return lines
    expendable = sorted(
        (rank, -_depth(line), -number)
        for number, line in enumerate(lines)
        if (rank := _rank(line)) is not None
    )
    dropped = {-number for *_, number in expendable[: len(lines) - (rows - 1)]}
    lines = [line for number, line in enumerate(lines) if number not in dropped]
    return lines[: max(rows - 1, 0)]


def _rank(line: str) -> int | None:
    """Return the order in which a line is left out, the smallest first; None: never."""
    ranks = (rank for rank, pattern in enumerate(EXPENDABLE) if pattern.search(line))
    return next(ranks, None)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _coloured(line: str) -> Text:
    status = STATUS.search(line)
    text = Text(line)
    if status:
        text.stylize(MARKS[status[1]], *status.span())
        if status[1] == '*':
            text.stylize('bold', 0, status.start())
        if status[1] == '-':
            text.stylize('dim')
        text.stylize('dim', status.end())
    return text
