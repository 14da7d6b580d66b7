"""The data of a visit that its steps share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bt_executive.core.drive_destinations import RememberedPlace, View
from rover_common.config.settings import Config
from rover_common.json_values import finite_number

GONE = 'MEMORY_GONE'  # the place was in view, and the thing was not there


@dataclass
class Visit:
    """A visit to a remembered place. Each step reads the results of the previous ones.

    Attributes:
        text: The requested thing.
        place: The result of the recall.
        drive: Arguments of the drive; empty: the place is in view.
        seen: The latest look saw it.
        code: The error code of a look that did not see it.
        description: The sentence of the look.
        look_fields: The fields of its result.
        judgement: The sentence of the memory about it.
    """

    text: str = ''
    place: RememberedPlace | None = None
    drive: dict[str, Any] = field(default_factory=dict)
    seen: bool = False
    code: str = ''
    description: str = ''
    look_fields: dict[str, Any] = field(default_factory=dict)
    judgement: str = ''

    def begin(self, text: str) -> None:
        """Resets the visit for a new text."""
        self.text, self.place, self.drive = text, None, {}
        self.seen, self.code, self.description, self.judgement = False, '', '', ''
        self.look_fields = {}

    def recall_arguments(self) -> Mapping[str, Any]:
        """Returns the arguments of the recall."""
        return {'text': self.text}

    def look_arguments(self) -> Mapping[str, Any]:
        """Returns the arguments of a look at the place."""
        return {'id': self.place.place_id if self.place else ''}

    def judge_arguments(self) -> Mapping[str, Any]:
        """Returns the arguments of the memory's judgement on the look."""
        return {**self.look_arguments(), 'reason': self.description}


def view_of(config: Config) -> View:
    """Return the robot's field of view."""
    memory = config.executive.memory
    return View(memory.view_m, memory.half_view_rad, memory.standoff_m)


def place_of(data: Mapping[str, Any]) -> RememberedPlace | None:
    """Return the first place of a recall; None: it has none with a position."""
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
