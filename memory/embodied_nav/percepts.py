"""What a detector reports, as observations in the map's frame."""

from __future__ import annotations

from dataclasses import dataclass
import math

from embodied_nav.observed_thing import Covariance, Observation, Position
from rover_common.geometry.transforms import Transform

LONGEST_CLASS = 3000  # characters of a detection's class that are looked at


@dataclass(frozen=True)
class Percept:
    """One thing in one look of a detector.

    Attributes:
        words: As detectors call it: `CLASS`, or `CLASS/NAME: CAPTION`, where all but the class
            may be missing.
        position: m, in the frame of the look.
        variance_m2: Of the position, along the axis where it is largest; 0: not known.
        radius_m: Half of its width.
    """

    words: str
    position: Position
    variance_m2: float = 0.0
    radius_m: float = 0.5

    @property
    def is_usable(self) -> bool:
        """Whether it has words and a place."""
        return bool(self.name) and all(math.isfinite(each) for each in self.position)

    @property
    def label(self) -> str:
        """What kind of thing it is."""
        return self._title.partition('/')[0].strip()

    @property
    def name(self) -> str:
        """What it is called: by its own name, else as its kind."""
        kind, _, name = self._title.partition('/')
        return name.strip() or kind.strip()

    @property
    def caption(self) -> str:
        """What it looks like; may be empty."""
        return self.words[:LONGEST_CLASS].partition(': ')[2].strip()

    @property
    def _title(self) -> str:
        return self.words[:LONGEST_CLASS].partition(': ')[0]


@dataclass(frozen=True)
class Look:
    """One look of a detector: all that it saw at one moment, which may be nothing.

    Attributes:
        look_id: The same for the same look, however often it is told.
        stamp: When, s of the system's time.
        at: Where the frame of the percepts was in the map's frame.
        base: Where the rover stood.
    """

    look_id: str
    stamp: float
    at: Transform
    base: Transform
    percepts: tuple[Percept, ...]

    def place_of(self, percept: Percept) -> Position:
        """Where a percept is, m in the map's frame."""
        there = self.at.compose(Transform(*percept.position))
        return there.x, there.y, there.z


def observation_of(
    percept: Percept, look: Look, number: int, frame_id: str, map_epoch: int
) -> Observation:
    """What the memory is told of a percept. `number`: its place in the look."""
    return Observation(
        name=percept.name,
        label=percept.label,
        caption=percept.caption,
        position=look.place_of(percept),
        frame_id=frame_id,
        map_epoch=map_epoch,
        stamp=look.stamp,
        covariance=_round(percept.variance_m2),
        radius_m=percept.radius_m,
        source='detector',
        writer='percept',
        observation_id=f'{look.look_id}/{number}',
    )


def _round(variance_m2: float) -> Covariance | None:
    if not variance_m2 > 0.0 or not math.isfinite(variance_m2):
        return None
    v = variance_m2
    return (v, 0.0, 0.0, 0.0, v, 0.0, 0.0, 0.0, v)
