"""How long a way takes to plan: in the open, and among many rocks."""

from __future__ import annotations

import math
import time

import numpy as np

from bench._figures import report
from curiosity_navigation.collision_checker import Clearance
from curiosity_navigation.costmap import Costmap
from curiosity_navigation.path_planner import NavigationGoal, NoPath, replan
from curiosity_navigation.vehicle_model import VehicleModel
from rover_common.config.load import load_config
from rover_common.geometry.planar_motion import Pose2D

START = Pose2D(0.0, 0.0, 0.0)
GOALS = 20
TARGET_S = 1.0  # median; the rover waits for as long


def run() -> bool:
    """Plans the same goals in both worlds; the target holds for the crowded one."""
    open_s = _median(0)
    crowded_s = _median(40)
    report('path in the open, median', open_s * 1e3, 'ms')
    what = 'path among 40 rocks, median'
    return report(what, crowded_s * 1e3, 'ms', at_most=TARGET_S * 1e3)


def _median(rocks: int) -> float:
    config, rng = load_config(), np.random.default_rng(1)
    vehicle = VehicleModel.of(config.curiosity.navigation)
    costmap = Costmap(_rims(rocks, rng), (), Clearance.of(config))
    spent, blocked = [], 0
    for _ in range(GOALS):
        x, y = rng.uniform(-25.0, 25.0, 2)
        begun = time.perf_counter()
        found = replan(START, NavigationGoal(x, y), (), costmap, vehicle)
        spent.append(time.perf_counter() - begun)
        blocked += isinstance(found, NoPath)
    print(f'{rocks} rocks: {blocked} of {GOALS} goals blocked, longest {max(spent):.1f} s')
    return float(np.median(spent))


def _rims(rocks: int, rng: np.random.Generator) -> np.ndarray:
    turns = np.linspace(0.0, math.tau, 30)
    rim = 0.8 * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    centres = rng.uniform(-40.0, 40.0, (rocks, 2))
    centres = centres[np.hypot(*centres.T) > 4.0]
    rims: np.ndarray = centres[:, np.newaxis, :] + rim
    return rims.reshape(-1, 2)
