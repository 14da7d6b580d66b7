"""Composite tools of a robot's file: what they take from their members, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bt_executive.skills.tool_registry import Registry
from rover_common.errors import ConfigError

Configured = Callable[[Callable[[dict[str, Any]], None]], Any]
ARM = {'action': {'name': '/arm', 'type': 'demo/action/Move'}}
DRIVE = {'navigate_to': {'x': 1.0, 'y': 2.0}}
TOOLS: dict[str, Any] = {
    'grasp': {
        **ARM,
        'args': {'object': {'type': 'string', 'minLength': 1, 'field': 'what.name'}},
        'resources_required': ['mast'],
        'approve': True,
    },
    'scan': {'service': {'name': '/scan_now', 'type': 'demo/srv/Scan'}, 'idempotent': True},
    'carry': {
        'service': {'name': '/carry', 'type': 'demo/srv/Carry'},
        'args': {'from': {'type': 'string'}, 'to': {'$ref': '#/properties/from'}},
    },
    'fetch': {'sequence': ['scan', {'grasp': {'object': '${object}'}}]},
    'go': {'sequence': [DRIVE]},
}


def registry(configured: Configured, **tools: Any) -> Registry:
    return Registry(configured(lambda content: content['tools'].update({**TOOLS, **tools})))


def test_it_takes_arguments_resources_and_approval_from_its_members(
    configured: Configured,
) -> None:
    fetch = registry(configured)['fetch']
    assert fetch.skill.args_schema == {
        'type': 'object',
        'properties': {'object': {'type': 'string', 'minLength': 1}},
        'required': ['object'],
        'additionalProperties': False,
    }
    assert fetch.skill.resources_required == ('mast',)
    assert any(skill.approve for skill in fetch.made_of)
    assert fetch.refuse_arguments({'object': 'cup'}) is None
    assert fetch.refuse_arguments({}) is not None


def test_a_composite_may_have_one_as_a_member(configured: Configured) -> None:
    twice = registry(
        configured,
        twice={'sequence': [{'fetch': {'object': 'cup'}}, {'fetch': {'object': '${b}'}}]},
    )['twice']
    assert list(twice.skill.args) == ['b']
    assert twice.skill.resources_required == ('mast',)
    assert any(skill.approve for skill in twice.made_of)


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({'sequence': ['scam']}, "member 'scam' is not known; did you mean 'scan'?"),
    (
        {'sequence': [{'grasp': {'colour': 'cup', 'object': 'cup'}}]},
        "grasp: argument 'colour' is not known; known are object.",
    ),
    ({'sequence': ['grasp']}, "grasp needs 'object': give it a value"),
    (
        {'sequence': [{'grasp': {'object': ''}}]},
        "grasp.object is '', which its args do not allow.",
    ),
    (
        {'sequence': [{'carry': {'from': 'a', 'to': 7}}]},
        'carry.to is 7, which its args do not allow.',
    ),
    (
        {'sequence': [{'grasp': {'object': 'the ${object}'}}]},
        'a reference must be the whole value.',
    ),
    (
        {'sequence': [{'grasp': {'object': '${scan.result.best}'}}, 'scan']},
        'grasp.object is ${scan.result.best}, and scan does not run before it: none.',
    ),
    (
        {'retry': {'times': 2, 'do': {'grasp': {'object': 'cup'}}}},
        'retry: grasp is not `idempotent`, so it must not be called again.',
    ),
    (
        {'parallel': [{'grasp': {'object': 'a'}}, 'mast_open']},
        'parallel: two members need mast: put them into a sequence.',
    ),
    (
        {'parallel': ['scan', 'get_status', 'list_nodes', 'speak']},
        'parallel: it has more than 3 members',
    ),
    (
        {'guard': {'that': ['mast_opn'], 'do': 'scan'}},
        "guard 'mast_opn' is not known; did you mean 'mast_open'?",
    ),
    (
        {'sequence': ['scan', DRIVE], 'guards': ['standing_still']},
        'guards: standing_still would refuse the motion of its own member navigate_to: name it',
    ),
    (
        {'guard': {'that': ['standing_still'], 'do': {'sequence': ['go']}}},
        'guard: standing_still would refuse the motion of its own member go: name it',
    ),
    ({'sequence': ['scan', {'finish': {'answer': 'ok'}}]}, 'member finish can only'),
    ({'sequence': ['move_nudge']}, 'member move_nudge is a timed motion'),
    ({'sequence': ['scan'] * 17}, 'it has more than 16 calls'),
    ({**ARM, 'sequence': ['scan']}, 'it is made of other tools, so only they have a server'),
    ({'sequence': ['bad']}, 'bad: bad would call itself'),
    ({'sequence': ['scan'], 'fallback': ['scan']}, 'it has sequence and fallback'),
    ({'sequence': 'scan'}, "sequence is 'scan': write the list of its members"),
    ({'fallback': []}, 'fallback is []: write the list of its members'),
    ({'sequence': [7]}, '7 is no member: write a tool with its arguments'),
    ({'sequence': [{'scan': 'x'}]}, "scan: 'x': write its arguments"),
    ({'retry': {'times': 0, 'do': 'scan'}}, 'retry.times is 0: write a number from 1 to 10'),
    ({'retry': {'times': 2}}, 'retry: write { times: 3, do: '),
    ({'timeout': {'seconds': -1, 'do': 'scan'}}, 'timeout.seconds is -1'),
]


@pytest.mark.parametrize(('entry', 'sentence'), FAULTS, ids=[fault for _, fault in FAULTS])
def test_a_fault_is_a_sentence(
    configured: Configured, entry: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ConfigError) as error:
        registry(configured, bad=entry)
    assert sentence in str(error.value)
    assert 'bad' in str(error.value)


def test_what_does_not_move_may_need_that_the_robot_stands(configured: Configured) -> None:
    that = {'that': ['standing_still'], 'do': 'scan'}
    stop_and_scan = {'sequence': [DRIVE, {'guard': that}]}
    standing = {'sequence': ['scan'], 'guards': ['standing_still']}
    assert {'stop_and_scan', 'standing'} <= set(
        registry(configured, stop_and_scan=stop_and_scan, standing=standing)
    )


def test_the_value_for_a_faulty_argument_is_no_second_fault(configured: Configured) -> None:
    faulty = {**TOOLS['scan'], 'args': {'data': {'$ref': '#/properties/data'}}}
    with pytest.raises(ConfigError) as error:
        registry(configured, faulty=faulty, calls={'sequence': [{'faulty': {'data': 1}}]})
    assert str(error.value).splitlines() == [
        "robot.yaml: tools.faulty: args: $ref '#/properties/data' leads nowhere in it; write the "
        'schema there.'
    ]


def test_two_that_call_each_other_are_refused(configured: Configured) -> None:
    with pytest.raises(ConfigError, match='would call itself'):
        registry(configured, one={'sequence': ['two']}, two={'sequence': ['one']})


def test_members_cannot_be_endlessly_deep(configured: Configured) -> None:
    plan: Any = 'scan'
    for _ in range(12):
        plan = {'sequence': [plan]}
    with pytest.raises(ConfigError, match='more than 8 deep'):
        registry(configured, bad=plan)


@pytest.mark.slow
@pytest.mark.parametrize('count', [9, 60, 900])
def test_composites_cannot_stand_within_each_other_without_end(
    configured: Configured, count: int
) -> None:
    """In whichever order they are read, by a sentence and at once."""
    chain = {f'c{n}': {'sequence': [f'c{n - 1}' if n else 'scan']} for n in range(count)}
    for tools in (chain, dict(reversed(chain.items()))):
        with pytest.raises(ConfigError, match='more than 8 composites stand within each other'):
            registry(configured, **tools)


def test_what_calls_each_other_again_and_again_is_counted_at_once(configured: Configured) -> None:
    wide = {f'c{n}': {'sequence': [f'c{n - 1}' if n else 'scan'] * 16} for n in range(8)}
    with pytest.raises(ConfigError, match='c1: it has more than 16 calls'):
        registry(configured, **wide)
