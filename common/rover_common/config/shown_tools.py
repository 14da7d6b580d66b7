"""Which tools stand for all of a robot's, where people are shown what they can ask for. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

MOST_SHOWN = 6


def first_of_each_kind(kinds: Mapping[str, Hashable]) -> list[str]:
    """Return the first tool of each kind, in order. `kinds`: parts and arguments, by tool."""
    first: dict[Hashable, str] = {}
    for name, kind in kinds.items():
        first.setdefault(kind, name)
    return list(first.values())
