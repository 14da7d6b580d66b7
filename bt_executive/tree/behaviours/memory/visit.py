"""What the steps of one visit hand to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bt_executive.core.viewpoint import RememberedPlace, View
from rover_common.config.settings import Config
from rover_common.finite_number import finite_number

GONE = 'MEMORY_GONE'  # the place was in view, and the thing was not there


@dataclass
class Visit:
    """One way to a remembered place. Each step reads what those before it have entered.

    Attributes:
        text: What is looked for, as it was asked for.
        place: What the recall gave.
        drive: Arguments of the drive; empty: it is in view from here.
        seen: The latest look saw it.
        code: The error code of a look that did not see it.
        words: What the look said.
        looked: The rest of what it said.
        judged: What the memory has made of it.
    """

    text: str = ''
    place: RememberedPlace | None = None
    drive: dict[str, Any] = field(default_factory=dict)
    seen: bool = False
    code: str = ''
    words: str = ''
    looked: dict[str, Any] = field(default_factory=dict)
    judged: str = ''

    def begin(self, text: str) -> None:
        """Forgets the visit before."""
        self.text, self.place, self.drive = text, None, {}
        self.seen, self.code, self.words, self.looked, self.judged = False, '', '', {}, ''

    def question(self) -> Mapping[str, Any]:
        """What the memory is asked."""
        return {'text': self.text}

    def which(self) -> Mapping[str, Any]:
        """The place, for a look at it."""
        return {'id': self.place.place_id if self.place else ''}

    def judgement(self) -> Mapping[str, Any]:
        """The place, and what was found out about it."""
        return {**self.which(), 'reason': self.words}


def view_of(config: Config) -> View:
    """How the robot sees."""
    memory = config.executive.memory
    return View(memory.view_m, memory.half_view_rad, memory.standoff_m)


def place_of(data: Mapping[str, Any]) -> RememberedPlace | None:
    """The first place of a recall; None if it gave none that can be driven to."""
    places = data.get('places')
    first = places[0] if isinstance(places, (list, tuple)) and places else None
    if not isinstance(first, Mapping):
        return None
    x, y, radius = (finite_number(first.get(key)) for key in ('x', 'y', 'radius_m'))
    if x is None or y is None:
        return None
    name, place_id = str(first.get('name', '')), str(first.get('id', ''))
    named = first.get('named') is True
    return RememberedPlace(place_id, name, x, y, max(radius or 0.0, 0.0), named)
