"""What is refused by hand names the command that helps, and a long path says why it is long."""

from __future__ import annotations

import json

import pytest
from tree_bench import MakeBench, Propose

from bt_executive.client.callable_tools import variant_tools
from bt_executive.client.front_end_requests import ToolRequest
from bt_executive.client.typed_commands import Vocabulary
from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import PoseReceived, ServerCallUpdate
from bt_executive.skills.tool_registry import resolver_of
from rover_common.config.load import load_config

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
