"""Whatever comes, in whatever order and batches: nothing raises, and SAFE, stop and pause hold."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, get_args

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

from bt_executive.core import inputs
from bt_executive.core.call_states import CallInput
from bt_executive.core.causes_of_safe import causes_of_safe
from bt_executive.core.goal_queue import AGENT, Task
from bt_executive.core.inputs import (
    Answered,
    ApprovalGiven,
    BatteryReceived,
    GoalCancelled,
    GoalReceived,
    Input,
    MemoryReceived,
    ParametersSet,
    PauseRequested,
    PoseReceived,
    ReadinessReceived,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    ServerCallUpdate,
    StatusReceived,
    StopRequested,
    TopicReceived,
    ZonesReceived,
)
from bt_executive.core.modes import arbitrate, set_mode
from bt_executive.core.observation_and_effects import (
    Effect,
    EndAtOnce,
    Observation,
    Reduced,
    Reply,
)
from bt_executive.core.reduce import RULES, begin_tick, reduce, watch
from bt_executive.core.reduce_operator_inputs import ENDS, PAUSED
from bt_executive.core.state import BrainState, Mode, UserInterruptType, state_to_json
from bt_executive.core.stop_and_question_phrases import recognise
from bt_executive.core.store_port import StoreCode
from rover_common.adapter_status import AdapterStatus, Ending
from rover_common.clocks import Now
from rover_common.config.load import load_config
from rover_common.config.settings import KeepOutZone
from rover_common.message_order import RunNumber
from rover_common.reason import Reason

CONFIG = load_config(None, [])
PIT = KeepOutZone(name='pit', polygon=((4.0, 2.0), (6.0, 2.0), (6.0, 4.0)))
ANYTHING = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
SOURCES = st.sampled_from(['the operator', AGENT, ''])
TEXTS = st.sampled_from(
    ['stop', 'wait', 'go on', 'new goal: look', 'find light', '', '止まれ', 'yes', 'Stop! Cliff!']
) | st.text(max_size=8)
RUNS = st.builds(RunNumber, st.sampled_from(['', 'one', 'another']), st.integers(0, 3))
FLAGS = st.sampled_from([None, False, True])
STATUS = st.builds(
    AdapterStatus,
    sender=st.sampled_from(['', 'one', 'another']),
    heartbeat=RUNS,
    ending=st.none() | st.builds(Ending, RUNS, st.text(max_size=5), st.text(max_size=5)),
    moving=FLAGS,
    at_rest=FLAGS,
    details=st.dictionaries(st.sampled_from(['mast', 'mast_is_open', 'other']), ANYTHING),
)
STRATEGIES: dict[type, st.SearchStrategy[Any]] = {
    GoalReceived: st.builds(
        GoalReceived,
        st.builds(
            Task,
            task_id=st.uuids().map(str),
            goal=TEXTS,
            priority=st.integers(-1, 2),
            tool=st.sampled_from(['', '', '', 'move_nudge', 'no such']),
            sender=st.sampled_from(['operator', 'agent']),
        ),
    ),
    StopRequested: st.builds(StopRequested, SOURCES),
    PauseRequested: st.builds(PauseRequested, SOURCES),
    ResumeRequested: st.builds(ResumeRequested, SOURCES),
    ResetRequested: st.builds(ResetRequested, SOURCES),
    SafetyEvent: st.builds(SafetyEvent, st.text(max_size=5), st.text(max_size=5)),
    ApprovalGiven: st.builds(ApprovalGiven, st.text(max_size=5), st.just('approve')),
    PoseReceived: st.builds(PoseReceived, *[st.floats()] * 8),
    BatteryReceived: st.builds(
        BatteryReceived, st.floats(0, 1e6), st.sampled_from([5.0, 30.0, 80.0])
    ),
    StatusReceived: st.builds(StatusReceived, st.floats(0, 1e6), STATUS),
    MemoryReceived: st.builds(
        MemoryReceived, st.text(max_size=5), st.just(()) | st.just(({'kind': 'rock', 'x': 1.0},))
    ),
    ParametersSet: st.builds(ParametersSet, st.just({})),
    ReadinessReceived: st.builds(ReadinessReceived, st.just({})),
    GoalCancelled: st.builds(GoalCancelled, st.text(max_size=5), st.text(max_size=5)),
    ServerCallUpdate: st.builds(ServerCallUpdate, st.text(max_size=5), st.sampled_from(CallInput)),
    TopicReceived: st.builds(
        TopicReceived, st.floats(0, 1e6), st.text(max_size=5), st.just({'x': 1.0})
    ),
    ZonesReceived: st.just(ZonesReceived((PIT,))) | st.just(ZonesReceived(())),
}
KINDS = [kind for union in (inputs.Command, inputs.Telemetry) for kind in get_args(union)]
INPUTS = st.one_of([STRATEGIES[kind] for kind in KINDS])
FAULTS = st.sampled_from([None, None, Reason(StoreCode.DISK_FULL, 'The disk is full')])


def test_every_class_of_input_has_its_rule() -> None:
    assert set(RULES) == set(KINDS)


@pytest.mark.slow
@settings(deadline=None)
@given(
    batches=st.lists(
        st.tuples(st.floats(0.0, 300.0), FAULTS, st.lists(INPUTS, max_size=6)), max_size=5
    ),
    question=st.sampled_from(['', 'where to?']),
)
def test_whatever_comes_in_whatever_order(
    batches: list[tuple[float, Any, list[Input]]], question: str
) -> None:
    state = BrainState()
    seen, now = Observation(replace(state, hci=replace(state.hci, question=question))), 100.0
    for after, fault, batch in batches:
        now += after
        seen = in_one_tick(seen, batch, Now.at(now), fault)


def in_one_tick(before: Observation, batch: list[Input], now: Now, fault: Any) -> Observation:
    seen = begin_tick(before, batch, fault).observation
    for each in batch:
        reduced = reduce(seen, each, now, CONFIG)
        check(seen, each, reduced, now)
        seen = reduced.observation
    seen, _ = watch(seen, now, CONFIG, 0)
    if causes_of_safe(seen, now, CONFIG):
        assert seen.state.world.safety_reason, 'a cause that stands makes SAFE'
    seen, _ = set_mode(seen, arbitrate(seen.state), now)
    assert seen.state.tasks.mode is arbitrate(seen.state).mode
    assert (seen.state.tasks.mode is Mode.SAFE) == bool(seen.state.world.safety_reason)
    state_to_json(seen.state)
    return seen


def check(before: Observation, each: Input, reduced: Reduced, now: Now) -> None:
    was, state = before.state, reduced.observation.state
    replies = [effect for effect in reduced.effects if isinstance(effect, Reply)]
    wanted = isinstance(each, Answered) and not isinstance(each, ApprovalGiven)
    if not isinstance(each, GoalReceived):  # one that is an interrupt answers nobody
        assert [reply.to for reply in replies] == ([each] if wanted else [])
    check_safe(before, each, replies, state, now)
    check_goals(each, reduced.effects, was, state)
    check_interrupts(each, was, state)
    for field in fields(BrainState):
        if field.name not in ('hci', 'world', 'robot', 'tasks'):
            assert getattr(state, field.name) is getattr(was, field.name), field.name


def check_safe(
    before: Observation, each: Input, replies: list[Reply], state: BrainState, now: Now
) -> None:
    if isinstance(each, SafetyEvent):
        assert state.world.safety_reason
    elif isinstance(each, ResetRequested):
        refused = before.alarmed or causes_of_safe(before, now, CONFIG)
        assert replies[0].accepted is not bool(refused)
        ends = replies[0].accepted
        assert state.world.safety_reason == ('' if ends else before.state.world.safety_reason)
    else:
        assert state.world.safety_reason == before.state.world.safety_reason


def check_goals(
    each: Input, effects: tuple[Effect, ...], was: BrainState, state: BrainState
) -> None:
    """No goal is lost: it waits, or its sender is told what became of it."""
    queued = [task.task_id for task in state.tasks.queue]
    before = [task.task_id for task in was.tasks.queue]
    ended = [effect.task.task_id for effect in effects if isinstance(effect, EndAtOnce)]
    if isinstance(each, GoalReceived):
        assert [*queued, *ended] == [*before, each.task.task_id]
    else:
        assert (queued, ended) == (before, [])


def wanted_by(each: Input) -> str:
    """Stop, pause or resume, as a request or as the text of a goal; else something else."""
    if not isinstance(each, GoalReceived):
        return type(each).__name__.removesuffix('Requested').lower()
    kind = recognise(each.task.goal).kind
    takes_back = kind == 'resume' and each.task.sender != 'operator'
    return 'normal' if each.task.tool or takes_back else kind


def check_interrupts(each: Input, was: BrainState, state: BrainState) -> None:
    """A stop stays until it is served; a pause until a stop or the operator's resume."""
    kind, before, after = wanted_by(each), was.hci.user_interrupt, state.hci.user_interrupt
    if before is UserInterruptType.STOP:
        assert after is UserInterruptType.STOP
        assert set(was.hci.interrupt_payload[ENDS]) <= {task.task_id for task in was.tasks.queue}
    elif before is UserInterruptType.PAUSE and kind not in ('stop', 'resume'):
        assert after is UserInterruptType.PAUSE
    elif before is UserInterruptType.NONE and kind not in ('stop', 'pause'):
        assert after is UserInterruptType.NONE
    if isinstance(each, StopRequested):
        assert after is UserInterruptType.STOP
        found = {task.task_id for task in was.tasks.queue}
        assert set(state.hci.interrupt_payload[ENDS]) == found
        if before is UserInterruptType.PAUSE:
            assert state.hci.interrupt_payload[PAUSED] == was.hci.interrupt_payload['source']
    if isinstance(each, PauseRequested) and before is not UserInterruptType.STOP:
        assert after is UserInterruptType.PAUSE
