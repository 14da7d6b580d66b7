"""Explains a refusal: the reading that the guard judged, its age, and its rule. Pure."""

from __future__ import annotations

from collections.abc import Mapping
import json
from typing import Any, Literal

from pydantic import BaseModel, TypeAdapter

from bt_executive.core.guards import KNOWN_PLACE, STANDING_STILL
from bt_executive.core.state import BrainState
from rover_common.clocks import Now
from rover_common.config.robot_file import FILES_OF_THEIR_OWN, ROBOT_FILE
from rover_common.config.settings import Config, PartCondition
from rover_common.config.settings.state_and_guards import Bounds, PartValue, Where

Reading = Literal['status', 'pose', 'battery']
MAX_VALUE_CHARS = 300
_ANY: TypeAdapter[Any] = TypeAdapter(Any)
# Guard → the reading that it judges besides the executive's own state; guard → the keys of the
# robot's file that rule it. A guard on the robot's state is a key itself; {tool}: its name.
_READINGS: Mapping[str, Reading] = {
    'adapter_alive': 'status',
    STANDING_STILL: 'status',
    'outside_keep_out': 'pose',
}
_KEYS: Mapping[str, tuple[str, ...]] = {
    'adapter_alive': (
        'executive.guards.adapter_status_max_age_s',
        'executive.guards.adapter_status_moving_max_age_s',
    ),
    'data_fresh': ('executive.safety.required',),
    'within_budget': (
        'executive.agent.max_iterations',
        'executive.goal.max_distance_m',
        'executive.goal.max_energy_pct',
        'executive.goal.max_wall_s',
    ),
    'outside_keep_out': ('executive.guards.keep_out_margin_m', 'executive.guards.pose_max_age_s'),
    KNOWN_PLACE: ('executive.guards.places',),
    'human_approval': ('executive.approval.mode', 'tools.{tool}.approve'),
    'arguments': ('tools.{tool}.args',),
    'resources': ('tools.{tool}.resources_required',),
}


def why_refused(
    guard: str, tool: str, state: BrainState, now: Now, config: Config
) -> dict[str, Any]:
    """Return JSON values: `reading`, its `age_s`, `values` and `rule`, both with texts.

    `values`: the fields of the robot that a guard on its state judges. `rule`: keys of the
    configuration, each with its file.

    A reading that is not one of the robot's, or that never arrived, has neither name nor age.
    """
    condition = config.robot.guards.get(guard)
    reading = _READINGS.get(guard) if condition is None else 'status'
    keys = _KEYS.get(guard, ()) if condition is None else (f'guards.{guard}',)
    filled = [key.format(tool=tool) for key in keys]
    rule = {_placed(key): text for key in filled if (text := _value(config, key)) is not None}
    robot = state.robot
    why: dict[str, Any] = {'rule': rule}
    if condition is not None and condition.fields:
        why['values'] = {name: _in_short(robot.parts.get(name)) for name in condition.fields}
    at = {'status': robot.status_at, 'pose': robot.pose_at}.get(reading or '')
    return why if at is None else why | {'reading': reading, 'age_s': round(now.steady - at, 3)}


def _placed(key: str) -> str:
    """Return a key with its file: a section may have one of its own, or be in the robot's."""
    section = key.partition('.')[0]
    own = f'{section}.yaml or ' if section in FILES_OF_THEIR_OWN else ''
    return f'{key} ({own}{ROBOT_FILE})'


def _value(config: Config, key: str) -> str | None:
    """Return a value of the robot's file as a short text; None: there is no such key."""
    value: Any = config if key.startswith('executive.') else config.robot
    for name in key.split('.'):
        value = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
    if value is None:
        return None
    if isinstance(value, PartCondition):
        return _cut(_condition_text(value))
    if isinstance(value, BaseModel):
        value = value.model_dump(mode='json', exclude_defaults=True)
    plain = _ANY.dump_python(value, mode='json', exclude_defaults=True)
    if isinstance(plain, dict):
        return _cut('; '.join(f'{name}: {_flat(each)}' for name, each in plain.items()) or 'none')
    return _cut(_flat(plain))


def _flat(value: Any) -> str:
    """Return a value as text without brackets and quotes."""
    if isinstance(value, dict):
        return ', '.join(f'{name} {_flat(each)}' for name, each in value.items()) or 'any'
    if isinstance(value, list):
        return ', '.join(_flat(each) for each in value) or 'none'
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _condition_text(condition: PartCondition) -> str:
    """Return the condition under which the guard allows a call."""
    if condition.plugin:
        return f'the plug-in {condition.plugin} decides'
    clauses = [_where_text(condition.where)] if condition.where else []
    if condition.any_of:
        groups = ', or '.join(_where_text(group) for group in condition.any_of)
        clauses.append(groups if len(condition.any_of) == 1 else f'either {groups}')
    if condition.but_not:
        clauses.append(f'it must not be that {_where_text(condition.but_not, "is")}')
    return '; '.join(clauses)


def _where_text(where: Where, verb: str = 'must be') -> str:
    return ' and '.join(f'{name} {verb} {_wanted_text(each)}' for name, each in where.items())


def _wanted_text(wanted: tuple[PartValue, ...] | Bounds) -> str:
    if isinstance(wanted, tuple):
        return ' or '.join(_flat(each) for each in wanted)
    bounds = (('at least', wanted.at_least), ('at most', wanted.at_most))
    return ' and '.join(f'{label} {bound:g}' for label, bound in bounds if bound is not None)


def _in_short(value: Any) -> str:
    """Return the value of a part as a text: short JSON, if it is none."""
    if value is None:
        return 'not known'
    plain = _ANY.dump_python(value, mode='json')
    return _cut(plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_VALUE_CHARS else f'{text[:MAX_VALUE_CHARS]} …'
