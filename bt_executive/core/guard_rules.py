"""Why a guard refused, beside its reason: the reading it judged, its age, and its rule. Pure."""

from __future__ import annotations

from collections.abc import Mapping
import json
from typing import Any, Literal

from pydantic import BaseModel, TypeAdapter

from bt_executive.core.guards import KNOWN_PLACE, STANDING_STILL
from bt_executive.core.state import BrainState
from rover_common.clocks import Now
from rover_common.config.settings import Config

Reading = Literal['status', 'pose', 'battery']
LONGEST_RULE = 300  # characters of a value
_ANY: TypeAdapter[Any] = TypeAdapter(Any)
# What a guard judges beside the executive's own state, and the keys of the robot's file that rule
# it. A guard on the robot's state is a key itself; {tool}: that was asked for.
_READINGS: Mapping[str, Reading] = {
    'adapter_alive': 'status',
    STANDING_STILL: 'status',
    'outside_keep_out': 'pose',
}
_KEYS: Mapping[str, tuple[str, ...]] = {
    'adapter_alive': ('executive.guards.adapter_status_max_age_s',),
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
    """Return JSON values: `reading`, its `age_s` and `rule`, which maps keys to values as text.

    A reading that is not one of the robot's, or that never came, has neither name nor age.
    """
    on_state = guard in config.robot.guards
    reading = 'status' if on_state else _READINGS.get(guard)
    keys = (f'guards.{guard}',) if on_state else _KEYS.get(guard, ())
    filled = [key.format(tool=tool) for key in keys]
    rule = {key: text for key in filled if (text := _value(config, key)) is not None}
    robot = state.robot
    at = {'status': robot.status_at, 'pose': robot.pose_at}.get(reading or '')
    if at is None:
        return {'rule': rule}
    return {'reading': reading, 'age_s': round(now.steady - at, 3), 'rule': rule}


def _value(config: Config, key: str) -> str | None:
    """A value of the robot's file as short JSON; None if there is no such key."""
    value: Any = config if key.startswith('executive.') else config.robot
    for name in key.split('.'):
        value = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
    if value is None:
        return None
    plain = (
        value.model_dump(mode='json', exclude_defaults=True)
        if isinstance(value, BaseModel)
        else _ANY.dump_python(value, mode='json')
    )
    text = json.dumps(plain, ensure_ascii=False)
    return text if len(text) <= LONGEST_RULE else f'{text[:LONGEST_RULE]} …'
