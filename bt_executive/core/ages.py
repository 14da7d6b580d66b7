"""Ages of what is known of the robot: an old reading is not shown as if it were current."""

from __future__ import annotations

from dataclasses import replace

from bt_executive.core.state import BrainState
from rover_common.clocks import Now
from rover_common.config.settings import ExecutiveSettings


def with_ages(state: BrainState, now: Now, settings: ExecutiveSettings) -> BrainState:
    """Return the state with the ages, in s at `now`, of those readings that are too old to act on.

    The limits are those of the guards: a reading without an age may still be used by them.
    """
    robot, guards = state.robot, settings.guards
    unknown = robot.parts_unknown
    parts = {name: (at, -1.0) for name, at in robot.parts_at.items() if name in unknown}
    readings = parts | {
        'pose': (robot.pose_at, guards.pose_max_age_s),
        'status': (robot.status_at, guards.adapter_status_max_age_s),
        'battery': (robot.battery_at, settings.safety.battery_max_age_s),
    }
    ages = {
        name: round(now.steady - at, 1)
        for name, (at, limit_s) in readings.items()
        if at is not None and now.steady - at > limit_s
    }
    return state if ages == robot.ages else replace(state, robot=replace(robot, ages=ages))
