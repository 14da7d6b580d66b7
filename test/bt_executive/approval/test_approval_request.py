"""Which calls need approval, what a request shows, and what an approval is valid for."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bt_executive.approval.approval_request import (
    NOTHING_MOVES,
    UNKNOWN_MOTION,
    describe_change,
    hash_of,
    risk_of,
)
from bt_executive.core.approval_and_breakpoint_rules import needs_human
from bt_executive.core.guard_view_and_verdict import allows, refuses
from bt_executive.core.robot_state import Pose
from bt_executive.skills.tool_registry import Registry
from bt_executive.tree.behaviours.operator.wait_for_approval_and_answers import situation_of
from rover_common.config.load import load_config


@pytest.fixture(scope='module')
def skills() -> Any:
    return load_config().robot.tools


@pytest.mark.parametrize(
    ('mode', 'autonomy', 'tool', 'needed'),
    [
        ('per_skill', 'auto', 'move_nudge', False),
        ('per_skill', 'approve', 'move_nudge', True),
        ('per_skill', 'approve', 'abort', True),
        ('always', 'auto', 'move_nudge', True),
        ('always', 'auto', 'capture_and_score', True),
        ('always', 'auto', 'abort', False),
        ('always', 'approve', 'abort', True),
        ('never', 'approve', 'move_nudge', False),
        ('never', 'auto', 'move_nudge', False),
    ],
)
def test_who_is_asked(skills: Any, mode: Any, autonomy: str, tool: str, needed: bool) -> None:
    skill = skills[tool].model_copy(update={'approve': autonomy == 'approve'})
    assert needs_human(mode, [skill], stops=False) == needed
    assert not needs_human(mode, [skill], stops=True)


@pytest.mark.parametrize(
    ('overrides', 'needed'),
    [
        ([], False),
        (['approval.mode=always'], True),
        (['tools.navigate_to.approve=true'], True),
        (['tools.look_for_place.approve=true'], True),
        (['tools.move_forward.approve=true'], False),
        (['approval.mode=never', 'tools.navigate_to.approve=true'], False),
    ],
    ids=['default', 'always', 'the drive', 'the look', 'another tool', 'never'],
)
def test_a_tool_in_steps_is_asked_for_if_one_of_its_steps_is(
    overrides: list[str], needed: bool
) -> None:
    config = load_config(None, overrides)
    made_of = config.robot.made_of('go_to_remembered')
    assert needs_human(config.executive.approval.mode, made_of, stops=False) == needed
    assert Registry(config)['go_to_remembered'].made_of == made_of


@pytest.mark.parametrize(
    ('tool', 'changed', 'risk'),
    [
        ('move_forward', {}, 'Moves the base'),
        ('mast_rotate', {}, 'Moves the mast'),
        ('capture_and_score', {}, NOTHING_MOVES),
        ('recall', {}, NOTHING_MOVES),
        ('wait', {}, NOTHING_MOVES),
        ('move_forward', {'risk': 'May slide'}, 'May slide'),
        ('navigate_to', {'resources_required': (), 'gate': 'arm'}, 'Moves the arm'),
    ],
)
def test_the_risk_says_what_moves(skills: Any, tool: str, changed: Any, risk: str) -> None:
    moving = load_config().robot.moving_resources
    assert risk_of([skills[tool].model_copy(update=changed)], moving) == risk


def test_a_server_of_which_nothing_is_written_is_not_said_to_move_nothing(skills: Any) -> None:
    """Such as a service that `learn` found: it may open a valve."""
    valve = skills['remember'].model_copy(update={'risk': ''})
    assert risk_of([valve], ['base']) == UNKNOWN_MOTION
    whole = skills['wait'].model_copy(update={'steps': {'open': 'valve'}})
    assert risk_of([whole, valve], ['base']) == UNKNOWN_MOTION


def test_readings_that_change_all_the_time_count_by_what_the_guard_said() -> None:
    before = situation_of([allows('adapter_alive', 0.1)], Pose(yaw=3.13))
    after = situation_of([allows('adapter_alive', 0.9)], Pose(yaw=-3.13))
    gone = situation_of([refuses('adapter_alive', 'silent', 9.0)], Pose(yaw=3.13))
    assert describe_change(before, after) is None
    assert describe_change(before, gone) == 'adapter_alive was yes, is no'
    assert json.loads(json.dumps(before)) == before


def test_a_hash_does_not_depend_on_the_order_of_the_arguments() -> None:
    assert hash_of({'a': 1, 'b': 2}) == hash_of({'b': 2, 'a': 1})
    assert hash_of({'a': 1}) != hash_of({'a': '1'})
    assert hash_of({'a': '\ud800'})
