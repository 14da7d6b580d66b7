"""The data of map and charts: the world of a configuration, and series of readings.

The light is that of the light model, by which pictures are scored. `viz.bright_zone_*` only limits
the drawing of an unbounded zone in RViz.

In a series a value is valid until the next one. A row `(ts, None)` begins a gap that ends with the
next row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from bt_executive.view.page_data_fields_and_json import (
    Light,
    Place,
    Poses,
    Series,
    Spot,
    World,
    Zone,
)
from rover_common.config.settings import Config, KeepOutZone
from rover_common.config.settings.world import Feature
from rover_common.json_values import finite_number

MEMORY = 'memory'  # the kind of a remembered place
FLAT = 'flat'  # the kind of a rock that the rover drives over
MAX_COORDINATE_M = 1e8  # larger coordinates are a fault


def world_of(
    config: Config | None,
    reported: Iterable[KeepOutZone] = (),
    remembered: Iterable[Place] = (),
) -> World:
    """Return the world of a configuration.

    Args:
        config: None: not known.
        reported: Zones reported at run time.
        remembered: Places of the spatial memory near the robot.
    """
    if config is None:
        return World(zones=[_zone(each) for each in reported], places=list(remembered))
    world = config.world
    zones = {each.name: each for each in (*config.executive.keep_out, *world.keep_out, *reported)}
    return World(
        name=world.name if config.has_world else '',
        frame=config.topics.tf.world_frame,
        zones=[_zone(each) for each in zones.values()],
        light=_light(config) if config.has_world else None,
        places=[
            *(
                Place(_kind(each), each.name, each.x, each.y, each.size_m)
                for each in world.features
            ),
            *remembered,
        ],
    )


def remembered_places(state: Any) -> list[Place]:
    """Return the places in the state's `world.places`; invalid ones are left out."""
    places = []
    for each in state if isinstance(state, (list, tuple)) else ():
        fields = each if isinstance(each, Mapping) else {}
        x, y, size = (finite_number(fields.get(key)) for key in ('x', 'y', 'radius_m'))
        if x is not None and y is not None and size is not None and is_place(x, y):
            places.append(Place(MEMORY, str(fields.get('name', '')), x, y, size))
    return places


def is_place(x: float, y: float) -> bool:
    """Return whether coordinates are valid."""
    return abs(x) <= MAX_COORDINATE_M and abs(y) <= MAX_COORDINATE_M


Point = tuple[float, float]
NEAR_M = 6.0  # from the path: farther corners of zones are left out


class MapScale:
    """Maps m to a drawing, with one scale for both axes and y upwards.

    The path, and the corners of zones near it, fit into `box` (left, top, right, bottom), with a
    margin; a side has at least `smallest_m`. `centre`: in m. `per_m`: length of a metre.
    """

    def __init__(
        self,
        path: Sequence[Point],
        zones: Iterable[Zone],
        box: tuple[float, float, float, float],
        margin_m: float,
        smallest_m: float,
    ) -> None:
        xs, ys = [x for x, _ in path], [y for _, y in path]
        near = [
            (x, y)
            for zone in zones
            for x, y in zone.points
            if min(xs) - NEAR_M < x < max(xs) + NEAR_M and min(ys) - NEAR_M < y < max(ys) + NEAR_M
        ]
        xs, ys = [*xs, *(x for x, _ in near)], [*ys, *(y for _, y in near)]
        left, top, right, bottom = box
        self.per_m = min(
            (right - left) / max(max(xs) - min(xs) + 2 * margin_m, smallest_m),
            (bottom - top) / max(max(ys) - min(ys) + 2 * margin_m, smallest_m),
        )
        self.centre = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
        self._middle = (left + right) / 2, (top + bottom) / 2

    def __call__(self, point: Point) -> Point:
        """Return the place of a point in the drawing."""
        return (
            self._middle[0] + (point[0] - self.centre[0]) * self.per_m,
            self._middle[1] - (point[1] - self.centre[1]) * self.per_m,
        )


def _kind(feature: Feature) -> str:
    return FLAT if feature.kind == 'rock' and not feature.stops else feature.kind


def _zone(zone: KeepOutZone) -> Zone:
    return Zone(zone.name, zone.polygon)


def _light(config: Config) -> Light:
    good = config.thresholds.quality.score_threshold
    field = config.world.light
    if field is None:
        model = config.thresholds.light_model
        return Light(good, x_min=model.x_min, x_good=model.x_good)
    spots = [Spot(each.x, each.y, each.sigma_m, each.peak) for each in field.spots]
    return Light(good, base=field.base, spots=spots)


POSE_STEP = (0.01, 0.005)  # m and rad: smaller changes of the pose are ignored
CHARGE_STEP, COST_STEP, TOKENS_STEP = 0.05, 1e-9, 0.5  # %, USD and tokens
MAX_GAP_S = 5.0  # between two readings, without a configuration


@dataclass(frozen=True)
class Reading:
    """Time of the latest reading.

    `ts`: ROS time in s. `at`: steady time in s of its arrival; None: never.
    """

    ts: float = 0.0
    at: float | None = None

    def after(self, ts: float, at: float | None) -> Reading:
        """Return the latest reading: this one if it has the same arrival."""
        return self if at == self.at else Reading(ts, at)

    def gap_until(self, later: Reading, max_gap_s: float) -> bool:
        """Return whether readings are missing between this one and a later one.

        Steady time goes backwards only if another machine counts it; that is a gap, too.
        """
        if self.at is None or later.at is None:
            return False
        return not 0.0 <= later.at - self.at <= max_gap_s


class ReadingSeries:
    """Folds readings into series. Times are ROS seconds, `at` is steady time in s.

    Args:
        pose_gap_s: Maximum time between two poses without a gap.
        charge_gap_s: The same for the battery.
    """

    def __init__(self, pose_gap_s: float = MAX_GAP_S, charge_gap_s: float = MAX_GAP_S) -> None:
        self.poses = Poses()
        self.charge, self.cost, self.tokens = Series(), Series(), Series()
        self._pose_gap_s, self._charge_gap_s = pose_gap_s, charge_gap_s
        self._pose_reading, self._charge_reading = Reading(), Reading()

    @property
    def longest(self) -> int:
        """The length of the longest series."""
        return max(len(each.ts) for each in (self.poses, self.charge, self.cost, self.tokens))

    def pose(self, ts: float, at: float | None, x: float, y: float, yaw: float) -> None:
        """Adds the pose at `ts`. `at`: arrival of the reading; None: there is none."""
        if at is None or not is_place(x, y):
            return
        before, self._pose_reading = self._pose_reading, self._pose_reading.after(ts, at)
        gap = before.gap_until(self._pose_reading, self._pose_gap_s)
        xs, yaws = self.poses.x, self.poses.yaw
        if gap and xs:  # the latest known pose was valid until then
            self._place(before.ts, xs[-1], self.poses.y[-1], yaws[-1], gap=False)
        metres, radians = POSE_STEP
        near = bool(xs) and abs(xs[-1] - x) + abs(self.poses.y[-1] - y) < metres
        if gap or not near or abs(yaws[-1] - yaw) >= radians:
            self._place(ts, x, y, yaw, gap=gap)

    def battery(self, ts: float, at: float | None, percent: float, stale: bool = False) -> None:
        """Adds a reading of the battery. `stale`: there are no readings any more."""
        if at is None:
            return
        before, self._charge_reading = self._charge_reading, self._charge_reading.after(ts, at)
        if before.gap_until(self._charge_reading, self._charge_gap_s):
            self._end_charge(before.ts)
        if self._charge_reading is not before:
            _append(self.charge, ts, percent, CHARGE_STEP)
        elif stale:
            self.end_charge()

    def end_charge(self) -> None:
        """Begins a gap after the latest reading of the battery."""
        self._end_charge(self._charge_reading.ts)

    def use(self, ts: float, use: Any) -> None:
        """Adds the accumulated usage of the model, from the state's metrics."""
        if isinstance(use, Mapping):
            _append(self.cost, ts, use.get('cost_usd') or 0.0, COST_STEP)
            tokens = (use.get('input_tokens') or 0) + (use.get('output_tokens') or 0)
            _append(self.tokens, ts, tokens, TOKENS_STEP)

    def _end_charge(self, ts: float) -> None:
        if self.charge.value and self.charge.value[-1] is not None:
            self.charge.ts.append(round(ts, 3))
            self.charge.value.append(None)

    def _place(self, ts: float, x: float, y: float, yaw: float, *, gap: bool) -> None:
        poses = self.poses
        rows = ((poses.ts, ts), (poses.x, x), (poses.y, y), (poses.yaw, yaw))
        for column, value in rows:
            column.append(round(value, 4))
        poses.gap.append(gap)


Columns = TypeVar('Columns', bound=Poses | Series)


def thin(columns: Columns, most: int) -> Columns:
    """Select about `most` rows evenly; the last one and those beside a gap stay."""
    count = len(columns.ts)
    evenly = {*range(0, count, count // most + 1), *range(count)[-1:]}
    kept = sorted(evenly | columns.beside_gaps & {*range(count)})
    return type(columns)(*([column[row] for row in kept] for column in vars(columns).values()))


def _append(series: Series, ts: float, value: float, step: float) -> None:
    """Appends a value if it differs from the last one."""
    values = series.value
    if not values or values[-1] is None or abs(values[-1] - value) >= step:
        series.ts.append(round(ts, 3))
        values.append(round(value, 6))
