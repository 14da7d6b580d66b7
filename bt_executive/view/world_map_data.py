"""The data of the map: the world of a configuration, remembered places, and the scale.

The light is that of the light model, by which pictures are scored. `viz.bright_zone_*` only limits
the drawing of an unbounded zone in RViz.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bt_executive.view.page_data_fields_and_json import Light, Place, Spot, World, Zone
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
