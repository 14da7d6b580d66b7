"""Unknown names in the configuration, with the most similar known name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rover_common.config.key_and_value_faults import did_you_mean


def unknown_names(kind: str, names: Iterable[str], choices: Iterable[str]) -> Iterator[str]:
    """Yield a sentence for each name that is not among the choices."""
    known = sorted(choices)
    for name in names:
        if name not in known:
            all_names = f'; known are {", ".join(known)}.' if known else '; there is none.'
            yield f'{kind} {name!r} is not known{did_you_mean(name, known) or all_names}'
