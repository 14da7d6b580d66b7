"""A marker as a plain value. Lengths in m, in the world frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Point = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Colour = tuple[float, float, float, float]
Key = tuple[str, int]

FARTHEST_M = 1e5  # no rover goes there, and 32-bit floats, which RViz draws with, get coarse
CHUNK = 50  # points of a line in one marker


@dataclass(frozen=True)
class Marker:
    """One marker; `name`, the namespace in RViz, and `number` together are its identity.

    Attributes:
        name: Namespace.
        number: Unique in its namespace.
        shape: What is drawn.
        colour: Red, green, blue, opacity from 0 to 1.
        size: Edges of a cube or of each of the cubes, diameters of a cylinder or of each ball,
            length, width and height of an arrow; for text the third entry is the height of a
            line, for a line the first one its width.
        at: Middle; of an arrow its tail.
        turned: Rotation as a unit quaternion x, y, z, w.
        text: ASCII, not blank: see `text_marker`.
        points: Of a line, of cubes or balls; of triangles, by threes.
        colours: One for each of the points, or none.
    """

    name: str
    number: int
    shape: Literal['cube', 'cylinder', 'arrow', 'text', 'line', 'cubes', 'balls', 'triangles']
    colour: Colour
    size: Point
    at: Point = (0.0, 0.0, 0.0)
    turned: Quaternion = (0.0, 0.0, 0.0, 1.0)
    text: str = ''
    points: tuple[Point, ...] = ()
    colours: tuple[Colour, ...] = ()

    @property
    def key(self) -> Key:
        """The marker's identity."""
        return self.name, self.number


def text_marker(
    name: str, number: int, text: str, at: Point, height: float, colour: Colour
) -> Marker:
    """Text that faces the camera, centred on `at`."""
    return Marker(name, number, 'text', colour, (0.0, 0.0, height), at=at, text=text)


def line_markers(
    name: str, first: int, points: Sequence[Point], width: float, colour: Colour
) -> list[Marker]:
    """A line in pieces, numbered from `first`: one that grows changes only its last piece."""
    return [
        Marker(
            name,
            first + begin // CHUNK,
            'line',
            colour,
            (width, 0.0, 0.0),
            points=tuple(points[begin : begin + CHUNK + 1]),
        )
        for begin in range(0, len(points) - 1, CHUNK)
    ]


def is_drawable(*numbers: float) -> bool:
    """Whether all of these coordinates are finite and not out of sight."""
    return all(abs(number) <= FARTHEST_M for number in numbers)
