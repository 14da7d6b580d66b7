"""The tools that need no server, in the whole tree."""

from __future__ import annotations

from typing import Any

from fakes.core import FakeGraphReader
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.executive_ports import Answer, PlannerOutput, ToolResult
from bt_executive.core.inputs import StopRequested


def ask(bench: MakeBench, *outputs: PlannerOutput, goal: str = 'look', **keys: Any) -> TreeBench:
    """A goal for which the planner has these outputs."""
    it = bench(*outputs)
    it.status()
    it.goal(goal, **keys)
    return it


def test_speak_puts_the_words_into_the_trace(bench: MakeBench, propose: Propose) -> None:
    it = ask(bench, propose('speak', text='I can see the crater.'), Answer('done'))
    it.until(lambda: it.reporter.endings)
    (said,) = [event for event in it.events if event.data and 'spoken' in event.data]
    assert (said.kind, said.message, said.tool_name) == ('ACT', 'I can see the crater.', 'speak')
    assert it.planner.results[0].ok


@pytest.mark.parametrize(('given', 'seconds'), [({'seconds': 7}, 7.0), ({}, 5.0)])
def test_wait_lets_the_time_pass(
    bench: MakeBench, propose: Propose, given: dict[str, Any], seconds: float
) -> None:
    it = ask(bench, propose('wait', **given), Answer('done'))
    started = it.now
    it.until(lambda: it.planner.results)
    assert it.now - started == pytest.approx(seconds, abs=0.5)
    assert it.planner.results[0].data['waited_s'] == pytest.approx(seconds, abs=0.2)


@pytest.mark.parametrize('seconds', [0, -1, 61, 1e9, 'long'])
def test_wait_is_bounded(bench: MakeBench, propose: Propose, seconds: Any) -> None:
    it = ask(bench, propose('wait', seconds=seconds), Answer('done'))
    it.until(lambda: it.planner.results)
    assert not it.planner.results[0].ok
    assert 'seconds' in it.planner.results[0].error_reason


def test_wait_ends_at_the_operators_stop(bench: MakeBench, propose: Propose) -> None:
    it = ask(bench, propose('wait', seconds=60))
    it.until(lambda: any('wait starts' in each for each in it.messages('ACT')))
    it.inbox.put(StopRequested('the operator'))
    it.tick(2)
    assert it.reporter.endings[0]['outcome'] == 'interrupted'


def test_the_operators_next_remark_answers_a_question(bench: MakeBench, propose: Propose) -> None:
    it = ask(
        bench, propose('ask_operator', question='Left or right?'), Answer('done'), goal='explore'
    )
    it.until(lambda: it.context.state.hci.question)
    assert 'Question: Left or right?' in it.messages('ACT')
    it.goal('to the left, where it is flat')
    it.until(lambda: it.planner.results)
    assert it.planner.results[0].data == {'answer': 'to the left, where it is flat'}
    assert it.context.state.hci.question == ''
    it.until(lambda: len(it.reporter.endings) == 2)
    assert [each['goal'] for each in it.reporter.endings] == [
        'to the left, where it is flat',
        'explore',
    ]
    assert len(it.planner.started) == 1, 'the answer was taken for a goal'


def test_a_stop_is_not_an_answer(bench: MakeBench, propose: Propose) -> None:
    it = ask(bench, propose('ask_operator', question='Go on?'), goal='explore')
    it.until(lambda: it.context.state.hci.question)
    it.goal('stop')
    it.until(lambda: len(it.reporter.endings) == 2)
    assert [each['outcome'] for each in it.reporter.endings] == ['interrupted', 'interrupted']
    assert it.context.state.hci.question == ''


@pytest.mark.slow
def test_a_question_without_an_answer_times_out(bench: MakeBench, propose: Propose) -> None:
    it = ask(bench, propose('ask_operator', question='Anybody?'), Answer('nobody'))
    it.until(lambda: it.planner.results)
    assert it.planner.results[0].error_reason == 'The operator gave no answer within 120 s'
    assert it.context.state.hci.question == ''


def test_finish_ends_the_goal_with_its_answer(bench: MakeBench, propose: Propose) -> None:
    it = ask(bench, propose('finish', answer='The mast is up.'))
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'claimed', 'nothing shows it'
    assert it.reporter.endings[0]['answer'] == (
        'The mast is up. (Not shown by any measurement: no tool was asked for.)'
    )


def test_finish_is_checked_against_the_last_picture(bench: MakeBench, propose: Propose) -> None:
    it = ask(
        bench, propose('finish', answer='It is bright!'), done_when='{"where": {"is_good": true}}'
    )
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'claimed'


def test_what_a_topic_said_goes_to_the_model(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('read_topic', topic='/battery_state'), Answer('done'))
    said = {'topic': '/battery_state', 'type': 'sensor_msgs/msg/BatteryState', 'message': '{}'}
    it.recast(graph=FakeGraphReader(ToolResult(ok=True, data=said)))
    it.status()
    it.goal()
    it.until(lambda: it.planner.results)
    assert it.planner.results[0] == ToolResult(ok=True, data=said)
    assert it.reporter.endings == []
