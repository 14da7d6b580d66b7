"""The world of a configuration for the map: zones, light, and named places.

The light is that of the light model, by which pictures are scored. `viz.bright_zone_*` only limits
the drawing of an unbounded zone in RViz.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bt_executive.view.page_data import Light, Place, Spot, World, Zone
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
