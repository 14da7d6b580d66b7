"""State of the executive and requests for approval as text for people. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math
import re
from typing import Any

from bt_executive.core.reading_ages import format_age, format_score, topic_parts
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState
from bt_executive.core.value_formatting import format_duration, format_empty, format_fields
from rover_common.call_text import format_call
from rover_common.json_values import finite_number, read_json_object

FARTHEST_M = 1e6  # larger coordinates are written in scientific notation
MOST_FIELDS = 6  # of a table that is shown whole
LINE = 78  # characters of a line of the status
_ID = re.compile(r'(.+\.)?[0-9a-f]{32}')  # of a process, perhaps prefixed with its run


def format_state(state: BrainState, now: float) -> str:
    """Format the whole state, one row per line. `now`: ROS seconds."""
    rows = [(title, text) for title, text in _rows(state, now) if text]
    return '\n'.join(f'{title:<9}{text}' for title, text in rows)


def format_status(text: str, units: Mapping[str, str]) -> str:
    """Format the adapter's status in few lines; text that is no JSON object stays as it is.

    Fields without a value (null, an empty text, list or table) share one line of names. Ids,
    stamps and large tables, which programs read, and flags that follow from another field
    (`mast_is_open` from `mast`) are left out: the tool `get_status` still returns them.
    """
    try:
        status = read_json_object(text)
    except ValueError:
        return text
    derived = tuple(
        f'{key}_is_' for key, value in status.items() if value and isinstance(value, str)
    )
    shown = {
        key: value
        for key, value in status.items()
        if not (_for_programs(key, value) or (isinstance(value, bool) and key.startswith(derived)))
    }
    permit = shown.pop('permit', None)
    if isinstance(permit, Mapping):
        shown['permitted_motion'] = _permitted_motion(permit)
    empty = [key for key, value in shown.items() if _is_empty(value)]
    lines: list[str] = []
    for key in (key for key in shown if key not in empty):
        text = format_fields({key: shown[key]}, units)
        if lines and len(lines[-1]) + len(text) + 2 <= LINE:
            lines[-1] += f', {text}'
        else:
            lines.append(text)
    if empty:
        lines.append(format_empty(empty))
    return '\n'.join(lines)


def _permitted_motion(permit: Mapping[str, Any]) -> str:
    """Return the motion that the executive permits, without the numbers of its permit."""
    motion, gate = permit.get('motion'), permit.get('gate')
    return f'{motion} at the gate {gate}' if motion and gate else str(motion or '')


def _is_empty(value: Any) -> bool:
    if isinstance(value, Mapping):
        return not any(value.values())
    return value in (None, '', [])


def _for_programs(key: str, value: Any) -> bool:
    """Return whether a value is an id, a stamp or a large table."""
    if key.endswith('_stamp'):
        return True
    if isinstance(value, str):
        return bool(_ID.fullmatch(value))
    if not isinstance(value, Mapping):
        return False
    return len(value) > MOST_FIELDS or any(_for_programs(*entry) for entry in value.items())


def format_progress(state: BrainState, now: float) -> str:
    """Format the step and the time of the active goal; empty without one."""
    task = state.tasks.active
    if task is None:
        return ''
    return f'step {state.react.iter}, {format_duration(now - task.received_at)}'


def format_parts(robot: RobotState) -> list[str]:
    """Format each part of the robot's state; `door` stands for `door_is_open`, too."""
    from_topics, age = topic_parts(robot), format_age(robot, 'status')
    names = [name for name in robot.parts if name not in from_topics]
    shown = [name for name in names if not any(name.startswith(f'{each}_') for each in names)]
    from_status = [format_fields({name: robot.parts[name]}) + age for name in shown]
    return [*from_status, *from_topics.values()]


def format_motion(robot: RobotState) -> str:
    """Format whether the base moves: unknown while a stop is not confirmed."""
    moves = 'drives' if robot.moving else 'may still move'
    text = {True: 'stands', False: moves, None: 'motion unknown'}[robot.stands]
    return text + format_age(robot, 'status')


def format_pose(robot: RobotState) -> str:
    """Format the pose: m, and degrees counterclockwise from the x axis."""
    if robot.pose_at is None:
        return 'place unknown'
    pose = robot.pose
    degrees = math.degrees(pose.yaw) if math.isfinite(pose.yaw) else 0.0
    text = f'x {_metres(pose.x)}, y {_metres(pose.y)}, {degrees:.0f}°'
    return text + format_age(robot, 'pose')


def _metres(value: float) -> str:
    return f'{value:.1f} m' if abs(value) < FARTHEST_M else f'{value:.0e} m'


def format_model_usage(usage: Mapping[str, Any]) -> str:
    """Format the model usage of summary.json; empty: the model was not called."""
    if not usage.get('calls'):
        return ''
    text = f'{usage["calls"]} call' + ('s' if usage['calls'] != 1 else '')
    if usage.get('input_tokens'):
        text += f', {usage["input_tokens"]} + {usage.get("output_tokens", 0)} tokens'
    return text + (f', {usage["cost_usd"]:.4f} USD' if usage.get('cost_usd') else '')


def model_usage(state: BrainState) -> Mapping[str, Any]:
    """Return the model usage of the active goal."""
    usage = state.trace.metrics.get('model') if state.tasks.active else None
    return usage if isinstance(usage, dict) else {}


def format_battery(robot: RobotState) -> str:
    """Format the charge."""
    if robot.battery_at is None:
        return 'unknown'
    stale = ', stale' if robot.battery_stale else ''
    if robot.battery_pct is None:
        return 'low before the restart, no reading yet'
    return f'{robot.charge}{stale}{format_age(robot, "battery")}'


def queued_goals(state: BrainState) -> list[str]:
    """Return the goals that wait, in the order of the queue."""
    active = state.tasks.active_task_id
    return [task.title for task in state.tasks.queue if task.task_id != active]


def _rows(state: BrainState, now: float) -> list[tuple[str, str]]:
    """Return title and text of each row; the text is empty where there is none."""
    tasks, robot, world = state.tasks, state.robot, state.world
    decision = state.react.decision
    return [
        ('mode', ': '.join(filter(None, (tasks.mode.value, tasks.preempt_reason)))),
        ('goal', tasks.active.title if tasks.active else 'none'),
        ('progress', format_progress(state, now)),
        ('waiting', '; '.join(queued_goals(state))),
        ('question', state.hci.question),
        ('running', ', '.join(call.skill_name for call in state.skills.running) or 'nothing'),
        ('decided', f'{decision.type.value} {decision.reason}'.strip() if decision else ''),
        ('model', format_model_usage(model_usage(state))),
        ('score', format_score(world, now)),
        ('robot', ', '.join((*format_parts(robot), format_motion(robot), format_pose(robot)))),
        ('battery', format_battery(robot)),
    ]


def format_requests(requests: Sequence[Mapping[str, Any]], now: float) -> str:
    """Format the requests of the topic ~/approvals. `now`: system time in s."""
    return '\n'.join(_format_request(request, now) for request in requests) or 'No request waits.'


def requested_call(request: Mapping[str, Any]) -> str:
    """Return the call of a request, as it is written in code."""
    arguments = request.get('arguments')
    return format_call(str(request.get('tool')), arguments if isinstance(arguments, dict) else {})


def remaining_s(request: Mapping[str, Any], now: float) -> float | None:
    """Return the time in s until a request expires; None: not given. `now`: system time in s."""
    expires_at = finite_number(request.get('expires_at'))
    return None if expires_at is None else expires_at - now


def _format_request(request: Mapping[str, Any], now: float) -> str:
    remaining = remaining_s(request, now)
    time_left = '?' if remaining is None else f'{max(0.0, remaining):.0f} s'
    call, risk = requested_call(request), request.get('risk')
    rows = [f'{request.get("id")}  {call}  {risk}  {time_left} left']
    if request.get('amounts_to'):
        rows.append(f'that is: {_one_line(request["amounts_to"])}')
    rows.append(f'because: {_one_line(request.get("reason") or "no reason given")}')
    return f'\n{" " * 12}'.join(rows)


def _one_line(value: object) -> str:
    return ' '.join(str(value).split())
