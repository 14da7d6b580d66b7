"""The answers of the spatial memory as text for people. Its texts are untrusted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from rover_common.printable import one_line

LONGEST_CAPTION = 200  # characters
MOST_RELATIONS = 3


class RecallResponse(Protocol):
    """The response of the service `recall`."""

    ok: bool
    reason: str
    places: Sequence[Any]


def format_recall(response: RecallResponse) -> str:
    """Return the memory's sentence, then a line for each place."""
    lines = [one_line(response.reason), *map(_format_place, response.places)]
    return '\n'.join(filter(None, lines))


def _format_place(place: Any) -> str:
    caption = one_line(place.caption)[:LONGEST_CAPTION]
    relations = map(one_line, (*place.relations[:MOST_RELATIONS], *place.part_of[:1]))
    description = '; '.join(filter(None, (caption, *relations)))
    return f'  {one_line(place.name)}  x {place.x:.1f} m, y {place.y:.1f} m: {description}'
