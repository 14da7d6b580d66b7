"""Texts as viewers get them: bounded."""

from __future__ import annotations

LONGEST_TEXT = 500  # characters: a viewer shows one line, and a value may be a whole answer


def capped(value: object) -> str:
    """The value as text, cut where it becomes too long; nothing is a dash."""
    text = value if type(value) is str else '-' if value is None else str(value)
    return text if len(text) <= LONGEST_TEXT else f'{text[: LONGEST_TEXT - 1]}…'
