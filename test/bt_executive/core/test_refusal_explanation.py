"""What is said of a refusal beside its reason: reading, age, and the rule in the robot's file."""

from __future__ import annotations

from typing import Any

import pytest

from bt_executive.core.guards import BUILT_IN
from bt_executive.core.refusal_explanation import why_refused
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState
from rover_common.clocks import Now
from rover_common.config.load import load_config
from rover_common.config.settings import PartCondition

CONFIG = load_config(None, ['guards.keep_out_margin_m=0.7'])
STATE = BrainState(
    robot=RobotState(status_at=9.5, pose_at=8.0, parts={'mast': 'open', 'mast_is_open': True})
)
MARGIN = 'executive.guards.keep_out_margin_m (executive.yaml or robot.yaml)'
DISTANCE = 'executive.goal.max_distance_m (executive.yaml or robot.yaml)'


@pytest.mark.parametrize(
    ('guard', 'reading', 'age_s', 'key', 'value'),
    [
        ('mast_closed', 'status', 0.5, 'guards.mast_closed (robot.yaml)', 'mast must be closed'),
        ('outside_keep_out', 'pose', 2.0, MARGIN, '0.7'),
        ('within_budget', None, None, DISTANCE, '0'),
        ('human_approval', None, None, 'tools.move_forward.approve (robot.yaml)', 'false'),
        ('arguments', None, None, 'tools.move_forward.args (robot.yaml)', 'duration_s'),
    ],
)
def test_a_refusal_names_its_reading_and_its_rule(
    guard: str, reading: Any, age_s: Any, key: str, value: str
) -> None:
    why = why_refused(guard, 'move_forward', STATE, Now(0.0, 0.0, 10.0), CONFIG)
    assert (why.get('reading'), why.get('age_s')) == (reading, age_s)
    assert value in why['rule'][key]


@pytest.mark.parametrize(
    ('written', 'words'),
    [
        (
            {'where': {'mast': 'closed', 'mast_is_open': False}, 'variants': ['B']},
            'mast must be closed and mast_is_open must be false',
        ),
        ({'where': {'door': ['open', 'ajar']}}, 'door must be open or ajar'),
        ({'where': {'tilt': {'at_least': -1, 'at_most': 2.5}}}, 'tilt must be at least -1 and '),
        (
            {'any_of': [{'door': 'open'}, {'lift': 'up'}]},
            'either door must be open, or lift must be up',
        ),
        (
            {'where': {'door': 'open'}, 'not': {'lift': 'up', 'arm': 'out'}},
            'door must be open; it must not be that lift is up and arm is out',
        ),
        ({'plugin': 'demo.sees'}, 'the plug-in demo.sees decides'),
    ],
)
def test_a_rule_on_the_state_is_a_sentence(written: dict[str, Any], words: str) -> None:
    condition = PartCondition.model_validate({**written, 'reason': 'no'})
    robot = CONFIG.robot.model_copy(update={'guards': {'a_guard': condition}})
    config = CONFIG.model_copy(update={'robot': robot})
    rule = why_refused('a_guard', 'move_forward', STATE, Now(0.0, 0.0, 10.0), config)['rule']
    assert rule['guards.a_guard (robot.yaml)'].startswith(words)


@pytest.mark.parametrize('tool', sorted(CONFIG.robot.tools))
@pytest.mark.parametrize('guard', sorted({*BUILT_IN, *CONFIG.robot.guards}))
def test_no_rule_is_told_in_the_notation_of_a_file(guard: str, tool: str) -> None:
    rule = why_refused(guard, tool, STATE, Now(0.0, 0.0, 10.0), CONFIG)['rule']
    assert not [text for text in rule.values() if {*text} & {*'{}[]"'}]


def test_a_reading_that_never_came_has_no_age() -> None:
    why = why_refused('adapter_alive', 'move_forward', BrainState(), Now(0.0, 0.0, 10.0), CONFIG)
    assert 'age_s' not in why
    assert why['rule']


def test_a_tool_that_nobody_knows_has_no_rule() -> None:
    assert why_refused('catalogue', 'fly{0}', STATE, Now(0.0, 0.0, 10.0), CONFIG) == {'rule': {}}


@pytest.mark.parametrize('guard', sorted(BUILT_IN))
def test_every_built_in_guard_is_told_of_without_a_fault(guard: str) -> None:
    why = why_refused(guard, 'move_forward', STATE, Now(0.0, 0.0, 10.0), CONFIG)
    assert all(isinstance(text, str) and text for text in why['rule'].values())


def test_what_a_guard_on_the_state_reads_is_named() -> None:
    now = Now(0.0, 0.0, 10.0)
    why = why_refused('mast_closed', 'move_forward', STATE, now, CONFIG)
    assert why['values'] == {'mast': 'open', 'mast_is_open': 'true'}
    unknown = why_refused('mast_closed', 'move_forward', BrainState(), now, CONFIG)
    assert set(unknown['values'].values()) == {'not known'}
    assert 'values' not in why_refused('outside_keep_out', 'move_forward', STATE, now, CONFIG)
