"""Whichever input fails, every other of its batch is applied, and every request is answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest
from statuses import status_of
from tree_bench import TreeBench, make_bench

from bt_executive.core.call_states import CallInput
from bt_executive.core.goal_queue import Task
from bt_executive.core.inputs import (
    ApprovalGiven,
    BatteryReceived,
    GoalCancelled,
    GoalReceived,
    Input,
    ParametersSet,
    PauseRequested,
    PoseReceived,
    Reply,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    ServerCallUpdate,
    StatusReceived,
    StopRequested,
)
from bt_executive.core.observation_and_effects import Observation, Reduced
from bt_executive.core.reduce import reduce
from rover_common.clocks import Now
from rover_common.config.settings import Config

Make = Callable[[int, Reply], Input]
ANSWERED: dict[str, Make] = {
    'stop': lambda _, reply: StopRequested('the operator', reply),
    'pause': lambda _, reply: PauseRequested('the operator', reply),
    'resume': lambda _, reply: ResumeRequested('the operator', reply),
    'safe stop': lambda _, reply: SafetyEvent('safe stop', '~/safe_stop', reply),
    'reset': lambda _, reply: ResetRequested('the operator', reply),
    'approval': lambda n, reply: ApprovalGiven(f'ask-{n}', 'approve', reply=reply),
}
OTHERS: dict[str, Make] = {
    'goal': lambda n, _: GoalReceived(Task(task_id=f'goal-{n}', goal=f'look {n}')),
    'cancel': lambda n, _: GoalCancelled(f'goal-{n - 1}', 'not wanted'),
    'answer': lambda n, _: ServerCallUpdate(f'call-{n}', CallInput.SUCCEED),
    'parameters': lambda n, _: ParametersSet({'executive.agent.max_iterations': n + 1}),
    'battery': lambda _, __: BatteryReceived(100.0, 80.0),
    'pose': lambda _, __: PoseReceived(100.0, 1.0, 2.0, 0.0),
    'status': lambda _, __: StatusReceived(100.0, status_of({})),
}
KINDS = ANSWERED | OTHERS


class FailsError(RuntimeError):
    """What an input raises."""


def fail_on(monkeypatch: pytest.MonkeyPatch, broken: set[int]) -> list[Input]:
    """Has these inputs of the next batch fail, by their places; returns those that were taken."""
    applied: list[Input] = []
    seen = iter(range(1000))

    def reduced(before: Observation, given: Input, now: Now, config: Config) -> Reduced:
        if next(seen) in broken:
            raise FailsError(f'a {type(given).__name__}')
        after = reduce(before, given, now, config)
        applied.append(given)
        return after

    monkeypatch.setattr('bt_executive.tree.behaviours.sense.reduce', reduced)
    return applied


@pytest.mark.slow
@pytest.mark.parametrize('ends', [False, True], ids=['in a tick', 'at the end'])
@given(
    kinds=st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=8),
    broken=st.sets(st.integers(0, 7), min_size=1, max_size=3),
)
def test_whichever_input_fails_the_others_are_applied(
    ends: bool, kinds: list[str], broken: set[int]
) -> None:
    it = make_bench()
    it.status()
    it.tick(2)
    answers: dict[int, list[Any]] = {}

    def replying(number: int) -> Reply:
        return lambda accepted, sentence: answers.setdefault(number, []).append(
            (accepted, sentence)
        )

    for number, kind in enumerate(kinds):
        it.inbox.put(KINDS[kind](number, replying(number)))
    batch = it.inbox.drain()
    for event in batch:  # of telemetry only the latest is in it, and first
        it.inbox.put(event)
    broken = broken & set(range(len(batch)))
    failing = [event for place, event in enumerate(batch) if place in broken]
    with pytest.MonkeyPatch.context() as monkeypatch:
        applied = fail_on(monkeypatch, broken)
        if ends:
            it.executive.context.begin_tick(it.moment)
            it.executive.shut_down()
        else:
            it.tick()
    assert [event for event in batch if event not in applied] == [
        event for event in failing if event not in applied
    ]
    for number, kind in enumerate(kinds):
        if kind in ANSWERED:
            assert len(answers.get(number, ())) == 1, (kind, answers)
    told = {end['goal'] for end in it.reporter.endings} | {
        task.goal for task in it.context.state.tasks.queue
    }
    assert {each.task.goal for each in batch if isinstance(each, GoalReceived)} <= told
    if failing:
        assert 'FailsError' in it.context.state.world.safety_reason or any(
            isinstance(each, SafetyEvent) and each in applied for each in batch
        )


def test_a_fault_still_makes_safe_with_the_node_that_raised_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    it = make_bench()
    it.tick()
    it.inbox.put(PauseRequested('the operator'))
    fail_on(monkeypatch, {0})
    it.tick()
    assert it.context.state.tasks.mode.value == 'SAFE'
    assert 'Look at the world' in it.context.state.world.safety_reason


def test_an_effect_that_fails_loses_no_other_input(monkeypatch: pytest.MonkeyPatch) -> None:
    it = make_bench()
    it.tick()
    it.inbox.put(GoalCancelled('nobody', 'not wanted'))
    it.inbox.put(StopRequested('the operator'))

    def cancel(*_: object) -> None:
        raise FailsError('in an effect')

    monkeypatch.setattr('bt_executive.tree.goal_readiness_and_transitions.cancel', cancel)
    it.tick()
    assert 'in an effect' in it.context.state.world.safety_reason
    assert any(event.message == 'stop requested by the operator' for event in it.events)
    assert 'move_stop' in ' '.join(it.robot.names)


def test_what_fails_while_it_stops_at_the_end_is_contained(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    it: TreeBench = make_bench()
    it.goal()
    it.tick(2)

    def stop(*_: object) -> None:
        raise FailsError('in terminate')

    monkeypatch.setattr(it.executive.root, 'stop', stop)
    it.executive.shut_down()
    assert 'in terminate' in it.context.state.world.safety_reason
    assert it.robot.names, 'the stop went out'
    assert [end['outcome'] for end in it.reporter.endings] == ['failed']
