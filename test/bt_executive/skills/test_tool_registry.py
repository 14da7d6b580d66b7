"""The registry of tools is checked as a whole, and every fault is listed (spec 3, property 10)."""

from __future__ import annotations

from collections.abc import Callable
import dataclasses
from typing import Any, TypeAlias

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
import pytest

from bt_executive.core.call_argument_validation import ArgumentFault
from bt_executive.skills.tool_registry import Registry
from bt_executive.skills.tool_validation import INTERNAL_TOOLS, STEPS
from bt_executive.tree.subtrees_of_tools_and_composites import IN_STEPS, INTERNAL
from rover_common.config.load import load_config
from rover_common.errors import ConfigError
from rover_common.reason import Reason
from rover_common.ros.interface_classes_and_fields import resolve

Configured = Callable[[Callable[[dict[str, Any]], None]], Any]
checked = settings(
    deadline=None,
    phases=[Phase.explicit, Phase.generate],  # a set of a few names needs no shrinking
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def test_the_shipped_registry_fits_the_interfaces_that_are_installed() -> None:
    for variant in ('A', 'B'):
        registry = Registry(load_config(overrides=[f'variant={variant}']), resolve)
        assert 'capture_and_score' in registry


Fault: TypeAlias = tuple[dict[str, Any], str]
NO_NUMBERS: Fault = (
    {'args': {'data': {'type': 'boolean'}}, 'destination': {'x': 'data', 'y': 'data'}},
    "destination.x: 'data' must be of type number in args.",
)
NO_SERVER: Fault = (
    {'service': None},
    'it has no service, action or topic, and none of the own tools has this name: abort, ',
)
REFERENCE = {
    '$ref': '#/properties/data/$defs/on',
    '$defs': {'on': {'type': 'boolean'}},
    'optional': True,
}
FAULTS: list[Fault] = [
    ({'service': 'adapter.lamp'}, "service is 'adapter.lamp', which `topics` does not have"),
    (
        {'service': None, 'action': {'name': '/lamp', 'type': 'std_srvs/srv/SetBool'}},
        'action /lamp is a service (std_srvs/srv/SetBool), not an action.',
    ),
    (
        {'service': {'name': '/lamp', 'type': 'disco_msgs/srv/Lamp'}},
        "interface 'disco_msgs/srv/Lamp' is not installed: build or install package 'disco_msgs'",
    ),
    ({'args': {'data': {'type': 'truth'}}}, 'args is not a JSON Schema'),
    (
        {'args': {'data': {'type': 'number', 'max': 3}}},
        "args.data: key 'max' is not known; did you mean 'maximum'?",
    ),
    (
        {'args': {'data': {'anyOf': [{'type': 'array', 'items': {'minimun': 0}}]}}},
        "args.data.anyOf.0.items: key 'minimun' is not known; did you mean 'minimum'?",
    ),
    (
        {'args': {'on': {'type': 'boolean'}}},
        "argument 'on' has no field 'on' in std_srvs/srv/SetBool, which has data",
    ),
    (
        {'args': {'data': {'type': 'number'}}},
        "argument 'data' is number, but field 'data' is boolean.",
    ),
    ({'args': {'data': {'$ref': '#/$defs/on'}}}, "args: $ref '#/$defs/on' leads nowhere in it"),
    (
        {'args': {'data': {'$ref': '#/properties/data'}}},
        "args: $ref '#/properties/data' leads nowhere in it",
    ),
    (
        {'args': {'data': {'$ref': 'http://localhost/a'}}},
        "args: $ref 'http://localhost/a' leads nowhere in it",
    ),
    (
        {
            'args': {'s': {'type': ['number', 'null'], 'optional': True}},
            'motion': {'stop': 'adapter.move_stop', 'duration_arg': 's'},
        },
        "motion.duration_arg 's' must be of type number in args.",
    ),
    (
        {'args': {'data': {'$ref': '#/nowhere', 'default': True, 'optional': True}}},
        "args: $ref '#/nowhere' leads nowhere in it",
    ),
    (
        {'args': {'data': REFERENCE | {'default': 'on'}}},
        "args.data.default is 'on', which args does not allow.",
    ),
    (
        {'args': {'data': REFERENCE}, 'examples': [{'say': 'On', 'args': {'data': 'on'}}]},
        "examples.0.args.data is 'on', which args does not allow.",
    ),
    ({'guards': ['mast_close']}, "guard 'mast_close' is not known; did you mean 'mast_closed'?"),
    (
        {'resources_required': ['lamp']},
        "resource 'lamp' is not known; known are base, camera, mast.",
    ),
    (
        {'error_map': {'TIMEOUT': 'RETRY'}},
        "error_map: code 'TIMEOUT' is not known; did you mean 'TIMED_OUT'?",
    ),
    (
        {'result': {'ok': 'succeeded'}},
        "result.ok is 'succeeded', which std_srvs/srv/SetBool does not answer",
    ),
    (
        {'result': {'ok': 'message'}},
        "result.ok is 'message', which is string: name a boolean or a number, which is not 0",
    ),
    (
        {'result': {'code': 'message', 'codes': {1: 'BROKEN'}}},
        "result.code is 'message', which is string: name a whole number, for `codes` translates",
    ),
    NO_NUMBERS,
    NO_SERVER,
]


@pytest.mark.parametrize(('changes', 'sentence'), FAULTS, ids=[fault for _, fault in FAULTS])
def test_a_fault_is_reported_in_a_sentence(
    configured: Configured, lamp: Any, changes: dict[str, Any], sentence: str
) -> None:
    config = configured(lambda content: content['tools'].update(lamp_9=lamp(**changes)))
    with pytest.raises(ConfigError) as error:
        Registry(config, resolve)
    assert f'robot.yaml: tools.lamp_9: {sentence}' in str(error.value)


def test_values_and_names_in_a_schema_are_no_keys_of_it(configured: Configured, lamp: Any) -> None:
    data = {
        'type': 'boolean',
        'description': 'On or off',
        'const': True,
        'enum': [True],
        'default': True,
        'allOf': [{'properties': {'max': {'maximum': 3}}, 'examples': [{'max': 4}]}],
    }
    config = configured(lambda content: content['tools'].update(lamp=lamp(args={'data': data})))
    assert 'lamp' in Registry(config, resolve)


def test_null_for_an_optional_argument_that_refers_to_another_is_not_given(
    configured: Configured, lamp: Any
) -> None:
    entry = lamp(args={'data': REFERENCE}, examples=[{'say': 'On', 'args': {'data': True}}])
    tool = Registry(configured(lambda content: content['tools'].update(lamp=entry)))['lamp']
    assert tool.given({'data': None}) == {}
    assert tool.given({'data': True}) == {'data': True}


@pytest.mark.long
@given(picked=st.sets(st.sampled_from(range(len(FAULTS))), min_size=1))
@checked
def test_all_faults_are_listed_at_once(
    configured: Configured, lamp: Any, picked: set[int]
) -> None:
    faults = [FAULTS[number] for number in sorted(picked)]

    def add(content: dict[str, Any]) -> None:
        for number, fault in enumerate(faults):
            name = 'lamp_9' if fault is NO_SERVER else f'lamp_{number + 10}'
            content['tools'][name] = lamp(**fault[0])

    with pytest.raises(ConfigError) as error:
        Registry(configured(add), resolve)
    lines = len(faults) + (NO_NUMBERS in faults)  # x and y
    found = [each for each in str(error.value).splitlines() if 'one type only' not in each]
    assert len(found) == lines  # all lamps have one name, and some another type
    for _, sentence in faults:
        assert sentence in str(error.value)


def test_a_cost_without_a_skill_is_a_fault(configured: Configured) -> None:
    config = configured(lambda content: content['tools'].pop('mast_rotate'))
    with pytest.raises(ConfigError, match=r"tool_costs\.yaml names 'mast_rotate'"):
        Registry(config)


@pytest.mark.parametrize(
    ('override', 'sentence'),
    [
        (
            'guards.policy={mast_closd: resolve}',
            "guards.policy: guard 'mast_closd' is not known; did you mean 'mast_closed'?",
        ),
        (
            'approval.break_at=[mast_closd]',
            "approval.break_at: 'mast_closd' is not known; did you mean 'mast_closed'?",
        ),
        (
            'guards.resolve_by={mast_clsed: mast_close}',
            "guards.resolve_by: guard 'mast_clsed' is not known; did you mean",
        ),
        (
            'guards.policy={adapter_alive: resolve}',
            "guards.resolve_by: adapter_alive is '', which is not a tool; name one.",
        ),
    ],
)
def test_a_policy_that_nothing_follows_is_a_fault(override: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as error:
        Registry(load_config(overrides=[override]))
    assert f'executive.yaml: {sentence}' in str(error.value)


def test_a_precondition_is_resolved_by_a_tool_that_calls_a_server() -> None:
    with pytest.raises(ConfigError, match="mast_closed is 'wait', which calls no server"):
        Registry(load_config(overrides=['guards.resolve_by={mast_closed: wait}']))


def test_an_internal_tool_has_the_arguments_that_it_reads(configured: Configured) -> None:
    def change(content: dict[str, Any]) -> None:
        content['tools']['speak'] = {'args': {'text': {'optional': True}}}
        content['tools']['finish'] = {'args': {'answer': {'optional': True}}}

    with pytest.raises(ConfigError) as error:
        Registry(configured(change))
    assert str(error.value).splitlines() == [
        f'robot.yaml: tools.{tool}: args must require {name!r} of type {kind}, which the tool '
        'reads, or give it a default.'
        for tool, name, kind in [('speak', 'text', 'string'), ('finish', 'answer', 'string')]
    ]


@pytest.mark.parametrize('x', [10**400, -(10**400), 1e999, float('nan')])
def test_a_number_that_no_server_can_take_is_refused(x: float) -> None:
    tool = Registry(load_config())['navigate_to']
    refused = tool.refuse_arguments({'x': x, 'y': 0})
    assert refused == Reason(ArgumentFault.NOT_FINITE, 'Numbers must be finite')
    assert tool.refuse_arguments({'x': 10**300, 'y': 0}) is None


@pytest.mark.parametrize('text', ['turn left\0, no: do not move', 'half of a pair: \ud83d'])
@pytest.mark.parametrize('deep', [False, True])
def test_a_text_that_would_not_arrive_whole_is_refused(
    configured: Configured, lamp: Any, text: str, deep: bool
) -> None:
    config = configured(lambda content: content['tools'].update(lamp=lamp(args={'data': {}})))
    tool = Registry(config, resolve)['lamp']
    refused = tool.refuse_arguments({'data': [{'say': [text]}] if deep else text})
    assert refused is not None
    assert refused.code is ArgumentFault.NOT_SENDABLE
    assert text not in refused.sentence
    assert tool.refuse_arguments({'data': 'turn left, 左\n\t\u200d'}) is None


def test_the_kind_of_an_endpoint_follows_from_its_type(configured: Configured, lamp: Any) -> None:
    config = configured(lambda content: content['tools'].update(lamp=lamp()))
    endpoint = Registry(config, resolve)['lamp'].endpoint
    assert endpoint is not None
    assert endpoint.kind == 'service'


def test_a_mistaken_inline_endpoint_is_reported_with_its_key(
    configured: Configured, lamp: Any
) -> None:
    entry = lamp(service={'name': '/lamp', 'typ': 'std_srvs/srv/SetBool'})
    with pytest.raises(ConfigError, match=r"tools\.lamp\.service\.type' is missing"):
        configured(lambda content: content['tools'].update(lamp=entry))


def test_the_internal_tools_that_are_known_are_those_that_exist() -> None:
    assert {*INTERNAL, *IN_STEPS} == {*INTERNAL_TOOLS}
    assert {*IN_STEPS} == {*STEPS}


def test_what_says_how_or_where_to_or_takes_the_base_drives(
    configured: Configured, lamp: Any
) -> None:
    driving = {'move_nudge', 'move_forward', 'turn_left', 'turn_right', 'navigate_to'}
    driving |= {'go_to_remembered'}
    assert {name for name, tool in Registry(load_config()).items() if tool.drives} == driving

    def push(content: dict[str, Any]) -> None:
        content['tools']['push'] = lamp(resources_required=['base'])

    assert Registry(configured(push))['push'].drives


def test_a_tool_keeps_nothing_that_can_be_changed() -> None:
    tool = Registry(load_config())['abort']
    with pytest.raises(dataclasses.FrozenInstanceError):
        tool.name = 'other'  # type: ignore[misc]
