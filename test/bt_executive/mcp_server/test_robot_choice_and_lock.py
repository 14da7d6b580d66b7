"""Several robots behind one server, each played by the test; the client is the official SDK's."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
import json
from pathlib import Path
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_stage import Stage, play, text_of
import pytest

from bt_executive.client.front_end_events import (
    ClientFailed,
    ExecutiveLost,
    ExecutiveReady,
    GoalEnded,
)
from bt_executive.client.front_end_requests import GoalRequest, ToolRequest
from bt_executive.mcp_server import async_executive_client as client_module
from bt_executive.mcp_server.async_executive_client import FAILED
from bt_executive.mcp_server.tools_as_mcp_schemas import GOAL, STOP
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.config.settings import Config
from rover_common.config.settings.skills import Argument
from rover_common.errors import UsageError
from rover_common.trace_event import TraceEvent

ROVER = load_config()
TURTLEBOT = load_config(default_folder() / 'robots' / 'turtlebot')
CONFIGS = {'rover_1': ROVER, 'rover_2': ROVER, 'tb': TURTLEBOT}


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path, configs=CONFIGS)
    yield made
    made.close()


def reach(stage: Stage) -> None:
    """From now on each goal of any robot is reached at once, by the robot's own words."""

    def done(name: str, ticket: int) -> None:
        stage.fleet[name].put(GoalEnded(ticket, 'reached', f'done by {name}'))

    for name, robot in stage.fleet.items():
        robot.on_start = partial(done, name)


async def test_a_call_goes_to_the_robot_that_it_names_and_the_result_names_it(
    fleet: Stage,
) -> None:
    async with fleet.client() as client:
        reach(fleet)
        call = {'robot': 'rover_2', 'duration_s': 2}
        result = await client.call_tool('move_forward', call)
        reported = await client.call_tool(GOAL, {'robot': '/tb', 'goal': 'Go home'})
    assert text_of(result) == 'done by rover_2'
    assert result.structured_content is not None
    assert result.structured_content['robot'] == 'rover_2'
    assert text_of(reported) == 'done by tb'
    assert {name: robot.started for name, robot in fleet.fleet.items()} == {
        'rover_1': [],
        'rover_2': [(1, ToolRequest('move_forward', '{"duration_s": 2}'))],
        'tb': [(1, GoalRequest('Go home'))],
    }


@pytest.mark.parametrize(
    ('tool', 'arguments', 'sentence'),
    [
        ('move_nudge', {}, "Name the robot in the argument 'robot': rover_1, rover_2, tb."),
        ('move_nudge', {'robot': None}, "Name the robot in the argument 'robot'"),
        (GOAL, {'goal': 'Go home'}, "Name the robot in the argument 'robot'"),
        ('move_nudge', {'robot': 'rover_9'}, "There is no robot 'rover_9'; there are: rover_1, "),
        ('move_nudge', {'robot': 7}, 'There is no robot 7'),
        ('move_nudge', {'robot': ['rover_1']}, 'There is no robot'),
        (
            'move_nudge',
            {'robot': 'tb'},
            "tb has no tool 'move_nudge'; it is a tool of",
        ),
    ],
)
async def test_a_call_for_no_robot_of_ours_is_one_sentence_and_reaches_none(
    fleet: Stage, tool: str, arguments: dict[str, Any], sentence: str
) -> None:
    async with fleet.client() as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    assert text_of(result).startswith(sentence)
    assert not any(robot.started for robot in fleet.fleet.values())


@pytest.mark.parametrize(
    ('arguments', 'stopped', 'is_error'),
    [
        ({'robot': 'rover_2'}, ['rover_2'], False),
        ({}, [*CONFIGS], False),
        ({'robot': None}, [*CONFIGS], False),
        ({'robot': 'rover_9'}, [*CONFIGS], True),
        ({'robot': {'a': 1}}, [*CONFIGS], True),
    ],
)
async def test_a_stop_is_for_the_named_robot_and_without_a_known_name_for_all(
    fleet: Stage, arguments: dict[str, Any], stopped: list[str], is_error: bool
) -> None:
    async with fleet.client() as client:
        result = await client.call_tool(STOP, arguments)
    assert [name for name, robot in fleet.fleet.items() if robot.asked == ['stop']] == stopped
    assert result.is_error == is_error
    content = result.structured_content
    assert content is not None
    assert [*content['robots']] == stopped
    assert ('There is no robot' in text_of(result)) == is_error


@pytest.mark.slow
async def test_a_robot_that_does_not_answer_delays_and_hides_no_stop_of_another(
    fleet: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, 'STOP_TIMEOUT_S', 0.05)

    async with fleet.client() as client:
        fleet.fleet['rover_1'].is_mute = True
        fleet.fleet['tb'].put(ExecutiveLost('it ended'))
        result = await client.call_tool(STOP)
    assert result.is_error
    robots = (result.structured_content or {})['robots']
    assert {name: each['ok'] for name, each in robots.items()} == {
        'rover_1': False,
        'rover_2': True,
        'tb': False,
    }
    assert "rover_1: The executive did not answer 'stop'" in text_of(result)
    assert 'tb: No executive answers' in text_of(result)


async def test_a_stop_does_not_wait_for_an_executive_that_is_missing_and_reaches_it_when_it_comes(
    fleet: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, 'STOP_TIMEOUT_S', 0.05)
    fleet.ready = False

    async with fleet.client() as client:
        for name in ('rover_1', 'tb'):
            fleet.fleet[name].put(ExecutiveReady())
        result = await client.call_tool(STOP)
        assert 'rover_2: No executive has been found yet' in text_of(result)
        robots = (result.structured_content or {})['robots']
        assert [name for name, each in robots.items() if each['ok']] == ['rover_1', 'tb']
        # Its client keeps it for the executive that comes.
        assert fleet.fleet['rover_2'].asked == ['stop']


async def test_a_lost_connection_to_one_robot_leaves_the_others(fleet: Stage) -> None:
    async with fleet.client() as client:
        fleet.fleet['rover_1'].put(ClientFailed(ValueError('deaf')))
        reach(fleet)
        lost = await client.call_tool('move_nudge', {'robot': 'rover_1'})
        other = await client.call_tool('move_nudge', {'robot': 'rover_2'})
    assert text_of(lost) == FAILED
    assert text_of(other) == 'done by rover_2'


async def test_each_robot_is_held_for_itself(fleet: Stage) -> None:
    async with fleet.client('one') as one, fleet.client('other') as other:
        reach(fleet)
        await one.call_tool('move_nudge', {'robot': 'rover_1'})
        refused = await other.call_tool('move_nudge', {'robot': 'rover_1'})
        taken = await other.call_tool('move_nudge', {'robot': 'rover_2'})
    assert 'Another client holds the robot: one 1' in text_of(refused)
    assert not taken.is_error


async def test_each_tool_takes_the_names_of_the_robots_that_have_it(fleet: Stage) -> None:
    async with fleet.client() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        instructions = client.instructions
    schema = tools['move_nudge'].input_schema
    assert schema['properties']['robot']['enum'] == ['rover_1', 'rover_2']
    assert schema['required'][0] == 'robot'
    assert tools[GOAL].input_schema['properties']['robot']['enum'] == [*CONFIGS]
    assert tools[GOAL].input_schema['required'] == ['robot', 'goal']
    assert 'required' not in tools[STOP].input_schema
    assert 'rover_1, rover_2, tb' in str(instructions)


def nudge_with(**arguments: dict[str, Any]) -> Config:
    robot = ROVER.robot
    args = {name: Argument.model_validate(each) for name, each in arguments.items()}
    nudge = robot.tools['move_nudge'].model_copy(
        update={'args': args, 'description': 'Rolls.', 'reads_only': True}
    )
    tools = {**robot.tools, 'move_nudge': nudge}
    return ROVER.model_copy(update={'robot': robot.model_copy(update={'tools': tools})})


def test_a_tool_that_differs_is_described_for_each_and_hints_at_the_worst(tmp_path: Path) -> None:
    a = nudge_with(k={'type': 'null', 'optional': True}, m={'type': 'integer'}, n={})
    b = nudge_with(m={'type': 'number'}, n={'optional': True})
    robots = {'a': a, 'b': b, 'rover': ROVER}
    tool = Stage(tmp_path, configs=robots).offered.tools['move_nudge']
    assert 'a: Rolls.' in str(tool.description)
    assert ' rover: ' in str(tool.description)
    assert tool.annotations is not None
    assert tool.annotations.read_only_hint is False
    alike = Stage(tmp_path, configs={'a': a, 'b': b}).offered.tools['move_nudge']
    assert alike.input_schema == {
        'type': 'object',
        'properties': {
            'robot': {'type': 'string', 'enum': ['a', 'b'], 'description': 'Which robot.'},
            'k': {'type': 'null'},
            'm': {'anyOf': [{'type': 'integer'}, {'type': 'number'}]},
            'n': {},
        },
        'required': ['robot', 'm'],
        'additionalProperties': False,
    }


async def test_an_argument_robot_of_a_tool_is_refused_among_several_and_is_its_own_alone(
    tmp_path: Path,
) -> None:
    own = nudge_with(robot={'type': 'string'})
    with pytest.raises(UsageError, match=r"'move_nudge' of a has an argument 'robot'"):
        Stage(tmp_path, configs={'a': own})

    stage = Stage(tmp_path, config=own)
    async with stage.client() as client:
        reach(stage)
        await client.call_tool('move_nudge', {'robot': 'mine'})
    assert stage.robot.started == [(1, ToolRequest('move_nudge', '{"robot": "mine"}'))]
    stage.close()


def test_one_robot_needs_no_name_and_refuses_another(tmp_path: Path) -> None:
    async def scene(configs: dict[str, Any], sentence: str) -> None:
        stage = Stage(tmp_path, configs=configs)
        async with stage.client() as client:
            reach(stage)
            for arguments in ({}, *({'robot': name} for name in configs)):
                assert not (await client.call_tool('move_nudge', arguments)).is_error
            refused = await client.call_tool('move_nudge', {'robot': 'b'})
        assert refused.is_error
        assert text_of(refused) == sentence
        stage.close()

    play(lambda: scene({'a': ROVER}, "There is no robot 'b'; there are: a."))
    play(lambda: scene({}, "There is one robot here: leave out the argument 'robot'."))


async def test_resources_and_prompts_are_of_a_robot(fleet: Stage) -> None:
    async with fleet.client() as client:

        async def read(name: str) -> Any:
            (contents,) = (await client.read_resource(f'robot://{name}')).contents
            return contents

        listed = {str(each.uri) for each in (await client.list_resources()).resources}
        assert {'robot://rover_1/state', 'robot://tb/picture', 'robot://runs'} <= listed
        assert 'robot://state' not in listed
        fleet.fleet['rover_2'].put(TraceEvent('e1', 1.0, 'ACT', 'drives'))
        fleet.fleet['tb'].put(ExecutiveLost('it ended'))
        await client.call_tool(STOP)  # what was put is there
        assert (await read('rover_1/trace')).text == ''
        assert json.loads((await read('rover_2/trace')).text)['message'] == 'drives'
        rows = json.loads((await read('robots')).text)
        assert [(each['name'], each['executive'], each['why']) for each in rows] == [
            ('rover_1', 'ready', ''),
            ('rover_2', 'ready', ''),
            ('tb', 'lost', 'it ended'),
        ]
        with pytest.raises(MCPError, match='There is no resource'):
            await read('rover_9/state')
        listed_prompts = (await client.list_prompts()).prompts
        name = listed_prompts[0].name
        assert [each.required for each in listed_prompts[0].arguments or ()] == [True]
        said = await client.get_prompt(name, {'robot': 'rover_2'})
        assert "'robot' set to 'rover_2'" in str(said.messages[0].content)
        with pytest.raises(MCPError, match='Name the robot'):
            await client.get_prompt(name)
