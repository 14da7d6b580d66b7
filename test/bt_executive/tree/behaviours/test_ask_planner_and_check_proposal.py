"""What the planner is asked and tells, and proposals that are checked, through the whole tree."""

from __future__ import annotations

import json
from typing import Any

from known import known
import pytest
from tree_bench import MakeBench, Propose

from bt_executive.client.callable_tools import variant_tools
from bt_executive.client.front_end_requests import ToolRequest
from bt_executive.client.typed_commands import Vocabulary
from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer, Notice, Proposal, StreamChunk
from bt_executive.core.inputs import PoseReceived, ServerCallUpdate
from bt_executive.skills.tool_registry import resolver_of
from rover_common.config.load import load_config
from rover_common.llm.model_usage import ModelUse

FAULT = 'The arguments of move_forward are not a JSON object: \'{"duration_s":\''


def test_unusable_arguments_again_and_again_ask_the_operator(bench: MakeBench) -> None:
    calls = [Proposal(f'c{number}', 'move_forward', {}, '', FAULT) for number in range(3)]
    it = bench(*calls, Answer('as you say'))
    it.status(mast_is_open=False, mast='closed')
    it.goal('drive')
    it.until(lambda: it.context.state.hci.question)
    assert 'The same proposal was refused 3 times in a row' in it.context.state.hci.question
    refused = [event for event in it.events if known(event.data).get('guard') == 'arguments']
    assert [each.error_reason for each in refused] == [FAULT] * 3
    assert '/adapter/move_forward' not in it.robot.names
    assert [each.error_reason for each in it.planner.results] == [FAULT] * 2


@pytest.mark.parametrize(
    ('tool', 'arguments', 'given', 'reason'),
    [
        ('move_forward', {'duration_s': None}, {}, ''),
        ('move_forward', {'duration_s': 1.0}, {'duration_s': 1.0}, ''),
        ('move_forward', {'speed': None}, {'speed': None}, "'speed' was unexpected"),
        ('navigate_to', {'x': None, 'y': 1.0}, {'x': None, 'y': 1.0}, 'is not of type'),
    ],
)
def test_null_for_an_optional_argument_means_that_it_is_not_given(
    bench: MakeBench,
    propose: Propose,
    tool: str,
    arguments: dict[str, Any],
    given: dict[str, Any],
    reason: str,
) -> None:
    it = bench(propose(tool, **arguments), Answer('done'))
    it.status(mast_is_open=False, mast='closed')
    it.goal('drive')
    it.until(lambda: it.messages('DECIDE'))
    (decided,) = [event for event in it.events if event.kind == 'DECIDE'][:1]
    assert known(decided.data)['arguments'] == given
    if reason:
        assert reason in str(decided.error_reason)
    else:
        assert known(decided.data)['guard'] != 'arguments'


@pytest.mark.parametrize(
    ('name', 'told'),
    [
        ('m\u043eve_forward', 'U+043E CYRILLIC SMALL LETTER O'),
        ('ｍove_forward', 'U+FF4D FULLWIDTH LATIN SMALL LETTER M'),
        ('move_forward\u200b', 'U+200B ZERO WIDTH SPACE'),
        ('move_forward\\u200b', r"'move_forward\u200b'"),
        ('move_forward ', "'move_forward '"),
        ('Move_forward', "'Move_forward'"),
    ],
)
def test_a_name_that_only_looks_like_one_is_refused_with_what_is_odd(
    bench: MakeBench, propose: Propose, name: str, told: str
) -> None:
    it = bench(propose(name), Answer('done'))
    it.status(mast_is_open=False, mast='closed')
    it.goal('drive')
    it.until(lambda: it.planner.results)
    reason = it.planner.results[0].error_reason
    assert told in reason
    assert 'did you mean move_forward?' in reason
    assert it.robot.names.count('/adapter/move_forward') == 0


NAVIGATE = '/adapter/navigate_to_pose'
CONFIG = load_config()
WORDS = Vocabulary(CONFIG)


@pytest.mark.parametrize(
    'line',
    [
        ':goto 6 1.5',
        ':teleop forward 2',
        ':teleop left',
        ':nudge',
        ':tool move_forward {"duration_s": 3}',
        ':tool navigate_to {"x": 1, "y": 2}',
    ],
)
def test_what_is_refused_by_hand_names_a_command_that_helps(bench: MakeBench, line: str) -> None:
    asked = WORDS.parse(line)
    assert isinstance(asked, ToolRequest)
    it = bench()
    it.status(mast_is_open=True)
    it.goal(line, tool=asked.name, arguments=json.loads(asked.arguments or '{}'))
    it.until(lambda: it.reporter.endings)
    answer = it.reporter.endings[0]['answer']
    assert answer == 'Need to close mast (first: :mast_close)'
    helps = WORDS.parse(answer.partition('first: ')[2].rstrip(')'))
    assert helps == ToolRequest('mast_close')


def test_a_picture_with_the_mast_closed_names_the_other_one(bench: MakeBench) -> None:
    it = bench()
    it.status(mast_is_open=False, mast='closed')
    it.goal('picture', tool='capture_and_score')
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['answer'] == 'Mast is closed (first: :mast_open)'


def test_the_planner_gets_the_exact_reason(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('move_nudge'), Answer('no'))
    it.status(mast_is_open=True)
    it.goal()
    it.until(lambda: it.planner.results)
    assert it.planner.results[0].error_reason == 'Need to close mast'


def test_without_a_named_tool_the_one_with_the_postcondition_helps() -> None:
    config = load_config(overrides=['guards.resolve_by={}'])
    registry = variant_tools(config)
    assert resolver_of('mast_closed', config, registry) == 'mast_close'
    assert resolver_of('mast_open', config, registry) == 'mast_open'
    assert resolver_of('adapter_alive', config, registry) == ''


@pytest.mark.parametrize(('left', 'told'), [(50.0, True), (4.5, False)])
def test_a_path_that_is_long_for_its_goal_says_why(
    bench: MakeBench, propose: Propose, left: float, told: bool
) -> None:
    it = bench(propose('navigate_to', x=0.0, y=4.0), Answer('there'))
    it.status(mast_is_open=False, mast='closed')
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, stamp=it.now))
    it.goal()
    it.until(lambda: NAVIGATE in it.robot.names)
    server_call_id = next(
        server_call_id for server_call_id, name in it.robot.sent if name == NAVIGATE
    )
    feedback = {'distance_left': left, 'time_left': 100.0}
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.PROGRESS, feedback))
    it.tick()
    said = [each for each in it.messages('OBSERVE') if 'circles of 7.5 m' in each]
    assert said == (
        [
            'navigate_to: 50 m to a place 4.0 m away: it turns in circles of 7.5 m radius, '
            'cannot reverse, and drives around obstacles'
        ]
        if told
        else []
    )


def test_notices_are_traced_and_words_are_heard(bench: MakeBench) -> None:
    lab = bench()
    heard: list[StreamChunk] = []
    lab.recast(listener=heard.append)
    lab.planner.tells = [
        StreamChunk('text', 'I look'),
        Notice('No model.', ok=False),
        Notice('It is back.'),
    ]
    lab.tick()
    assert heard == [StreamChunk('text', 'I look')]
    assert 'Planner: No model.' in lab.messages('ERROR')
    assert 'Planner: It is back.' in lab.messages('OBSERVE')


def test_the_summary_has_what_the_model_cost(bench: MakeBench) -> None:
    lab = bench(Answer('Done.'))
    lab.planner.costs = ModelUse(2, 300, 40, 0.5)
    lab.goal()
    lab.until(lambda: lab.reporter.endings)
    assert lab.reporter.endings[0]['model'] == {
        'calls': 2,
        'input_tokens': 300,
        'output_tokens': 40,
        'cost_usd': 0.5,
    }


def test_the_state_tells_what_the_goal_under_way_has_cost(
    bench: MakeBench, propose: Propose
) -> None:
    lab = bench(propose('list_nodes'), Answer('Done.'))
    lab.planner.costs = ModelUse(2, 300, 40, 0.5)
    lab.goal()
    lab.until(lambda: len(lab.reporter.endings) == 1)
    assert lab.context.state.trace.metrics['model']['calls'] == 2
    lab.goal('by hand', tool='list_nodes')
    lab.until(lambda: len(lab.reporter.endings) == 2)
    assert lab.context.state.trace.metrics['model']['calls'] == 0


def test_without_a_graph_the_model_is_told_so(bench: MakeBench, propose: Propose) -> None:
    lab = bench(propose('list_nodes'), Answer('Done.'))
    lab.goal()
    lab.until(lambda: lab.reporter.endings)
    assert lab.planner.results[0].error_reason == 'There is no ROS graph here'
