"""Parts and conditions that cannot be used are told at start, each in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from same_configuration import content_of
from tree_bench import ROBOTS

from bt_executive.skills.tool_registry import Registry
from bt_executive.store.run_configuration_and_metadata import save_configuration
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.errors import ConfigError

Change = Callable[[dict[str, Any]], None]


def part(name: str, kind: object) -> Change:
    return lambda robot: robot['state'].update({name: kind})


def rule(name: str = 'own', **keys: Any) -> Change:
    condition = {'where': {'mast': 'closed'}, 'reason': 'No', **keys}
    return lambda robot: robot['guards'].update({name: condition})


def effect(**where: Any) -> Change:
    return lambda robot: robot['tools']['mast_close'].update(postcondition=where)


@pytest.mark.parametrize(
    ('change', 'sentence'),
    [
        (effect(mst='closed'), "mast_close: state 'mst' is not known; did you mean 'mast'?"),
        (effect(mast='shut'), "mast_close: postcondition.mast is 'shut', but it is one of open"),
        (effect(mast=[]), 'is []: write the value that allows it, a list'),
        (part('lamp', 'flag'), "'state.lamp' is 'flag': write boolean, number, string, or the li"),
        (part('lamp', [True, False]), 'write boolean, number, string, or the list of its words'),
        (part('lamp', []), "'state.lamp' is []: write boolean"),
        (part('pose', 'string'), 'state.pose: the executive keeps a value of this name itself'),
        (part('a b', 'string'), "'state.a b"),
        (rule(where={}), 'write where, any_of or not, with what must be so'),
        (rule(where={'mast': None}), 'is None: write the value that allows it, a list'),
        (rule(where={'mast': []}), 'is []: write the value that allows it, a list'),
        (rule(where={'mast': {}}), 'give at_least, at_most or both'),
        (rule(where={'mast': {'at_least': 2.0, 'at_most': 1.0}}), 'must not be above at_most (1)'),
        (rule(where={'mst': 'closed'}), "own: state 'mst' is not known; did you mean 'mast'?"),
        (rule(where={'mast': 'shut'}), "where.mast is 'shut', but it is one of open, closed, bet"),
        (rule(where={'mast': {'at_most': 1.0}}), 'where.mast has bounds, but it is one of open'),
        (rule(where={'mast_is_open': 'no'}), "where.mast_is_open is 'no', but it is a boolean."),
        (rule(reason=' '), 'write one line of 1 to 200 characters'),
        (rule(reason='a\nb'), 'write one line of 1 to 200 characters'),
        (rule('standing_still'), 'guards.standing_still: a guard of this name is b'),
        (
            lambda robot: robot['tools']['move_nudge'].update(guards=['mast_closd']),
            "move_nudge: guard 'mast_closd' is not known; did you mean 'mast_closed'?",
        ),
        (
            lambda robot: robot.update(moving_resources=['bse']),
            "moving_resources: resource 'bse' is not known; did you mean 'base'?",
        ),
    ],
)
def test_a_fault_is_reported(
    configured: Callable[[Change], Config], change: Change, sentence: str
) -> None:
    with pytest.raises(ConfigError) as reported:
        Registry(configured(change))
    assert 'robot.yaml: ' in str(reported.value)
    assert sentence in str(reported.value)
    assert '\n' not in str(reported.value)


@pytest.mark.parametrize(
    ('override', 'sentence'),
    [
        ('battery.before_rest=mast_clos', "tool 'mast_clos' is not known; did you mean 'mast_c"),
        ('battery.before_rest=speak', "battery.before_rest is 'speak', which calls no server."),
        ('battery.before_rest=move_nudge', "is 'move_nudge', which drives; name a tool that d"),
        ('guards.resolve_by={mast_closed: turn_left}', "mast_closed is 'turn_left', which drives"),
    ],
)
def test_a_tool_that_the_tree_cannot_call_by_itself_is_reported(
    override: str, sentence: str
) -> None:
    with pytest.raises(ConfigError) as reported:
        Registry(load_config(None, [override]))
    assert sentence in str(reported.value)


@pytest.mark.parametrize(
    ('override', 'key'),
    [
        ('battery.before_rest=stow', 'battery.before_rest'),
        ('guards.resolve_by={standing_still: stow}', 'guards.resolve_by: standing_still'),
    ],
)
def test_the_tree_does_not_call_a_tool_by_itself_that_needs_a_permit(
    override: str, key: str
) -> None:
    stow = 'robot.tools.stow={gate: arm, action: {name: /stow, type: demo/action/Stow}}'
    arm = ['robot.gates.arm={action: /stow}', stow]
    Registry(load_config(ROBOTS / 'turtlebot', arm))
    with pytest.raises(ConfigError) as reported:
        Registry(load_config(ROBOTS / 'turtlebot', [*arm, override]))
    why = 'which moves by a gate; name a tool that needs no permit.'
    assert str(reported.value) == f"executive.yaml: {key} is 'stow', {why}"


@pytest.mark.slow
def test_a_configuration_of_another_robot_survives_being_written_and_read(tmp_path: Path) -> None:
    tiny = Path(__file__).parents[2] / 'support' / 'tiny_robot_config'
    overrides = ['robot.state.load_kg=number']
    bounds = '{where: {load_kg: {at_most: 2.0}}, reason: "Too heavy"}'
    config = load_config(tiny, [*overrides, f'guards.light={bounds}'])
    save_configuration(config, tmp_path)
    assert content_of(load_config(tmp_path / 'config')) == content_of(config)
    assert Config.model_validate(config.model_dump()) == config
    assert config.topics.adapter.get_status.name == '/adapter/get_status'
