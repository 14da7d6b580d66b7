"""Names that the configuration gives and that nobody knows, with the nearest known one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
import difflib


def unknown(what: str, names: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    """A sentence for each name that is not among the known ones."""
    choices = sorted(known)
    for name in names:
        if name not in choices:
            close = difflib.get_close_matches(name, choices, n=1)
            known_are = f'known are {", ".join(choices)}.' if choices else 'there is none.'
            hint = f'did you mean {close[0]!r}?' if close else known_are
            yield f'{what} {name!r} is not known; {hint}'
