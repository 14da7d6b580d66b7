"""The executive's state in words, for `:state` and for the live view. Pure."""

from __future__ import annotations

from collections.abc import Mapping
import math
import re
from typing import Any

from bt_executive.core.reading_ages import age_in_words, score_in_words, topic_parts
from bt_executive.core.result_text import fields_in_words, span
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState
from rover_common.json_text import read_json_object

FARTHEST_M = 1e6  # a place beyond it is written short
MOST_FIELDS = 6  # of a table that is shown whole
LINE = 78  # characters of a line of the status
_ID = re.compile(r'(.+\.)?[0-9a-f]{32}')  # of a process: with its run in front


def in_words(state: BrainState, now: float) -> str:
    """The whole state, one fact per line. `now`: ROS seconds."""
    rows = [(title, words) for title, words in _facts(state, now) if words]
    return '\n'.join(f'{title:<9}{words}' for title, words in rows)


def status_in_words(text: str, units: Mapping[str, str]) -> str:
    """The adapter's status for people, in few lines; text that is no JSON object stays as it is.

    What says nothing (null, an empty text, list or table) is one line of names. Ids, stamps and
    whole tables, which programs read, and what is so by what another field says (`mast` tells it
    for `mast_is_open`), are left out: the tool `get_status` still gives them.
    """
    try:
        status = read_json_object(text)
    except ValueError:
        return text
    texts = tuple(
        f'{key}_is_' for key, value in status.items() if value and isinstance(value, str)
    )
    said = {
        key: value
        for key, value in status.items()
        if not (_for_programs(key, value) or (isinstance(value, bool) and key.startswith(texts)))
    }
    permit = said.pop('permit', None)
    if isinstance(permit, Mapping):
        said['permitted_motion'] = _permitted(permit)
    none = [key for key, value in said.items() if _is_nothing(value)]
    lines: list[str] = []
    for key in (key for key in said if key not in none):
        words = fields_in_words({key: said[key]}, units)
        if lines and len(lines[-1]) + len(words) + 2 <= LINE:
            lines[-1] += f', {words}'
        else:
            lines.append(words)
    if none:
        lines.append(f'none or not known: {", ".join(name.replace("_", " ") for name in none)}')
    return '\n'.join(lines)


def _permitted(permit: Mapping[str, Any]) -> str:
    """The motion that the executive permits now; its numbers are for programs."""
    motion, gate = permit.get('motion'), permit.get('gate')
    return f'{motion} at the gate {gate}' if motion and gate else str(motion or '')


def _is_nothing(value: Any) -> bool:
    if isinstance(value, Mapping):
        return not any(value.values())
    return value in (None, '', [])


def _for_programs(key: str, value: Any) -> bool:
    """Whether a value is an id or a stamp, or a table of more than a person takes in."""
    if key.endswith('_stamp'):
        return True
    if isinstance(value, str):
        return bool(_ID.fullmatch(value))
    if not isinstance(value, Mapping):
        return False
    return len(value) > MOST_FIELDS or any(_for_programs(*each) for each in value.items())


def why_held(state: BrainState) -> str:
    """Why no goal is pursued; empty if nothing holds one back."""
    return state.tasks.preempt_reason


def progress(state: BrainState, now: float) -> str:
    """How far the active goal is; empty without one."""
    task = state.tasks.active
    if task is None:
        return ''
    return f'step {state.react.iter}, {span(now - task.received_at)}'


def parts(robot: RobotState) -> list[str]:
    """How each of the robot's parts is; `door` tells it for `door_is_open`, too."""
    of_topics, age = topic_parts(robot), age_in_words(robot, 'status')
    names = [name for name in robot.parts if name not in of_topics]
    shown = [name for name in names if not any(name.startswith(f'{each}_') for each in names)]
    by_adapter = [fields_in_words({name: robot.parts[name]}) + age for name in shown]
    return [*by_adapter, *of_topics.values()]


def motion(robot: RobotState) -> str:
    """Whether the base moves. A stop without an answer proves neither."""
    moves = 'drives' if robot.moving else 'may still move'
    words = {True: 'stands', False: moves, None: 'motion unknown'}[robot.stands]
    return words + age_in_words(robot, 'status')


def pose_in_words(robot: RobotState) -> str:
    """Where the robot is: m, and degrees counterclockwise from the x axis."""
    if robot.pose_at is None:
        return 'place unknown'
    pose = robot.pose
    degrees = math.degrees(pose.yaw) if math.isfinite(pose.yaw) else 0.0
    place = f'x {_metres(pose.x)}, y {_metres(pose.y)}, {degrees:.0f}°'
    return place + age_in_words(robot, 'pose')


def _metres(value: float) -> str:
    return f'{value:.1f} m' if abs(value) < FARTHEST_M else f'{value:.0e} m'


def model_use(use: Mapping[str, Any]) -> str:
    """What the model cost, as in summary.json; empty if it was not asked."""
    if not use.get('calls'):
        return ''
    words = f'{use["calls"]} call' + ('s' if use['calls'] != 1 else '')
    if use.get('input_tokens'):
        words += f', {use["input_tokens"]} + {use.get("output_tokens", 0)} tokens'
    return words + (f', {use["cost_usd"]:.4f} USD' if use.get('cost_usd') else '')


def use_of(state: BrainState) -> Mapping[str, Any]:
    """What the model has cost the goal under way."""
    use = state.trace.metrics.get('model') if state.tasks.active else None
    return use if isinstance(use, dict) else {}


def battery(robot: RobotState) -> str:
    """The charge."""
    if robot.battery_at is None:
        return 'unknown'
    stale = ', stale' if robot.battery_stale else ''
    if robot.battery_pct is None:
        return 'low before the restart, no reading yet'
    return f'{robot.charge}{stale}{age_in_words(robot, "battery")}'


def waiting(state: BrainState) -> list[str]:
    """The goals that wait, in the order of the queue."""
    active = state.tasks.active_task_id
    return [task.title for task in state.tasks.queue if task.task_id != active]


def _facts(state: BrainState, now: float) -> list[tuple[str, str]]:
    tasks, robot, world = state.tasks, state.robot, state.world
    held = why_held(state)
    decision = state.react.decision
    return [
        ('mode', tasks.mode.value + (f': {held}' if held else '')),
        ('goal', tasks.active.title if tasks.active else 'none'),
        ('progress', progress(state, now)),
        ('waiting', '; '.join(waiting(state))),
        ('question', state.hci.question),
        ('running', ', '.join(call.skill_name for call in state.skills.running) or 'nothing'),
        ('decided', f'{decision.type.value} {decision.reason}'.strip() if decision else ''),
        ('model', model_use(use_of(state))),
        ('score', score_in_words(world, now)),
        ('robot', ', '.join((*parts(robot), motion(robot), pose_in_words(robot)))),
        ('battery', battery(robot)),
    ]
