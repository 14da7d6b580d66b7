"""Parses the text after the mark of a model's first line: nothing, a request, or a fault. Pure.

Whether more text is needed depends on nothing but the text so far, and what is found on nothing
but the text from the mark on: however the stream is cut, the same is found.
"""

from __future__ import annotations

from dataclasses import dataclass
import json
import re

from rover_vision.chat.preamble_mark import INVISIBLE

LONGEST_VALUE = 8192  # characters of a request; a longer one is a fault
LONGEST_WORDS = 1024  # of a line in place of a request that are held back
FENCE = '```'
_LEAD = re.compile(rf'(?:[\s*.{INVISIBLE}]|`(?!``)|```[a-zA-Z]*(?=[\s{{\[]))*')
_FENCE_BEGINS = re.compile(r'`{1,3}|```[a-zA-Z]*')
_NONE = re.compile(r'(["\']?)none\1(?![a-z0-9])[ \t*`.]*', re.IGNORECASE)
_SOURCE = re.compile(r'["\']?(?:camera|desktop|undefined|nil)["\']?[ \t*`.]*', re.IGNORECASE)


@dataclass(frozen=True)
class Value:
    """The parsed value.

    Attributes:
        end: Where what follows begins, in the text behind the mark.
        fenced: Whether a fence of code was opened before it.
        request: The object that was written, if there is one.
        fault: Why it cannot be used, and is to be dropped to the end of its line; empty if none.
    """

    end: int
    fenced: bool = False
    request: dict[str, object] | None = None
    fault: str = ''


UNREADABLE = 'The model asked to look, but its request cannot be read.'
TOO_LONG = f'The model asked to look, but its request has more than {LONGEST_VALUE} characters.'


def read_value(text: str, at_end: bool) -> Value | None:
    """Parse the text after the mark; None: it is incomplete."""
    lead = _LEAD.match(text)
    start = lead.end() if lead else 0
    rest, before = text[start:], text[:start]
    if not at_end and start <= LONGEST_WORDS and _FENCE_BEGINS.fullmatch(rest or '`'):
        return None  # the lead may continue
    fenced = FENCE in before
    if rest[:1] in ('{', '['):
        return _json(text, start, fenced, at_end)
    if '\n' in before and not fenced:
        return Value(before.index('\n'))  # the line is empty; the answer follows
    return _line(text, start, fenced, at_end)


def _json(text: str, start: int, fenced: bool, at_end: bool) -> Value | None:
    """Parse an object or a list, over several lines."""
    written = text[start : start + LONGEST_VALUE]
    try:
        found, length = json.JSONDecoder().raw_decode(written)
    except (ValueError, RecursionError):
        return _unreadable(text, start, fenced, at_end)
    end = start + length
    if isinstance(found, dict):
        return Value(end, fenced, found)
    return Value(end, fenced, fault='The model asked to look with a list in place of an object.')


def _unreadable(text: str, start: int, fenced: bool, at_end: bool) -> Value | None:
    """Decide by whole lines whether it is only incomplete: no word spans two lines."""
    written = text[start : start + LONGEST_VALUE]
    lines = written[: written.rfind('\n') + 1]
    if lines and not _may_go_on(lines):
        return Value(start, fenced, fault=UNREADABLE)
    if len(written) == LONGEST_VALUE:
        return Value(start, fenced, fault=TOO_LONG)
    return Value(start, fenced, fault=UNREADABLE) if at_end else None


def _may_go_on(text: str) -> bool:
    try:
        json.JSONDecoder().raw_decode(text)
    except json.JSONDecodeError as error:
        return error.pos >= len(text.rstrip().rstrip(','))
    except (ValueError, RecursionError):
        return False
    return True


def _line(text: str, start: int, fenced: bool, at_end: bool) -> Value | None:
    """Parse a line without an object: `none`, an invalid request, or text of the answer."""
    line, newline, _ = text[start:].partition('\n')
    if not newline and not at_end and len(line) < LONGEST_WORDS:
        return None
    none = _NONE.match(line)
    if none is not None:
        return Value(start + none.end(), fenced)
    if len(line) < LONGEST_WORDS and _is_a_value(line):
        return Value(start, fenced, fault=UNREADABLE)
    return Value(start, fenced)


def _is_a_value(line: str) -> bool:
    """Return whether a line is one JSON value, or a source alone."""
    if _SOURCE.fullmatch(line.strip()):
        return True
    try:
        json.loads(line.strip(' \t\r*`.'))
    except (ValueError, RecursionError):
        return False
    return True
