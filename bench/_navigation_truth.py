"""What is true of a world: where a rover that knows everything could drive, how near one came.

Lengths in m, angles in rad, in the world frame.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
import shapely
from shapely.geometry import Polygon, box

from curiosity_navigation.collision_checker import Clearance, CollisionChecker
from curiosity_navigation.path_planner import NavigationGoal, Plan, make_plan
from curiosity_navigation.vehicle_model import VehicleModel
from curiosity_sim.rover.blocking_rocks_and_slopes import CLIMBABLE_M, HALF_LENGTH_M, HALF_WIDTH_M
from curiosity_sim.rover.rocks import Rock
from curiosity_sim.rover.terrain import steepest
from curiosity_sim.rover.world import make_world
from rover_common.config.settings import Config
from rover_common.geometry.keep_out import area_of
from rover_common.geometry.planar_motion import Pose2D

RIM_POINTS = 40
GOALS_WITHIN_M = 25.0  # of the start
STEEP_GRID_M = 1.0
STEEP_WITHIN_M = 40.0
OUTLINE = box(-HALF_LENGTH_M, -HALF_WIDTH_M, HALF_LENGTH_M, HALF_WIDTH_M)

Points = NDArray[np.floating[Any]]


class Truth:
    """The world of a configuration, as its rover stand-in makes it."""

    def __init__(self, config: Config) -> None:
        settings = config.curiosity.rover
        self._world = make_world(settings)
        self._vehicle = VehicleModel.of(config.curiosity.navigation)
        self._room = Clearance.of(config)
        listed = (*config.executive.keep_out, *settings.world.keep_out)
        self.zones = tuple((zone.name, area_of(zone)) for zone in listed)
        self.rocks = [rock for rock in self._world.rocks if rock.height > CLIMBABLE_M]
        self._all_obstacles = self._obstacles()

    @property
    def start(self) -> tuple[float, float]:
        """Where the rover begins."""
        return self._world.start.x, self._world.start.y

    def reachable(self, here: Pose2D, x: float, y: float) -> bool:
        """Whether a path exists with clearance to spare, with every rock, zone and slope known."""
        field = CollisionChecker(here, self._all_obstacles, self.zones, self._room)
        if field.obstruction(x, y):
            return False
        return isinstance(make_plan(here, NavigationGoal(x, y), field, self._vehicle), Plan)

    def random_place(self, rng: np.random.Generator) -> tuple[float, float]:
        """A place near the start."""
        x, y = rng.uniform(-GOALS_WITHIN_M, GOALS_WITHIN_M, 2)
        return self.start[0] + float(x), self.start[1] + float(y)

    def hopeless_places(self) -> dict[str, tuple[float, float]]:
        """Where no rover may go: the largest rock near the start, each zone, far away."""
        rock = max(filter(self._is_near, self.rocks), key=lambda each: each.radius)
        inside = {name: area.representative_point() for name, area in self.zones}
        return {
            f'in {rock.name}': (rock.x, rock.y),
            **{f'in zone {name!r}': (point.x, point.y) for name, point in inside.items()},
            'far outside': (self.start[0] + 200.0, self.start[1]),
        }

    def clearance(self, track: list[Pose2D]) -> tuple[float, float]:
        """The smallest distance of the rover's outline to any rock, and to any zone.

        Infinite where there is none; not above zero where it touched one.
        """
        outlines = [_footprint(place) for place in track]
        centres = shapely.points([(rock.x, rock.y) for rock in self.rocks])
        radii = np.array([rock.radius for rock in self.rocks])
        areas = [area for _, area in self.zones]
        to_rocks = (shapely.distance(centres, each) - radii for each in outlines)
        to_zones = (shapely.distance(areas, each) for each in outlines)
        return _smallest(to_rocks), _smallest(to_zones)

    def _is_near(self, rock: Rock) -> bool:
        away = math.hypot(rock.x - self.start[0], rock.y - self.start[1])
        return rock.radius + 4.0 < away < GOALS_WITHIN_M

    def _obstacles(self) -> Points:
        turns = np.linspace(0.0, math.tau, RIM_POINTS, endpoint=False)
        rim = np.stack([np.cos(turns), np.sin(turns)], axis=1)
        rims = [np.array((rock.x, rock.y)) + rock.radius * rim for rock in self.rocks]
        return np.concatenate([*rims, self._steep_places()])

    def _steep_places(self) -> Points:
        terrain, limit = self._world.terrain, self._world.wheels.climbs_rad
        axis = np.arange(-STEEP_WITHIN_M, STEEP_WITHIN_M, STEEP_GRID_M)
        places = [(self.start[0] + x, self.start[1] + y) for x in axis for y in axis]
        steep = [place for place in places if steepest(terrain, [place]) > limit]
        return np.array(steep).reshape(-1, 2)


def _footprint(place: Pose2D) -> Polygon:
    turned = shapely.affinity.rotate(OUTLINE, place.yaw, origin=(0.0, 0.0), use_radians=True)
    return shapely.affinity.translate(turned, place.x, place.y)


def _smallest(distances: Any) -> float:
    return min((float(np.min(each, initial=math.inf)) for each in distances), default=math.inf)
