"""The rover as a URDF of primitives, so that it is a rover in RViz and Foxglove, too. Pure.

One link, that of the base frame, with many visuals: it needs no transform but the one that is
there, and no `robot_state_publisher`. The sizes are those of Curiosity, in m.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, tostring

WHEEL_RADIUS, WHEEL_WIDTH = 0.25, 0.4
WHEELS_X, WHEELS_Y = (1.1, 0.0, -1.1), 1.15
Triple = tuple[float, float, float]
COLOURS = {
    'white': '0.93 0.92 0.88 1',
    'dark': '0.12 0.13 0.15 1',
    'grey': '0.45 0.47 0.50 1',
    'blue': '0.14 0.38 0.65 1',
}


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
