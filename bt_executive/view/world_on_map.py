"""The world of a configuration as the map shows it: zones, light, and what has a name.

The light is the light model's own, by which pictures are scored. What `viz.bright_zone_*` says is
where RViz ends its drawing of a zone that has no end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bt_executive.view.page_data import Light, Place, Spot, World, Zone
from rover_common.config.settings import Config, KeepOutZone
from rover_common.config.settings.world_features import Feature
from rover_common.finite_number import finite_number

MEMORY = 'memory'  # the kind of a remembered place
FLAT = 'flat'  # that of a rock which is no body: a mark that the rover drives over
FARTHEST_M = 1e8  # from the frame's origin; what lies beyond is a fault and no place


def scene_of(
    config: Config | None,
    told: Iterable[KeepOutZone] = (),
    remembered: Iterable[Place] = (),
) -> World:
    """The world of a configuration.

    Args:
        config: None: it is not known.
        told: Zones that somebody told besides.
        remembered: Places that the spatial memory had near the robot.
    """
    if config is None:
        return World(zones=[_zone(each) for each in told], places=list(remembered))
    world = config.world
    zones = {each.name: each for each in (*config.executive.keep_out, *world.keep_out, *told)}
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
    """Those of the state's `world.places`; what is no place is left out."""
    places = []
    for each in state if isinstance(state, (list, tuple)) else ():
        told = each if isinstance(each, Mapping) else {}
        x, y, size = (finite_number(told.get(key)) for key in ('x', 'y', 'radius_m'))
        if x is not None and y is not None and size is not None and is_place(x, y):
            places.append(Place(MEMORY, str(told.get('name', '')), x, y, size))
    return places


def is_place(x: float, y: float) -> bool:
    """Whether a robot can be there."""
    return abs(x) <= FARTHEST_M and abs(y) <= FARTHEST_M


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
