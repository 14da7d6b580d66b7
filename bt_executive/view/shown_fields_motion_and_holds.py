"""The executive's state for display: its fields as text, guard readings, motion, holds on goals.

Of the fields, those that change all the time or are shown elsewhere are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
import json
import math
from typing import Any, Literal

from bt_executive.core.causes_of_safe import SILENCES
from bt_executive.core.guards import read_condition
from bt_executive.core.reading_ages import format_age
from bt_executive.core.robot_state import RobotState, Twist
from bt_executive.core.state import BrainState, Mode, UserInterruptType
from bt_executive.core.value_formatting import format_fields
from rover_common.config.settings import PartCondition, Robot
from rover_common.json_values import to_json_value

MAX_VALUE_CHARS = 200
DIGITS = 3  # after the decimal point
LEFT_OUT = frozenset(
    {
        *('robot.pose_at', 'robot.pose_stamp', 'robot.status_at', 'robot.battery_at'),
        *('robot.heard_beat', 'robot.twist', 'messages', 'trace.log', 'world.summary'),
        *('world.places', 'world.remembered'),
    }
)


def state_texts(state: BrainState) -> dict[str, str]:
    """Return the value of each displayed field as short text, by `part.field`."""
    return {
        path: shown_value(to_json_value(value))
        for path, value in _fields_of(state)
        if path not in LEFT_OUT
    }


def _fields_of(state: BrainState) -> Iterator[tuple[str, Any]]:
    for part in fields(state):
        value = getattr(state, part.name)
        if not is_dataclass(value):
            yield part.name, value
            continue
        for each in fields(value):
            yield f'{part.name}.{each.name}', getattr(value, each.name)


def shown_value(value: Any) -> str:
    """Return a JSON value as short text."""
    text = value if isinstance(value, str) else json.dumps(_rounded(value), ensure_ascii=False)
    return text if len(text) <= MAX_VALUE_CHARS else f'{text[:MAX_VALUE_CHARS]} …'


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    return [_rounded(item) for item in value] if isinstance(value, list) else value


def shown_guard_readings(robot: Robot, state: RobotState) -> tuple[tuple[str, str], ...]:
    """Return name and text, with the age of an old status; an empty text: not known.

    Guards over the same fields are one reading: `mast_open` and `mast_closed` both describe the
    mast. Readings from topics are shown separately (`reading_ages.topic_parts`).
    """
    conditions_by_fields: dict[frozenset[str], dict[str, PartCondition]] = {}
    for name, condition in robot.guards.items():
        if condition.fields and condition.fields.keys() <= robot.from_adapter.keys():
            conditions_by_fields.setdefault(frozenset(condition.fields), {})[name] = condition
    return tuple(_describe(guards, robot, state) for guards in conditions_by_fields.values())


def _describe(
    guards: dict[str, PartCondition], robot: Robot, state: RobotState
) -> tuple[str, str]:
    fields = next(iter(guards.values())).fields
    name = next(iter(fields)).replace('_', ' ')
    read = {each: state.parts.get(each) for each in fields}
    holding = [
        each.replace('_', ' ')
        for each, condition in guards.items()
        if read_condition(each, condition, robot.types, state.parts).allowed
    ]
    if not holding and None in read.values():
        return name, ''
    return name, (', '.join(holding) or format_fields(read)) + format_age(state, 'status')


FIELDS = tuple(state_texts(BrainState()))


MotionState = Literal['stands', 'moves', 'unknown']
LEAST_SPEED_M_S = 0.01  # of the base, without turning or moving parts
LEAST_TURN_RAD_S = 0.02
SPEED_STEP_M_S = 0.02  # smaller changes are not shown
WHOLE_FROM_M = 10.0  # longer distances are shown in whole m


@dataclass(frozen=True)
class Motion:
    """The motion of the robot. The names of the fields are those of the page's data.

    Attributes:
        standing: Whether it stands and no motion is in progress.
        since: ROS time in s at which that began, as far as observed; None: not known.
        speed_m_s: Of the moving base; None: not known, or not moving.
        to_go_m: Distance to the target of a drive; 0: there is none.
    """

    standing: MotionState = 'unknown'
    since: float | None = None
    speed_m_s: float | None = None
    to_go_m: float = 0.0


def motion_of(robot: RobotState, now: float, before: Motion) -> Motion:
    """Return the motion in a state. `now`: its ROS time in s; `before`: as shown last."""
    twist = Twist() if robot.shown_pose is None else robot.twist  # the twist is as old as the pose
    standing: MotionState = 'unknown'
    if robot.at_rest is not None and 'status' not in robot.ages:
        moves = robot.moving or _turns_or_drives(twist)  # else a stop is not confirmed yet
        standing = 'stands' if robot.at_rest else 'moves' if moves else 'unknown'
    since = before.since if standing == before.standing else now
    to_go_m = robot.distance_to_target if math.isfinite(robot.distance_to_target) else 0.0
    return Motion(
        standing,
        now if since is None else since,
        _speed(twist, before.speed_m_s) if standing == 'moves' else None,
        round(to_go_m, 1) if to_go_m < WHOLE_FROM_M else float(round(to_go_m)),
    )


def _turns_or_drives(twist: Twist) -> bool:
    return abs(twist.linear_x) >= LEAST_SPEED_M_S or abs(twist.angular_z) >= LEAST_TURN_RAD_S


def _speed(twist: Twist, before: float | None) -> float | None:
    speed = abs(twist.linear_x)
    if not speed >= LEAST_SPEED_M_S:
        return None
    if before is not None and abs(speed - before) < SPEED_STEP_M_S:
        return before
    return round(speed, 2)


Kind = Literal['safe', 'charge', 'pause', 'manual']


@dataclass(frozen=True)
class Hold:
    """One hold.

    Attributes:
        cause: As reported by the executive; of SAFE also whether it is over.
        since: ROS time in s; None: not known.
        until_pct: The charge in % at which charging ends; None: not known, or not charging.
    """

    kind: Kind
    cause: str = ''
    since: float | None = None
    until_pct: float | None = None


def holds_of(
    state: BrainState, resume_pct: float | None, resumed_at: float | None = None
) -> tuple[Hold, ...]:
    """Return the holds of a state, the effective one first.

    A pause may be behind SAFE or CHARGE; its begin is not known then. `resumed_at`: ROS time in s
    at which this run resumed the previous one; None: it did not, or it is not known.
    """
    tasks, hci = state.tasks, state.hci
    since = tasks.held_since or None
    effective: Hold | None = None
    if tasks.mode is Mode.SAFE:
        effective = Hold('safe', _cause_of_safe(state, resumed_at), since)
    elif tasks.mode is Mode.CHARGE:
        effective = Hold('charge', tasks.preempt_reason, since, resume_pct)
    if hci.user_interrupt is not UserInterruptType.PAUSE:
        return (effective,) if effective else ()
    source = str(hci.interrupt_payload.get('source', ''))
    pause = Hold('pause', source, None if effective else since)
    return (effective, pause) if effective else (pause,)


def _cause_of_safe(state: BrainState, resumed_at: float | None) -> str:
    cause, since = state.world.safety_reason, state.tasks.held_since
    if since and resumed_at is not None and since < resumed_at:
        cause = f'{cause} (taken over from the run before)'
    if _has_new_readings(state.world.safety_reason, state.robot):
        cause = f'{cause}: that is over, new readings come; only a reset ends SAFE'
    return cause


def _has_new_readings(reason: str, robot: RobotState) -> bool:
    """Return whether all causes of SAFE are missing readings, and new ones have arrived."""
    arrived_at = {'status': robot.status_at, 'pose': robot.pose_at, 'battery': robot.battery_at}
    readings = [SILENCES.get(cause, '') for cause in reason.split('; ')]
    if 'battery' in readings and robot.battery_stale:
        return False
    return all(arrived_at.get(name) is not None and name not in robot.ages for name in readings)
