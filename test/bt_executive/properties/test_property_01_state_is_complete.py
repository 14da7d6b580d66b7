"""Spec 3 property 1: the state has every part, and every part its fields, of the right type."""

from __future__ import annotations

from collections.abc import Iterable
import json
from types import NoneType
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
import pytest

from bt_executive.core.goal_queue import Task
from bt_executive.core.inputs import (
    BatteryReceived,
    GoalReceived,
    Input,
    PauseRequested,
    PoseReceived,
    SafetyEvent,
    StatusReceived,
    StopRequested,
)
from bt_executive.core.observation_and_effects import Observation
from bt_executive.core.reduce import reduce
from bt_executive.core.reduce_robot_inputs import with_unknown_parts
from bt_executive.core.robot_state import Pose, Twist
from bt_executive.core.state import (
    BrainState,
    Decision,
    Mode,
    ProposedOps,
    SkillResult,
    UserInterruptType,
    state_from_json,
    state_to_json,
)
from rover_common.adapter_status import AdapterStatus
from rover_common.clocks import Now
from rover_common.config.load import load_config

Types = type | tuple[type, ...]

FIELDS: dict[str, dict[str, Types]] = {
    'hci': {
        'user_utterance': str,
        'user_interrupt': UserInterruptType,
        'interrupt_payload': dict,
        'approval_response': (dict, NoneType),
    },
    'world': {'summary': str, 'zones': tuple, 'obstacles': tuple},
    'robot': {
        'pose': Pose,
        'twist': Twist,
        'battery_pct': (float, NoneType),
        'battery_state': str,
        'resources': dict,
        'distance_to_target': float,
        'moving': (bool, NoneType),
    },
    'tasks': {
        'inbox': tuple,
        'queue': tuple,
        'active_task_id': (str, NoneType),
        'mode': Mode,
        'preempt_flag': bool,
        'preempt_reason': str,
    },
    'skills': {'registry': dict, 'running': tuple, 'last_result': (SkillResult, NoneType)},
    'react': {
        'iter': int,
        'observation': dict,
        'decision': (Decision, NoneType),
        'proposed_ops': (ProposedOps, NoneType),
        'stop_reason': str,
    },
    'trace': {'log': tuple, 'metrics': dict},
}
PARTS: dict[str, Types] = {'mast_is_open': (bool, NoneType), 'mast': (str, NoneType)}
ANYTHING = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
EVENTS: st.SearchStrategy[Input] = st.one_of(
    st.builds(BatteryReceived, at=st.floats(0, 1e6), percent=st.floats(0, 100)),
    st.builds(PoseReceived, st.floats(0, 1e6), *[st.floats(-100, 100)] * 4),
    st.builds(
        StatusReceived,
        at=st.floats(0, 1e6),
        status=st.builds(
            AdapterStatus,
            sender=st.text(max_size=5),
            moving=st.none() | st.booleans(),
            details=st.dictionaries(st.sampled_from(['mast_is_open', 'mast']), ANYTHING),
        ),
    ),
    st.builds(SafetyEvent, st.text(max_size=5), st.text(max_size=5)),
    st.builds(StopRequested, st.text(max_size=5)),
    st.builds(PauseRequested, st.text(max_size=5)),
    st.builds(GoalReceived, st.builds(Task, st.text(), st.text())),
)
CONFIG = load_config(None, [])


@pytest.mark.slow
@given(state=st.from_type(BrainState), events=st.lists(EVENTS, max_size=6))
@example(
    state=BrainState(),
    events=[StatusReceived(0.0, AdapterStatus('a', details={'mast_is_open': 'yes', 'mast': 0}))],
)
def test_the_state_is_complete_whatever_it_observes(
    state: BrainState, events: Iterable[Input]
) -> None:
    seen = Observation(state)
    for event in events:
        seen = reduce(seen, event, Now.at(1e6), CONFIG).observation
    state = seen.state
    if any(isinstance(event, StatusReceived) for event in events):
        check_parts(state)
    raw = json.loads(state_to_json(state))
    for part, fields in FIELDS.items():
        assert set(fields) <= set(raw[part]), f'{part} in JSON'
        for name, types in fields.items():
            assert isinstance(getattr(getattr(state, part), name), types), f'{part}.{name}'


def check_parts(state: BrainState) -> None:
    """The configured fields of the status have their keys in JSON, as themselves or unknown."""
    robot = json.loads(state_to_json(state))['robot']
    for name, types in PARTS.items():
        assert isinstance(robot[name], types), name
        assert robot[name] == state.robot.parts[name]


def test_the_parts_have_their_keys_before_the_adapter_has_spoken() -> None:
    check_parts(with_unknown_parts(BrainState(), CONFIG.robot))


WRONG: list[tuple[str, str, Any]] = [
    ('hci', 'user_interrupt', 'MAYBE'),
    ('robot', 'battery_pct', 'full'),
    ('tasks', 'mode', 'SLEEP'),
    ('react', 'iter', None),
    ('skills', 'running', [{'goal_id': 'x'}]),
    ('trace', 'log', 'a line'),
]


@pytest.mark.slow
@given(state=st.from_type(BrainState), wrong=st.sampled_from(WRONG))
def test_a_state_with_a_field_of_a_wrong_type_is_not_read(
    state: BrainState, wrong: tuple[str, str, Any]
) -> None:
    part, name, value = wrong
    raw = json.loads(state_to_json(state))
    raw[part][name] = value
    with pytest.raises(ValueError, match=f'{part}.{name}'):
        state_from_json(json.dumps(raw))
