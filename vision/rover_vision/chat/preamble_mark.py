"""The mark at the start of a model's first line, in any spelling. Pure."""

from __future__ import annotations

from dataclasses import dataclass
import unicodedata

MARK = 'VISION_REQUEST:'
INVISIBLE = '\ufeff\u200b\u200c\u200d\u200e\u200f\u2060'  # beside white space, before a line
_SEPARATORS = '_-\\'  # between the two words; Markdown writes \_
_CLOSERS = ' *`"\'_'  # before the colon, as in **VISION_REQUEST**:
_MOST = 4  # of each


@dataclass(frozen=True)
class Found:
    """Return whether a text starts with the mark.

    Attributes:
        end: Behind the colon; 0 if it is not there.
        may_come: Whether more text could still complete it.
    """

    end: int = 0
    may_come: bool = False


def find_mark(text: str) -> Found:
    """Find the mark at the start of a text.

    Full width, case and characters that nobody sees make no difference.
    """
    at = 0
    for word, others in (('VISION', _SEPARATORS), ('REQUEST', _CLOSERS)):
        for letter in word:
            at = _behind(INVISIBLE, text, at)
            if at == len(text):
                return Found(may_come=True)
            if _plain(text[at]) != letter:
                return Found()
            at += 1
        at = _behind(others + INVISIBLE, text, at)
    if at == len(text):
        return Found(may_come=True)
    return Found(at + 1) if _plain(text[at]) == ':' else Found()


def _behind(passed: str, text: str, at: int) -> int:
    last = min(at + _MOST, len(text))
    while at < last and _plain(text[at]) in passed:
        at += 1
    return at


def _plain(character: str) -> str:
    return unicodedata.normalize('NFKC', character).upper()
