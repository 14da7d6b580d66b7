"""Makes foreign text harmless for a model: tool results, goals and events are data, not orders."""

from __future__ import annotations

import re
import unicodedata

# Fullwidth and small forms that a model reads as the ASCII sign: Ａ-Ｚ ａ-ｚ ＿ ＜ ＞ ﹤ ﹥.
_ASCII_LOOKS = {
    **{code: code - 0xFEE0 for code in (*range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))},
    0xFF3F: ord('_'),
    0xFF1C: ord('<'),
    0xFF1E: ord('>'),
    0xFE64: ord('<'),
    0xFE65: ord('>'),
}
_BRACKETS = str.maketrans('<>', '‹›')
_COMMAND_WORD = re.compile(r'rosa[\s_.\-]{0,3}instructions?', re.IGNORECASE)
_CUT = ' …(cut)'


def sanitize(text: str, limit: int) -> str:
    """Return the text without tags, invisible characters and ROSA's command word, cut to a length.

    Angle brackets become ‹ ›, so no tag of any chat format survives. JSON stays JSON.

    Args:
        text: Anything from outside.
        limit: Longest result in characters.
    """
    text = text[: 2 * limit + len(_CUT)].translate(_ASCII_LOOKS)
    text = ''.join(sign for sign in text if sign in '\n\t' or _is_visible(sign))
    text = _COMMAND_WORD.sub('[quoted tag]', text.translate(_BRACKETS))
    return text if len(text) <= limit else text[: limit - len(_CUT)] + _CUT


def sanitize_line(text: str, limit: int) -> str:
    """Like `sanitize`, on one line."""
    return sanitize(' '.join(text[: 4 * limit].split()), limit)


def without_controls(text: str) -> str:
    """Return the text without characters that files and messages refuse: controls, surrogates.

    Line breaks and tabs stay.
    """
    return ''.join(sign for sign in text if sign in '\n\t' or _is_printable(sign))


def is_blank(text: str) -> bool:
    """Whether a reader sees nothing of the text."""
    return not any(_is_visible(sign) and not sign.isspace() for sign in text)


def _is_printable(sign: str) -> bool:
    return unicodedata.category(sign) not in ('Cc', 'Cs')


def _is_visible(sign: str) -> bool:
    return unicodedata.category(sign) not in ('Cc', 'Cf', 'Cs', 'Co')
