"""Text as RViz can draw it: one line of ASCII.

RViz draws a text marker byte by byte from a font with the glyphs 33 to 166 (rviz_rendering,
movable_text.cpp and liberation_sans.fontdef): every byte of another letter is a wide gap. A text
without any glyph makes it create a vertex buffer of length zero, which ends it.
"""

from __future__ import annotations

import re
import unicodedata

MOST_READ = 400  # characters of a text that are examined, however long it is
UNDRAWN = '~'  # in place of a sentence in letters that RViz lacks, its numbers included

_UNDRAWABLE = re.compile(r'[^\x00-\x7f]+(?:[\x00-\x7f]{1,16}[^\x00-\x7f]+)*')
_SIGNS = str.maketrans({'→': '->', '–': '-', '—': '-', '…': '...', '°': ' deg', '×': 'x'})


def plain(text: str, longest: int) -> str:
    """A text on one line of at most `longest` characters; empty if nothing is left of it."""
    signs = text[:MOST_READ].translate(_SIGNS)
    letters = (each for each in unicodedata.normalize('NFKD', signs) if not _is_accent(each))
    line = _UNDRAWABLE.sub(UNDRAWN, ''.join(letters))
    line = ' '.join(re.sub(r'[\x00-\x1f\x7f]', ' ', line).split())
    return line if len(line) <= longest else line[: longest - 3].rstrip() + '...'


def _is_accent(letter: str) -> bool:
    return unicodedata.combining(letter) != 0
