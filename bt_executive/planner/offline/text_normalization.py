"""Normalizes a text: compatibility form (NFKC), lower case, and one sign for each of several."""

from __future__ import annotations

from itertools import groupby
import unicodedata

_SAME_SIGNS = str.maketrans({'’': "'", '−': '-', '«': '"', '»': '"'})


def normalize(text: str) -> str:
    """Return a text in NFKC and lower case; superscript and circled digits stay."""
    if text.isascii():
        return text.lower()
    if not unicodedata.is_normalized('NFKC', text):
        runs = groupby(text, key=lambda character: unicodedata.category(character) == 'No')
        texts = ((raised, ''.join(run)) for raised, run in runs)
        text = ''.join(t if raised else unicodedata.normalize('NFKC', t) for raised, t in texts)
    return text.lower().translate(_SAME_SIGNS)
