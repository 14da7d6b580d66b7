"""Unknown names in the configuration, with the most similar known name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
import difflib


def unknown_names(kind: str, names: Iterable[str], choices: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each name that is not among the choices."""
    known = sorted(choices)
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            all_names = f'known are {", ".join(known)}.' if known else 'there is none.'
            hint = f'did you mean {close[0]!r}?' if close else all_names
            yield f'{kind} {name!r} is not known; {hint}'
