"""Text of others made fit for a terminal. What a model writes may hold escape sequences. Pure."""

from __future__ import annotations

import re
import unicodedata

REPLACED = frozenset(
    {'Cc', 'Cs', 'Co', 'Cn'}
)  # control characters, halves of a pair, no character
BREAKS = frozenset({'Zl', 'Zp'})  # line ends that are no newline
KEPT = '\n\t'
UNSENDABLE = re.compile('[\0\ud800-\udfff]')


def printable(text: str) -> str:
    """The text without anything that a terminal would obey.

    Control characters become U+FFFD, so that it shows that there was something. Format characters
    (category Cf: zero width, joiners, direction marks) are removed: they hide text and take no
    cell. Newlines and tabs stay.
    """
    return text if text.isprintable() else ''.join(map(_printable, text))


def one_line(text: str) -> str:
    """The printable text with every run of white space as one space."""
    return ' '.join(printable(text).split())


def sendable(text: str) -> str:
    """The text as a ROS message can carry it: NUL and halves of a pair become U+FFFD.

    A terminal hands over a byte that is not UTF-8 as such a half. NUL would end the text.
    """
    if text.isascii() and '\0' not in text:
        return text
    return UNSENDABLE.sub('\N{REPLACEMENT CHARACTER}', text)


def _printable(character: str) -> str:
    if character in KEPT:
        return character
    category = unicodedata.category(character)
    if category in REPLACED:
        return '\N{REPLACEMENT CHARACTER}'
    if category == 'Cf':
        return ''
    return '\n' if category in BREAKS else character
