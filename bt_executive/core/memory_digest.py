"""What the spatial memory tells of itself on its topic `digest`, as an event. Bounded, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_executive.core.inputs import MemorySeen
from rover_common.finite_number import finite_number
from rover_common.json_text import read_json_object
from rover_common.printable import one_line

LONGEST = 200_000  # characters of a message
LONGEST_SUMMARY = 5000
LONGEST_WORD = 120
MOST_PLACES = 100
TEXTS, NUMBERS = ('id', 'name', 'kind', 'state'), ('x', 'y', 'radius_m')


def memory_from_json(text: str) -> MemorySeen:
    """The event. Places that are none are left out.

    Raises:
        ValueError: It is no such message.
    """
    if len(text) > LONGEST:
        raise ValueError(f'it has {len(text)} characters, more than {LONGEST}')
    told = read_json_object(text)
    places = told.get('places')
    if not isinstance(places, list):
        raise ValueError('it has no list of places')
    found = (_place(each) for each in places[:MOST_PLACES])
    summary = one_line(str(told.get('summary', ''))[:LONGEST_SUMMARY])
    return MemorySeen(summary, tuple(each for each in found if each is not None))


def _place(told: Any) -> dict[str, Any] | None:
    if not isinstance(told, Mapping):
        return None
    numbers = {key: finite_number(told.get(key)) for key in NUMBERS}
    if None in numbers.values():
        return None
    words = {key: one_line(str(told.get(key, ''))[:LONGEST_WORD]) for key in TEXTS}
    return words | numbers
