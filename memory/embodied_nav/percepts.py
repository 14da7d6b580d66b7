"""Detections as values and as observations in the map frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
import math

from embodied_nav.observation import LARGEST, LONGEST_NAME, Covariance, Observation, Position
from rover_common.geometry.transforms import Transform
from rover_common.text_sanitizing import sanitize_line

LONGEST_CLASS = 3000  # characters of a class id that are parsed


@dataclass(frozen=True)
class Percept:
    """One detected thing.

    Attributes:
        class_id: Of the detector: `CLASS`, or `CLASS/NAME: CAPTION`, where all but the class may
            be missing.
        position: m, in the frame of the detections.
        variance_m2: Of the position, along its largest axis; 0: not known.
        radius_m: Half of its width.
    """

    class_id: str
    position: Position
    variance_m2: float = 0.0
    radius_m: float = 0.5

    @property
    def is_usable(self) -> bool:
        """Whether it has a class and a position that a thing may have."""
        return bool(self.name) and all(abs(each) <= LARGEST for each in self.position)

    @cached_property
    def label(self) -> str:
        """The class, as the memory keeps it."""
        return sanitize_line(self._title.partition('/')[0], LONGEST_NAME)

    @cached_property
    def name(self) -> str:
        """The name, as the memory keeps it; the class if it has none."""
        return sanitize_line(self._title.partition('/')[2], LONGEST_NAME) or self.label

    @property
    def caption(self) -> str:
        """The caption; may be empty."""
        return self.class_id[:LONGEST_CLASS].partition(': ')[2].strip()

    @property
    def _title(self) -> str:
        return self.class_id[:LONGEST_CLASS].partition(': ')[0]


@dataclass(frozen=True)
class Detections:
    """All that a detector found at one time, which may be nothing.

    Attributes:
        array_id: The same for a repeated message.
        stamp: s of the system's time.
        at: Pose of the frame of the percepts in the map frame.
        base: Pose of the rover.
        unplaced: Names of what was detected besides, and whose position is not known here.
    """

    array_id: str
    stamp: float
    at: Transform
    base: Transform
    percepts: tuple[Percept, ...]
    unplaced: frozenset[str] = frozenset()

    def position_of(self, percept: Percept) -> Position:
        """Return the position of a percept, m in the map frame."""
        there = self.at.compose(Transform(*percept.position))
        return there.x, there.y, there.z


def observation_of(
    percept: Percept, detections: Detections, number: int, frame_id: str, map_epoch: int
) -> Observation:
    """Return the observation of a percept. `number`: its index in the detections."""
    return Observation(
        name=percept.name,
        label=percept.label,
        caption=percept.caption,
        position=detections.position_of(percept),
        frame_id=frame_id,
        map_epoch=map_epoch,
        stamp=detections.stamp,
        covariance=_round(percept.variance_m2),
        radius_m=percept.radius_m,
        source='detector',
        writer='percept',
        observation_id=f'{detections.array_id}/{number}',
    )


def _round(variance_m2: float) -> Covariance | None:
    if not variance_m2 > 0.0 or not math.isfinite(variance_m2):
        return None
    v = variance_m2
    return (v, 0.0, 0.0, 0.0, v, 0.0, 0.0, 0.0, v)
