"""The whole shipped tree, whatever happens in whatever order.

The rules are all that the outside can do to the executive; what must hold after every tick stands
in `Rehearsal.step` and `Rehearsal.check` (test/support/rehearsal.py).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)
from outside import (
    ENDINGS,
    GARBAGE,
    GOOD,
    INVALID,
    LONG,
    MASTS,
    REFUSED,
    SERVER_WORDS,
    SETUPS,
    VALID,
    WORDS,
)
import pytest

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Proposal
from bt_executive.core.inputs import (
    ApprovalGiven,
    BatteryReceived,
    GoalCancelled,
    PauseRequested,
    PoseReceived,
    ResetRequested,
    ResumeRequested,
    SafetyEvent,
    ServerCallUpdate,
    StopRequested,
)

MOSTLY = st.sampled_from([True, True, True, False])
THEN = [None, 0.0, 0.05, 0.1, 0.1, 0.5, 1.0, 1.4]  # s until a tick; None: more comes before it


def happens(**given: Any) -> Callable[..., Any]:
    """A rule after which a tick comes, or not yet, with or without a word of the adapter."""

    def decorate(event: Callable[..., None]) -> Any:
        @wraps(event)
        def and_then(self: Any, then: float | None, heard: bool, **kwargs: Any) -> None:
            event(self, **kwargs)
            if then is not None:
                self.it.pass_time(then, heard)

        decorated: Callable[..., Any] = rule(then=st.sampled_from(THEN), heard=MOSTLY, **given)
        return decorated(and_then)

    return decorate


class Outside(RuleBasedStateMachine):
    """Everything that can happen."""

    rehearsal: ClassVar[Callable[..., Any]]

    @initialize(overrides=st.sampled_from(SETUPS), answering=st.booleans())
    def begin(self, overrides: tuple[str, ...], answering: bool) -> None:
        self.it = self.rehearsal(overrides)
        self.it.robot.reply = GOOD if answering else None
        self.all_is_well()
        self.it.ask('find light')
        self.it.pass_time(0.1)

    # --- time

    @rule(after=st.sampled_from([0.1, 0.1, 0.5, 1.0, 1.4]), times=st.integers(1, 15))
    def time_passes(self, after: float, times: int) -> None:
        for _ in range(times):
            self.it.pass_time(after)

    @rule(after=st.sampled_from([2.0, 30.0, 200.0]))
    def silence(self, after: float) -> None:
        self.it.step(after)

    # --- the adapter and the robot's sensors

    @happens(mast=st.sampled_from(MASTS), moving=st.sampled_from([False, False, True, None]))
    def status(self, mast: dict[str, Any], moving: bool | None) -> None:
        self.it.bench.status(**mast, moving=moving)

    @happens(percent=st.sampled_from([0.0, 19.9, 20.0, 59.9, 60.0, 100.0, 100.0]))
    def battery(self, percent: float) -> None:
        self.it.put(BatteryReceived(self.it.bench.now, percent))

    @happens(
        x=st.sampled_from([0.0, 0.3, 7.0, 10.0]), tilt=st.sampled_from([0.0, 0.0, 0.0, 0.6, 0.7])
    )
    def pose(self, x: float, tilt: float) -> None:
        self.it.put(PoseReceived(self.it.bench.now, x, 0.0, 0.0, tilt))

    @rule()
    def all_is_well(self) -> None:
        self.it.put(BatteryReceived(self.it.bench.now, 100.0))
        self.it.put(PoseReceived(self.it.bench.now, 0.0, 0.0, 0.0))
        self.it.bench.status(**MASTS[0], moving=False)
        self.it.put(ResetRequested('the operator'))
        self.it.put(ResumeRequested('the operator'))
        self.it.step(0.0)

    # --- the servers

    @precondition(lambda self: self.it.robot.sent)
    @happens()
    def latest_succeeds(self) -> None:
        self.answer(-1, CallInput.SUCCEED, GOOD)

    @precondition(lambda self: self.it.calls.running())
    @happens()
    def all_succeed(self) -> None:
        for call in self.it.calls.running():
            self.it.put(ServerCallUpdate(call.server_call_id, CallInput.SUCCEED, GOOD))

    @precondition(lambda self: self.it.robot.sent)
    @happens(
        back=st.integers(-4, -1),
        happened=st.sampled_from(SERVER_WORDS),
        fields=st.sampled_from([GOOD, REFUSED, *GARBAGE]),
    )
    def server_says_anything(self, back: int, happened: CallInput, fields: dict[str, Any]) -> None:
        self.answer(back, happened, fields)

    @happens(names=st.sets(st.sampled_from(['/adapter/move_forward', '/capture_and_score'])))
    def servers_come_and_go(self, names: set[str]) -> None:
        self.it.robot.absent = names

    # --- the planner

    @precondition(lambda self: self.it.planner.thinks)
    @happens(call=st.sampled_from(VALID))
    def planner_proposes(self, call: tuple[str, dict[str, Any]]) -> None:
        self.it.planner.say(Proposal('call', *call, thought='because'))

    @precondition(lambda self: self.it.planner.thinks)
    @happens(call=st.sampled_from(VALID))
    def planner_proposes_and_ticks(self, call: tuple[str, dict[str, Any]]) -> None:
        self.it.planner.say(Proposal('call', *call))
        for _ in range(3):
            self.it.pass_time(0.1)

    @rule(call=st.sampled_from(LONG), better=st.booleans())
    def a_long_tool_begins(self, call: tuple[str, dict[str, Any]], better: bool) -> None:
        self.all_is_well()
        if better or self.it.context.task is None:
            self.it.ask('find light', priority=5)
        for _ in range(4):
            self.it.pass_time(0.1)
            if self.it.planner.thinks:
                self.it.planner.say(Proposal('call', *call))

    @precondition(lambda self: self.it.planner.thinks)
    @happens(call=st.sampled_from(INVALID))
    def planner_errs(self, call: tuple[str, dict[str, Any]]) -> None:
        self.it.planner.say(Proposal('call', *call))

    @precondition(lambda self: self.it.planner.thinks)
    @happens(output=st.sampled_from(ENDINGS))
    def planner_ends(self, output: Any) -> None:
        self.it.planner.say(output)

    # --- people

    @happens(priority=st.integers(-1, 2), preemptible=st.booleans())
    def goal(self, priority: int, preemptible: bool) -> None:
        self.it.ask('find light', priority=priority, preemptible=preemptible)

    @happens(soon=st.sampled_from([-1.0, 0.5, 3.0]))
    def urgent_goal(self, soon: float) -> None:
        self.it.ask('find light', deadline=self.it.bench.now + soon)

    @happens(call=st.sampled_from([*VALID, *INVALID[2:]]))
    def call_by_hand(self, call: tuple[str, dict[str, Any]]) -> None:
        self.it.ask('by hand', tool=call[0], arguments=call[1])

    @happens(words=st.sampled_from(WORDS))
    def says(self, words: tuple[str, str]) -> None:
        self.it.ask(*words)

    @precondition(lambda self: self.it.asked)
    @happens(which=st.integers(0, 3))
    def client_cancels(self, which: int) -> None:
        task_id = self.it.asked[-1 - which % len(self.it.asked)]
        self.it.put(GoalCancelled(task_id, 'changed my mind'))

    @happens(wanted=st.sampled_from([StopRequested, PauseRequested, ResumeRequested]))
    def interrupt(self, wanted: Callable[[str], Any]) -> None:
        self.it.put(wanted('the console'))

    @precondition(lambda self: self.it.context.approvals.waiting())
    @happens(
        action=st.sampled_from(['approve', 'approve', 'edit', 'reject']),
        arguments=st.sampled_from([None, {}, {'duration_s': 1.0}, {'duration_s': 99}]),
    )
    def operator_answers(self, action: Any, arguments: dict[str, Any] | None) -> None:
        (request, *_) = self.it.context.approvals.waiting()
        self.it.put(ApprovalGiven(request.request_id, action, arguments))

    # --- faults

    @happens(reason=st.sampled_from(['cliff ahead', '']))
    def safety_event(self, reason: str) -> None:
        self.it.put(SafetyEvent(reason, '/safety_events'))

    @happens()
    def reset(self) -> None:
        self.it.put(ResetRequested('the operator'))

    @happens(number=st.integers(0, 200))
    def a_leaf_breaks_once(self, number: int) -> None:
        self.it.break_leaf(number)

    def answer(self, back: int, happened: CallInput, fields: dict[str, Any]) -> None:
        sent = self.it.robot.sent
        server_call_id, _ = sent[max(back, -len(sent))]
        self.it.put(ServerCallUpdate(server_call_id, happened, fields, 'the server says so'))

    def teardown(self) -> None:
        if hasattr(self, 'it'):
            self.it.drain()


@pytest.mark.long
@pytest.mark.timeout(300)
def test_whatever_happens_in_whatever_order(rehearsal: Callable[..., Any]) -> None:
    machine = type('Machine', (Outside,), {'rehearsal': staticmethod(rehearsal)})
    run_state_machine_as_test(machine, settings=settings(stateful_step_count=40, deadline=None))
