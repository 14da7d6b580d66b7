"""What a client of the official SDK can list, read and call; the robot is played by the test."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_stage import Stage, begun_call, play, text_of
import pytest

from bt_executive.client.callable_tools import tools_offered_to_agents
from bt_executive.client.front_end_events import (
    ClientFailed,
    ExecutiveLost,
    ExecutiveQuiet,
    ExecutiveReady,
    GoalAccepted,
    GoalEnded,
    PendingApprovals,
    ServiceReply,
)
from bt_executive.client.front_end_requests import GoalRequest, ToolRequest
from bt_executive.mcp_server import async_executive_client as client_module
from bt_executive.mcp_server.async_executive_client import FAILED, LOST
from bt_executive.mcp_server.robot_choice_and_lock import IDLE_S
from bt_executive.mcp_server.tools_as_mcp_schemas import GOAL, STOP, tools_of
from rover_common.config.load import load_config
from rover_common.errors import UsageError
from rover_common.trace_event import TraceEvent

NUMBERS = itertools.count()


def traced(kind: Any, message: str, **data: Any) -> TraceEvent:
    return TraceEvent(f'run-{next(NUMBERS)}', 1.0, kind, message, data=data)


def reach(stage: Stage) -> None:
    """From now on each goal is reached at once."""
    stage.robot.on_start = lambda ticket: stage.robot.put(GoalEnded(ticket, 'reached', 'done'))


@pytest.mark.slow
async def test_every_tool_of_the_registry_is_offered_with_schema_hints_and_cost(
    stage: Stage,
) -> None:
    async with stage.client() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert tools.keys() == tools_offered_to_agents(stage.config).keys() | {GOAL, STOP}
    drive = tools['move_forward']
    schema = stage.config.robot.tools['move_forward'].args_schema
    assert drive.input_schema == {'type': 'object', **schema}
    assert 'Cost 5' in str(drive.description)
    assert 'Need to close mast' in str(drive.description)
    hints = drive.annotations
    assert hints is not None
    assert (hints.read_only_hint, hints.destructive_hint) == (False, True)
    assert hints.idempotent_hint is False
    status, stop = tools['get_status'].annotations, tools['move_stop'].annotations
    assert status is not None
    assert stop is not None
    assert (status.read_only_hint, status.destructive_hint) == (True, False)
    assert stop.read_only_hint is False


def test_a_description_says_what_must_hold_and_with_which_words_it_is_refused() -> None:
    config = load_config()
    needs = 'Refused unless: adapter alive, standing still'
    (picture, drive) = (tools_of(config)[name].description for name in ('look', 'move_nudge'))
    assert f'{needs}, mast open (else “Mast is closed”).' in str(picture)
    assert f'{needs}, mast closed (else “Need to close mast”), outside keep out.' in str(drive)


def test_a_description_has_no_guard_of_another_variant() -> None:
    config = load_config(None, ['executive.variant=A'])
    assert 'Refused unless: adapter alive, standing still.' in str(
        tools_of(config)['look'].description
    )


async def test_a_call_is_a_goal_of_one_tool_and_its_result_is_reported(stage: Stage) -> None:
    def carried_out(ticket: int) -> None:
        put = stage.robot.put
        put(GoalAccepted('a-goal', ticket))
        put(traced('OBSERVE', 'New goal', task_id='a-goal'))
        put(GoalEnded(ticket, 'reached', 'move_forward: done', {'steps': 1}))
        put(traced('RESULT', 'done', result={'distance_m': 1.0}))
        put(traced('RESULT', 'Goal reached', task_id='a-goal', goal_ended={}))

    async with stage.client() as client:
        stage.robot.on_start = carried_out
        result = await client.call_tool('move_forward', {'duration_s': 2})
    assert stage.robot.started == [(1, ToolRequest('move_forward', '{"duration_s": 2}'))]
    assert not result.is_error
    assert text_of(result) == 'move_forward: done'
    assert result.structured_content == {
        'outcome': 'reached',
        'answer': 'move_forward: done',
        'goal_id': 'a-goal',
        'result': {'distance_m': 1.0},
        'summary': {'steps': 1},
    }


async def test_a_result_that_the_trace_does_not_tell_is_not_waited_for(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, 'TRACE_LAG_S', 0.01)

    def carried_out(ticket: int) -> None:
        stage.robot.put(GoalAccepted('a-goal', ticket))
        stage.robot.put(traced('OBSERVE', 'New goal', task_id='a-goal'))
        stage.robot.put(GoalEnded(ticket, 'reached', 'done'))

    async with stage.client() as client:
        stage.robot.on_start = carried_out
        result = await client.call_tool('move_nudge')
    assert text_of(result) == 'done'


async def test_the_exact_reason_of_a_refusal_is_the_answer(stage: Stage) -> None:
    async with stage.client() as client:
        stage.robot.on_start = lambda ticket: stage.robot.put(
            GoalEnded(ticket, 'gave_up', 'Need to close mast')
        )
        result = await client.call_tool('move_nudge')
    assert result.is_error
    assert text_of(result) == 'Need to close mast'


async def test_a_call_that_never_began_has_measured_nothing(stage: Stage) -> None:
    async with stage.client() as client:
        stage.robot.put(traced('RESULT', 'done', result={'distance_m': 1.0}))  # of another
        stage.robot.on_start = lambda ticket: stage.robot.put(
            GoalEnded(ticket, 'failed', 'The executive does not accept this goal')
        )
        result = await client.call_tool('move_forward', {'duration_s': 2})
    assert result.structured_content is not None
    assert result.structured_content['result'] == {}


@pytest.mark.parametrize(
    ('arguments', 'reason'),
    [
        ({}, "'goal' is a required property"),
        ({'goal': None}, "Argument 'goal': None is not of type 'string'"),
        ({'goal': {'a': 1}}, "Argument 'goal': {'a': 1} is not of type 'string'"),
        ({'goal': ''}, "Argument 'goal': '' should be non-empty"),
        ({'goal': 'go', 'by': 'noon'}, "('by' was unexpected)"),
    ],
)
async def test_a_goal_that_does_not_fit_its_schema_is_refused(
    stage: Stage, arguments: dict[str, Any], reason: str
) -> None:
    async with stage.client() as client:
        result = await client.call_tool(GOAL, arguments)
    assert result.is_error
    assert reason in text_of(result)
    assert stage.robot.started == []


async def test_a_stop_is_never_refused_for_its_arguments(stage: Stage) -> None:
    async with stage.client() as client:
        assert not (await client.call_tool(STOP, {'why': 'danger'})).is_error
    assert stage.robot.asked == ['stop']


async def test_a_whole_goal_goes_to_the_robots_own_planner(stage: Stage) -> None:
    async with stage.client() as client:
        reach(stage)
        await client.call_tool(GOAL, {'goal': 'take a picture'})
    assert stage.robot.started == [(1, GoalRequest('take a picture'))]


@pytest.mark.parametrize(
    ('mode', 'tool', 'asked'),
    [
        ('always', 'move_nudge', True),
        ('per_skill', 'move_nudge', False),
        ('never', 'move_nudge', False),
        ('always', 'speak', False),
        ('always', 'go_to_remembered', True),
        ('per_skill', 'go_to_remembered', False),
        ('always', 'move_stop', False),
    ],
)
def test_a_tool_says_whether_the_operator_is_asked_as_for_the_planner(
    mode: str, tool: str, asked: bool
) -> None:
    config = load_config(None, [f'approval.mode={mode}'])
    assert (tools_of(config)[tool].meta or {})['needs_approval'] is asked


async def test_nothing_that_is_offered_answers_a_request_for_approval(stage: Stage) -> None:
    async with stage.client() as client:
        for name in ('resolve_approval', 'approve', 'resume', 'reset'):
            with pytest.raises(MCPError, match='There is no tool'):
                await client.call_tool(name, {'request_id': 'ask-000000-1'})
    assert stage.robot.started == []
    assert stage.robot.asked == []


async def test_progress_says_what_is_under_way_and_what_it_waits_for(stage: Stage) -> None:
    reported: asyncio.Queue[tuple[float, str | None]] = asyncio.Queue()

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        reported.put_nowait((progress, message))

    async def until(words: str) -> float:
        while True:
            seconds, message = await reported.get()
            if message == words:
                return seconds

    async with stage.client() as client:
        call = asyncio.create_task(client.call_tool('move_nudge', progress_callback=heard))
        first = await until('Waits for its turn')
        request = {'id': 'ask-000000-1', 'tool': 'move_nudge'}
        stage.robot.put(PendingApprovals((request,), 1.0))
        await until('Waits for the operator to approve move_nudge')
        stage.robot.put(PendingApprovals((), 1.0))
        stage.robot.put(GoalAccepted('a-goal', 1))
        stage.robot.put(traced('OBSERVE', 'New goal', task_id='a-goal'))
        stage.robot.put(traced('ACT', 'move_nudge starts'))
        assert await until('move_nudge starts') > first
        stage.robot.put(GoalEnded(1, 'reached', 'done'))
        await call


async def test_progress_is_of_the_calls_own_goal_and_of_now(stage: Stage) -> None:
    reported: asyncio.Queue[str | None] = asyncio.Queue()

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        reported.put_nowait(message)

    async def after(*events: Any) -> str | None:
        for event in events:
            stage.robot.put(event)
        while not reported.empty():
            reported.get_nowait()
        return [await reported.get() for _ in range(3)][-1]  # the first may be of before

    async with stage.client() as client:
        call = asyncio.create_task(client.call_tool('move_nudge', progress_callback=heard))
        await reported.get()
        request = PendingApprovals(({'id': 'ask-000000-1', 'tool': 'move_forward'},), 1.0)
        another = traced('OBSERVE', 'New goal: look', task_id='another-goal')
        waits = await after(GoalAccepted('a-goal', 1), another, request)
        assert waits == 'Waits for its turn'
        own = traced('OBSERVE', 'New goal', task_id='a-goal')
        acts = traced('ACT', 'move_nudge starts')
        assert await after(PendingApprovals((), 1.0), own, acts) == 'move_nudge starts'
        assert await after(ExecutiveQuiet(True)) == 'The executive does not answer now'
        lost = await after(ExecutiveLost('it ended'), ExecutiveReady())
        assert lost == 'The executive answers again, and has not reported on it yet'
        stage.robot.put(GoalEnded(1, 'reached', 'done'))
        await call


async def test_a_call_that_is_cancelled_is_stopped(stage: Stage) -> None:
    async with stage.client() as client:
        call = await begun_call(stage.robot, client)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        while stage.robot.cancelled != [1]:
            await asyncio.sleep(0)


async def test_what_runs_is_cancelled_when_the_server_ends(stage: Stage) -> None:
    async with stage.client() as client:
        call = await begun_call(stage.robot, client)
        await stage.executive.close()
        assert stage.robot.cancelled[0] == 1
        assert stage.robot.closed
        assert (await call).is_error


async def test_one_client_holds_the_robot_and_the_others_get_its_name(stage: Stage) -> None:
    async with stage.client('alpha') as alpha, stage.client('beta') as beta:
        call = await begun_call(stage.robot, alpha)
        refused = await beta.call_tool('mast_open')
        assert refused.is_error
        assert text_of(refused).startswith('Another client holds the robot: alpha 1')
        stage.robot.put(GoalEnded(1, 'reached', 'done'))
        await call
        assert (await beta.call_tool('mast_open')).is_error, 'alpha may go on'
        stage.clock = IDLE_S
        reach(stage)
        assert not (await beta.call_tool('mast_open')).is_error
        assert (await alpha.call_tool('mast_open')).is_error


@pytest.mark.slow
async def test_to_look_and_to_stop_needs_no_hold(stage: Stage) -> None:
    async with stage.client('alpha') as alpha, stage.client('beta') as beta:
        reach(stage)
        await alpha.call_tool('move_nudge')
        assert not (await beta.call_tool('get_status')).is_error
        stopped = await beta.call_tool(STOP)
        assert not stopped.is_error
        assert stage.robot.asked == ['stop']


@pytest.mark.slow
def test_two_servers_on_one_machine_have_one_holder(stage: Stage, tmp_path: Path) -> None:
    other = Stage(tmp_path)

    async def scene() -> None:
        async with stage.client('alpha') as alpha, other.client('beta') as beta:
            reach(stage)
            reach(other)
            await alpha.call_tool('move_nudge')
            refused = await beta.call_tool('move_nudge')
            assert 'alpha 1 (process ' in text_of(refused)
            stage.lock.close()
            assert not (await beta.call_tool('move_nudge')).is_error

    play(scene)
    other.lock.close()


async def test_without_an_executive_one_sentence_says_what_to_do(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, 'READY_TIMEOUT_S', 0.01)
    stage.ready = False

    async with stage.client() as client:
        result = await client.call_tool('move_nudge')
        assert result.is_error
        assert 'start one with `bt-executive up`' in text_of(result)


async def test_an_executive_that_is_lost_takes_no_calls(stage: Stage) -> None:
    async with stage.client() as client:
        reach(stage)
        await client.call_tool('get_status')
        stage.robot.put(ExecutiveLost('it ended'))
        await client.call_tool(STOP)  # what was put is there
        assert (await client.call_tool('get_status')).is_error


async def test_what_is_asked_of_a_server_that_loses_ros_is_answered_with_that(
    stage: Stage,
) -> None:
    async with stage.client() as client:
        stage.robot.is_mute = True
        started = asyncio.Event()
        stage.robot.on_start = lambda _: started.set()
        call = asyncio.create_task(client.call_tool('move_nudge'))
        stopping = asyncio.create_task(client.call_tool(STOP))
        await started.wait()
        while not stage.robot.asked:
            await asyncio.sleep(0)
        stage.robot.put(ClientFailed(ValueError('deaf')))
        for answer in (await call, await stopping, await client.call_tool('mast_open')):
            assert answer.is_error
            assert text_of(answer) == FAILED
        assert stage.robot.cancelled == []  # there is nobody to tell it


async def test_a_question_that_was_not_answered_takes_no_answer_of_a_later_one(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.client() as client:
        await client.call_tool(STOP)
        stage.robot.is_mute = True
        with monkeypatch.context() as patience:
            patience.setattr(client_module, 'STOP_TIMEOUT_S', 0.0)
            lost = await client.call_tool(STOP)
        assert text_of(lost) == "The executive did not answer 'stop'."
        call = asyncio.create_task(client.call_tool(STOP))
        while len(stage.robot.asked) < 3:
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait([call])
        stage.robot.is_mute = False
        stopped = await client.call_tool(STOP)
        assert text_of(stopped) == 'the answer to stop'


async def test_a_late_reply_to_one_question_is_not_the_answer_to_the_next_one(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with stage.client() as client:
        stage.robot.is_mute = True
        with monkeypatch.context() as patience:
            patience.setattr(client_module, 'STOP_TIMEOUT_S', 0.0)
            await client.call_tool(STOP)
        call = asyncio.create_task(client.call_tool(STOP))
        while len(stage.robot.asked) < 2:
            await asyncio.sleep(0)
        stage.robot.put(ServiceReply('stop', False, 'No answer', 1))
        stage.robot.put(ServiceReply('stop', True, 'stops', 2))
        assert text_of(await call) == 'stops'


@pytest.mark.parametrize('is_lost', [True, False], ids=['lost', 'hangs'])
async def test_a_stop_is_left_once_to_the_client_which_sends_it_to_the_executive_that_is_found(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, is_lost: bool
) -> None:
    async with stage.client() as client:
        reach(stage)
        await client.call_tool('move_nudge')  # it is found
        if is_lost:
            stage.executive.apply(ExecutiveLost('it was killed'))
        stage.robot.is_mute = True
        monkeypatch.setattr(client_module, 'STOP_TIMEOUT_S', 0.0)
        stopped = await client.call_tool(STOP)
        assert stopped.is_error
        assert text_of(stopped) == (LOST if is_lost else "The executive did not answer 'stop'.")
        for _ in range(2):
            stage.executive.apply(ExecutiveLost('it was killed'))
            stage.executive.apply(ExecutiveReady())
        assert stage.robot.asked == ['stop']


async def test_the_templates_of_goals_are_prompts(stage: Stage) -> None:
    async with stage.client() as client:
        templates = stage.config.prompts.templates
        assert {each.name for each in (await client.list_prompts()).prompts} == set(templates)
        name, template = next(iter(templates.items()))
        (message,) = (await client.get_prompt(name)).messages
        assert template.text in str(getattr(message.content, 'text', ''))
        with pytest.raises(MCPError, match='no prompt'):
            await client.get_prompt('conquer_mars')


def test_a_tool_of_the_registry_may_not_be_called_as_one_of_ours() -> None:
    config = load_config()
    skills = config.robot.tools | {STOP: config.robot.tools['move_stop']}
    named = config.model_copy(update={'robot': config.robot.model_copy(update={'tools': skills})})
    with pytest.raises(UsageError, match="has a tool 'stop_robot'"):
        tools_of(named)
