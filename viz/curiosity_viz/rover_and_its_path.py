"""The rover and the path that it has driven: their markers, and its model as a URDF of primitives.

One link, that of the base frame, with many visuals: it needs no transform but the one that is
there, and no `robot_state_publisher`. The sizes are those of Curiosity, in m.
"""

from __future__ import annotations

from collections.abc import Iterable
import math
from xml.etree.ElementTree import Element, SubElement, tostring

from curiosity_viz.markers import SKY_BLUE, WHITE, Marker, Point, faint, line_markers
from rover_common.geometry.transforms import Transform

ROVER = ('rover', 'path')

BODY_M = (3.0, 2.8, 0.9)  # Curiosity's length and width over its wheels (NASA), height of its deck
ARROW_M = (2.4, 0.35, 0.35)
PATH_WIDTH_M = 0.08
LEAP_M = (
    3.0  # between two poses: the world frame jumped, or the motion between them was not observed
)
WHEEL_RADIUS, WHEEL_WIDTH = 0.25, 0.4
WHEELS_X, WHEELS_Y = (1.1, 0.0, -1.1), 1.15
Triple = tuple[float, float, float]
COLOURS = {
    'white': '0.93 0.92 0.88 1',
    'dark': '0.12 0.13 0.15 1',
    'grey': '0.45 0.47 0.50 1',
    'blue': '0.14 0.38 0.65 1',
}


def rover_markers(rover: Transform | None, strokes: Iterable[tuple[Point, ...]]) -> list[Marker]:
    """Body and path; no body while its pose is unknown."""
    return [*(_body(rover) if rover else ()), *_path_markers(strokes)]


def _body(rover: Transform) -> list[Marker]:
    turned = (rover.qx, rover.qy, rover.qz, rover.qw)
    middle = _placed(rover, (0.0, 0.0, BODY_M[2] / 2.0))
    deck = _placed(rover, (0.0, 0.0, BODY_M[2] + ARROW_M[2] / 2.0))
    return [
        Marker('rover', 0, 'cube', faint(WHITE, 0.45), BODY_M, at=middle, turned=turned),
        Marker('rover', 1, 'arrow', SKY_BLUE, ARROW_M, at=deck, turned=turned),
    ]


def _placed(rover: Transform, offset: Point) -> Point:
    x, y, z = rover.rotated(*offset)
    return rover.x + x, rover.y + y, rover.z + z


def _path_markers(strokes: Iterable[tuple[Point, ...]]) -> list[Marker]:
    pieces: list[Marker] = []
    for stroke in strokes:
        pieces += line_markers('path', len(pieces), stroke, PATH_WIDTH_M, SKY_BLUE)
    return pieces


class RoverPath:
    """Strokes of points at least `step` apart; a leap begins a new stroke.

    When there are `most` points, every second one is dropped and the step doubles, so a long
    drive keeps its shape and its price.
    """

    def __init__(self, step: float = 0.1, most: int = 1000) -> None:
        self._finest = self._step = step
        self._most = most
        self._strokes: list[list[Point]] = []

    @property
    def strokes(self) -> tuple[tuple[Point, ...], ...]:
        """The strokes, each with its oldest point first."""
        return tuple(map(tuple, self._strokes))

    def add(self, point: Point) -> None:
        """Add the rover's current place."""
        far = math.dist(point, self._strokes[-1][-1]) if self._strokes else math.inf
        if far < self._step:
            return
        if far > LEAP_M + self._step:
            self._begin_stroke()
        self._strokes[-1].append(point)
        if sum(map(len, self._strokes)) >= self._most:
            self._thin_out()

    def clear(self) -> None:
        """Clear the path, for a world that began anew."""
        self._strokes, self._step = [], self._finest

    def _begin_stroke(self) -> None:
        """A stroke of a single point is invisible: the new one replaces it."""
        if self._strokes and len(self._strokes[-1]) == 1:
            self._strokes.pop()
        self._strokes.append([])

    def _thin_out(self) -> None:
        *before, last = (stroke[::2] for stroke in self._strokes)
        self._strokes = [*(stroke for stroke in before if len(stroke) > 1), last]
        self._step *= 2.0


def rover_urdf(base_frame: str) -> str:
    """The model, as an XML text. `base_frame`: of topics.yaml, on the ground below its middle."""
    robot = Element('robot', name='curiosity')
    for name, rgba in COLOURS.items():
        SubElement(SubElement(robot, 'material', name=name), 'color', rgba=rgba)
    link = SubElement(robot, 'link', name=base_frame)
    _box(link, (1.9, 1.3, 0.45), (0.0, 0.0, 0.85), 'white')  # body
    _box(link, (0.7, 0.6, 0.4), (-1.25, 0.0, 0.95), 'grey')  # power source
    for y in (WHEELS_Y, -WHEELS_Y):
        _box(link, (2.2, 0.08, 0.1), (0.0, y * 0.82, 0.55), 'grey')  # rocker
        for x in WHEELS_X:
            _cylinder(link, WHEEL_RADIUS, WHEEL_WIDTH, (x, y, WHEEL_RADIUS), 'dark', lying=True)
    _cylinder(link, 0.06, 0.85, (0.75, -0.45, 1.5), 'grey')  # mast
    _box(link, (0.25, 0.55, 0.25), (0.75, -0.45, 2.0), 'white')  # head
    for y in (-0.3, -0.6):
        _cylinder(link, 0.05, 0.06, (0.88, y, 2.0), 'blue')
    _box(link, (0.5, 0.12, 0.12), (1.2, 0.3, 0.75), 'grey')  # arm
    return tostring(robot, encoding='unicode')


def _box(link: Element, size: Triple, at: Triple, colour: str) -> None:
    SubElement(_visual(link, at, colour), 'box', size=_numbers(size))


def _cylinder(
    link: Element, radius: float, length: float, at: Triple, colour: str, lying: bool = False
) -> None:
    turned = (1.5708, 0.0, 0.0) if lying else (0.0, 0.0, 0.0)
    geometry = _visual(link, at, colour, turned)
    SubElement(geometry, 'cylinder', radius=str(radius), length=str(length))


def _visual(link: Element, at: Triple, colour: str, turned: Triple = (0.0, 0.0, 0.0)) -> Element:
    """A visual's empty geometry."""
    visual = SubElement(link, 'visual')
    SubElement(visual, 'origin', xyz=_numbers(at), rpy=_numbers(turned))
    SubElement(visual, 'material', name=colour)
    return SubElement(visual, 'geometry')


def _numbers(values: Triple) -> str:
    return ' '.join(f'{value:g}' for value in values)
