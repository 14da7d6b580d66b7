"""Where it happened: path, captures, goals of drives and zones, as places in an SVG drawing."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
import math

from shapely import LineString

from bt_executive.report.model import GoalReport, RecordedPose, Recording
from bt_executive.report.pictures import Shown
from bt_executive.report.scale import Scale, number, round_step

Point = tuple[float, float]

WIDTH, HEIGHT = 960, 460
LEFT, TOP, RIGHT, BOTTOM = 60, 14, 946, 416
MARGIN_M = 1.5
FARTHEST_M = 1e8  # from the frame's origin; what lies beyond is a fault and no place
SMALLEST_M = 6.0  # of the world that is shown, however short the drive
SIMPLIFIED_M = 0.02
NEAR_S = 2.0  # a pose older than this says nothing of a picture's place
JUMP_M = 1.0  # a step of the pose beyond this is no drive
CAPTURE_RADIUS, CAPTURE_ABOVE = 9.0, 18.0  # pixels
MOST_STACKED = 5
ARROW = ((11.0, 0.0), (-7.0, -6.0), (-4.0, 0.0), (-7.0, 6.0))  # pixels, tip first


@dataclass(frozen=True)
class Area:
    """A zone as a closed shape. `tone`: its class in the style sheet."""

    tone: str
    name: str
    points: Sequence[Point]


@dataclass(frozen=True)
class Circle:
    """A round thing: a feature of the world, a capture, a place to drive to."""

    tone: str
    name: str
    at: Point
    radius: float
    label: str = ''
    level: int = 0  # of a capture's score, 0 to 10


@dataclass(frozen=True)
class Map:
    """Everything that the template draws. One m is as long in both directions."""

    areas: Sequence[Area]
    circles: Sequence[Circle]
    path: Sequence[Sequence[Point]]
    rover: Sequence[tuple[str, Sequence[Point]]]  # start and end
    x_ticks: Sequence[tuple[float, str]]
    y_ticks: Sequence[tuple[float, str]]
    box: tuple[int, int, int, int] = (LEFT, TOP, RIGHT, BOTTOM)
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True)
class _View:
    x: Scale
    y: Scale

    def __call__(self, at: Point) -> Point:
        return self.x(at[0]), self.y(at[1])

    def pixels(self, metres: float) -> float:
        return round(abs(self.x(self.x.low + metres) - self.x.start), 1)


def draw_map(goal: GoalReport, recording: Recording, pictures: Sequence[Shown]) -> Map | None:
    """The map of one goal; None while nobody knew where the robot was."""
    told = (each for each in recording.poses if goal.covers(each.ts) and _is_place(each.x, each.y))
    poses = sorted(told, key=lambda pose: pose.ts)
    if not poses:
        return None
    targets = list(_targets(goal))
    seen = [(shown, at) for shown in pictures if (at := _place_of(shown, poses)) is not None]
    view = _view([(pose.x, pose.y) for pose in poses] + targets)
    return Map(
        areas=list(_areas(recording, view)),
        circles=[
            *_features(recording, view),
            *(Circle('target', 'goal of a drive', view(at), 7.0) for at in targets),
            *_captures(seen, view),
        ],
        path=[[view(at) for at in part] for part in _path(poses)],
        rover=[('start', _arrow(poses[0], view)), ('end', _arrow(poses[-1], view))],
        x_ticks=[(view.x(value), number(value)) for value in _ticks(view.x)],
        y_ticks=[(view.y(value), number(value)) for value in _ticks(view.y)],
    )


def _view(points: Sequence[Point]) -> _View:
    """The part of the world around these points that fills the drawing."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    per_m = min(
        (RIGHT - LEFT) / max(max(xs) - min(xs) + 2 * MARGIN_M, SMALLEST_M),
        (BOTTOM - TOP) / max(max(ys) - min(ys) + 2 * MARGIN_M, SMALLEST_M),
    )
    half_x, half_y = (RIGHT - LEFT) / per_m / 2, (BOTTOM - TOP) / per_m / 2
    x, y = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    return _View(
        Scale(x - half_x, x + half_x, LEFT, RIGHT), Scale(y - half_y, y + half_y, BOTTOM, TOP)
    )


def _ticks(scale: Scale) -> list[float]:
    step = round_step((scale.high - scale.low) * 60 / abs(scale.end - scale.start))
    first = math.ceil(scale.low / step)
    return [number * step for number in range(first, math.floor(scale.high / step) + 1)]


def _path(poses: Sequence[RecordedPose]) -> Iterator[Sequence[Point]]:
    """Stretches without jumps, with no more points than their shape needs."""
    part: list[Point] = []
    for pose in poses:
        if part and math.dist(part[-1], (pose.x, pose.y)) > JUMP_M:
            yield _simplified(part)
            part = []
        part.append((pose.x, pose.y))
    yield _simplified(part)


def _simplified(points: Sequence[Point]) -> Sequence[Point]:
    if len(points) < 2:
        return points
    return [(x, y) for x, y in LineString(points).simplify(SIMPLIFIED_M).coords]


def _place_of(shown: Shown, poses: Sequence[RecordedPose]) -> Point | None:
    """Where the robot stood when the picture was taken."""
    index = bisect_left(poses, shown.stamp, key=lambda pose: pose.ts)
    near = poses[max(index - 1, 0) : index + 1]
    nearest = min(near, key=lambda pose: abs(pose.ts - shown.stamp))
    return (nearest.x, nearest.y) if abs(nearest.ts - shown.stamp) < NEAR_S else None


def _captures(seen: Sequence[tuple[Shown, Point]], view: _View) -> list[Circle]:
    """Above the places where they were taken; a few of one place stand on each other."""
    circles: list[Circle] = []
    for shown, at in seen:
        x, y = view(at)
        y -= CAPTURE_ABOVE
        for _ in range(MOST_STACKED):
            if all(math.dist((x, y), other.at) >= 2 * CAPTURE_RADIUS for other in circles):
                break
            y -= 2 * CAPTURE_RADIUS
        circles.append(
            Circle('capture', shown.title, (x, y), CAPTURE_RADIUS, str(shown.number), shown.level)
        )
    return circles


def _targets(goal: GoalReport) -> Iterator[Point]:
    """Places that tools were asked to drive to."""
    for step in goal.steps:
        x, y = step.arguments.get('x'), step.arguments.get('y')
        if isinstance(x, (int, float)) and isinstance(y, (int, float)) and _is_place(x, y):
            yield float(x), float(y)


def _is_place(x: float, y: float) -> bool:
    return abs(x) <= FARTHEST_M and abs(y) <= FARTHEST_M


def _areas(recording: Recording, view: _View) -> Iterator[Area]:
    config = recording.config
    if config is None:
        return
    if config.world.light is None:
        first, last = config.thresholds.bright_zone()
        first, last = max(first, view.x.low), min(last, view.x.high)
        if first < last:
            corners = ((first, TOP), (last, TOP), (last, BOTTOM), (first, BOTTOM))
            yield Area('bright', 'bright zone', [(view.x(x), y) for x, y in corners])
    for zone in (*config.executive.keep_out, *config.world.keep_out):
        yield Area('keep-out', f'keep out: {zone.name}', [view(at) for at in zone.polygon])


def _features(recording: Recording, view: _View) -> Iterable[Circle]:
    if recording.config is None:
        return
    world = recording.config.world
    for spot in world.light.spots if world.light else ():
        yield Circle('bright', 'bright spot', view((spot.x, spot.y)), view.pixels(spot.sigma_m))
    for each in world.features:
        radius = view.pixels(each.size_m)
        at = view((each.x, each.y))
        yield Circle(each.kind, f'{each.kind}: {each.name}', at, radius, each.name)


def _arrow(pose: RecordedPose, view: _View) -> list[Point]:
    """The robot's heading as a small arrow head; y of the drawing points down."""
    x, y = view((pose.x, pose.y))
    cos, sin = math.cos(pose.yaw), -math.sin(pose.yaw)
    return [
        (round(x + ax * cos - ay * sin, 1), round(y + ax * sin + ay * cos, 1)) for ax, ay in ARROW
    ]
