"""What the spatial memory answers, in words for people. Its texts come from outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from rover_common.printable import one_line

LONGEST_CAPTION = 200  # characters
MOST_RELATIONS = 3


class Recalled(Protocol):
    """The response of the service `recall`."""

    ok: bool
    reason: str
    places: Sequence[Any]


def recall_in_words(answer: Recalled) -> str:
    """The memory's sentence, then a line for each place."""
    lines = [one_line(answer.reason), *(_line(each) for each in answer.places)]
    return '\n'.join(each for each in lines if each)


def _line(place: Any) -> str:
    words = [one_line(place.caption)[:LONGEST_CAPTION]]
    words += [one_line(each) for each in (*place.relations[:MOST_RELATIONS], *place.part_of[:1])]
    said = '; '.join(each for each in words if each)
    return f'  {one_line(place.name)}  x {place.x:.1f} m, y {place.y:.1f} m: {said}'
