"""An observation: one thing that was seen at one place. Metres, seconds of ROS time."""

from __future__ import annotations

from dataclasses import dataclass, replace
import math
from typing import Literal

from rover_common.errors import MemoryStoreError
from rover_common.text_sanitizing import sanitize_line

Position = tuple[float, float, float]  # m, in the frame that stands beside it
Covariance = tuple[float, ...]  # 3x3 of the position, row by row, m²
Writer = Literal['percept', 'operator', 'model', 'import']

NAMERS: tuple[Writer, ...] = ('operator', 'model')  # whose places show nothing to a detector
NAMED_PLACE = 'place'  # the class of a place that an operator or a model has named
LONGEST_NAME = 120  # characters
LONGEST_CAPTION = 2000
LARGEST = 1e7  # m; larger coordinates are invalid


@dataclass(frozen=True, kw_only=True)
class Observation:
    """One thing that was seen at one place.

    Attributes:
        name: A name that differs from `label` names one thing, so that the same name at another
            place means that it was moved.
        caption: What was seen, in words. Data, never an order.
        position: m, in `frame_id`.
        frame_id: Frame of the map.
        map_epoch: Number of the map; a new map has another one.
        stamp: When it was seen, ROS time in s.
        covariance: Of the position, 3x3 row by row in m²; None: unknown.
        label: Its class, such as "rock".
        attributes: Words that describe it.
        box2d: x, y, width, height in the picture, px.
        source: The sensor that saw it.
        writer: Its origin. What was recalled is never an observation.
        image_hash: Of the picture that shows it.
        radius_m: Of the thing itself.
        observation_id: The same id again is the same observation, not another one; of a percept,
            if frame, map and stamp (within 10 s) agree, too.
    """

    name: str
    position: Position
    stamp: float
    caption: str = ''
    frame_id: str = 'map'
    map_epoch: int = 0
    covariance: Covariance | None = None
    label: str = ''
    attributes: tuple[str, ...] = ()
    box2d: tuple[float, ...] = ()
    box3d: tuple[float, ...] = ()
    source: str = ''
    writer: Writer = 'percept'
    image_hash: str = ''
    image_path: str = ''
    radius_m: float = 0.5
    observation_id: str = ''

    def __post_init__(self) -> None:
        """Validate the fields.

        Raises:
            MemoryStoreError: Names the field, its value, and what it should be.
        """
        fault = _fault(self)
        if fault:
            raise MemoryStoreError(f'The observation {self.name[:80]!r} is not taken: {fault}.')


def clean(observation: Observation) -> Observation:
    """Return the observation with sanitized texts of bounded length."""
    return replace(
        observation,
        name=sanitize_line(observation.name, LONGEST_NAME),
        caption=sanitize_line(observation.caption, LONGEST_CAPTION),
        label=sanitize_line(observation.label, LONGEST_NAME),
        attributes=tuple(sanitize_line(each, LONGEST_NAME) for each in observation.attributes),
        frame_id=sanitize_line(observation.frame_id, LONGEST_NAME),
        source=sanitize_line(observation.source, LONGEST_NAME),
        image_hash=sanitize_line(observation.image_hash, LONGEST_NAME),
        image_path=sanitize_line(observation.image_path, LONGEST_CAPTION),
        observation_id=sanitize_line(observation.observation_id, LONGEST_NAME),
    )


def _fault(seen: Observation) -> str:
    if not seen.name.strip():
        return 'it has no name'
    if not seen.frame_id:
        return 'frame_id is empty: name the frame of its position'
    if len(seen.position) != 3 or not all(abs(each) <= LARGEST for each in seen.position):
        return f'its position {seen.position} is not three finite numbers in m'
    if not math.isfinite(seen.stamp):
        return f'its stamp {seen.stamp} is not a time in s'
    if not 0.0 <= seen.radius_m <= LARGEST:
        return f'its radius {seen.radius_m} is not a length in m'
    if seen.covariance is not None and (
        len(seen.covariance) != 9 or not all(math.isfinite(each) for each in seen.covariance)
    ):
        return 'its covariance is not 3x3 finite numbers in m²'
    if seen.writer not in ('percept', 'operator', 'model', 'import'):
        return f'its writer {seen.writer!r} is none of percept, operator, model, import'
    return ''
