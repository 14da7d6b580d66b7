"""The first leaf of a tick: drains the inbox, reduces the inputs, carries out their effects.

Then it begins and ends goals, and sets the mode. `APPLY` has the handler of each forwarded input.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from py_trees.common import Status

from bt_executive.core.causes_of_safe import make_safe
from bt_executive.core.executive_ports import ToolResult
from bt_executive.core.goal_queue import Task
from bt_executive.core.inputs import (
    Answered,
    ApprovalGiven,
    GoalCancelled,
    GoalReceived,
    Input,
    ParametersSet,
    PoseReceived,
    ReadinessReceived,
    ServerCallUpdate,
)
from bt_executive.core.modes import arbitrate, set_mode
from bt_executive.core.observation_and_effects import (
    Effect,
    Emit,
    EndAtOnce,
    Forward,
    LoseCalls,
    Observation,
    Reduced,
    Reply,
    error,
)
from bt_executive.core.reduce import begin_tick, reduce, watch
from bt_executive.tree import goal_readiness_and_transitions as goals
from bt_executive.tree.behaviours.base_behaviours import Leaf
from bt_executive.tree.behaviours.operator.wait_for_approval_and_answers import apply_approval
from bt_executive.tree.behaviours.safety.answered_lost_and_cancelled_calls import (
    apply_update,
    lose_adapter_calls,
)
from bt_executive.tree.behaviours.safety.report_undriven_motion import StandstillMonitor
from bt_executive.tree.clock_and_deadlines import ClockWatch, GoalTimes, settle_deadlines
from bt_executive.tree.context import Context
from bt_executive.tree.distance_driven_and_left import DriveAccount, distance_to_target
from bt_executive.tree.goal_readiness_and_transitions import (
    WaitingGoals,
    begin_or_hold,
    report_unset_clock,
)
from bt_executive.tree.places_named_in_goal import ASK_OPERATOR
from rover_common.dataclass_replace import replace
from rover_common.process.threads import describe_error

Apply = Callable[[Context, Any], None]

APPLY: Mapping[type[Input], Apply] = {
    ServerCallUpdate: apply_update,
    ApprovalGiven: apply_approval,
    ParametersSet: lambda context, given: context.reconfigure(given.values),
    ReadinessReceived: lambda context, given: context.readiness.update(given.not_ready),
    GoalCancelled: lambda context, given: goals.cancel(context, given.task_id, given.reason),
}


def carry_out(context: Context, drives: DriveAccount, effect: Effect) -> None:
    """Carry out one effect. A pose goes to `drives`."""
    if isinstance(effect, Forward):
        if isinstance(effect.given, PoseReceived):
            drives.update(effect.given)
        else:
            APPLY[type(effect.given)](context, effect.given)
    elif isinstance(effect, Emit):
        context.tracer.emit(effect.kind, effect.message, **effect.fields)
    elif isinstance(effect, Reply):
        effect.to.reply(effect.accepted, effect.sentence)
    elif isinstance(effect, EndAtOnce):
        goals.end_at_once(context, effect.task, effect.outcome, effect.answer)
    elif isinstance(effect, LoseCalls):
        lose_adapter_calls(context, effect.reason)
    elif context.task is not None:
        context.progress.energy_pct += effect.used_pct


def keep_answer(context: Context) -> None:
    """Keep the operator's answer, the sender of which has its reply: its tool may be preempted."""
    answer, this = context.state.hci.answer, context.round
    if answer is not None and this.tool == ASK_OPERATOR and this.under_way:
        result = ToolResult(ok=True, data={'answer': answer})
        context.round = replace(this, last_word=result)


class Sense(Leaf[Context]):
    """Always SUCCESS. All guards of the tick read the state that it leaves.

    Between two goals there is a tick without one, in which the tree ends the old goal's tool: a
    new goal never finds its predecessor's tool in the tree.
    """

    def __init__(self, name: str, context: Context) -> None:
        super().__init__(name, context)
        self._previous = Observation(context.state)
        self._drives = DriveAccount(context)
        self._standstill, self._waiting = StandstillMonitor(), WaitingGoals()
        self._clock, self._goal_times = ClockWatch(), GoalTimes()

    def update(self) -> Status:
        """Applies every input of the inbox to the state."""
        context = self.context
        was_active = context.task is not None
        self._goal_times.update(context)
        inputs = context.inbox.drain()
        self._drives.pass_time(any(isinstance(each, PoseReceived) for each in inputs))
        fault = self._reduce_all(inputs)
        if fault is not None:
            raise fault
        dropped = context.inbox.dropped
        self._apply(watch(self._observation(), context.now, context.config, dropped))
        self._note_distance_to_target()
        self._standstill.update(context)
        report_unset_clock(context)
        self._clock.update(context)
        settle_deadlines(context)
        goals.end_overdue(context)
        begin_or_hold(context, was_active)
        arbitration = arbitrate(context.state)
        self._apply(set_mode(self._observation(), arbitration, context.now))
        self._waiting.report(context, arbitration)
        return self.success(context.state.tasks.mode.value)

    def drain(self) -> None:
        """Applies the inputs from before the inbox was closed, though no tick follows."""
        fault = self._reduce_all(self.context.inbox.drain())
        if fault is not None:
            self._apply(make_safe(self._observation(), describe_error(fault)))
        arbitration = arbitrate(self.context.state)
        self._apply(set_mode(self._observation(), arbitration, self.context.now))

    def _reduce_all(self, inputs: Sequence[Input]) -> Exception | None:
        """Reduces every input, also after one has failed; returns the first fault."""
        context, first_fault = self.context, None
        self._apply(begin_tick(self._observation(), inputs, context.checkpoints.store.fault()))
        for given in inputs:
            try:
                self._apply(reduce(self._observation(), given, context.now, context.config))
            except Exception as fault:  # the other inputs must not be lost
                first_fault = first_fault or fault
                try:
                    self._refuse(given, fault)
                except Exception as another:  # there is no reply, then
                    context.tracer.emit('ERROR', describe_error(another))
        keep_answer(context)
        return first_fault

    def _observation(self) -> Observation:
        """Returns the observation with the present state, which effects and leaves change, too."""
        seen, state = self._previous, self.context.state
        return seen if seen.state is state else seen._replace(state=state)

    def _apply(self, reduced: Reduced) -> None:
        self._previous, self.context.state = reduced.observation, reduced.observation.state
        for effect in reduced.effects:
            carry_out(self.context, self._drives, effect)

    def _refuse(self, given: Input, fault: Exception) -> None:
        """Replies to the sender of an input that it could not be handled."""
        sentence = f'{type(given).__name__} could not be handled: {describe_error(fault)}'
        carry_out(self.context, self._drives, error(sentence))
        if isinstance(given, Answered):
            given.reply(False, sentence)
        elif isinstance(given, GoalReceived) and not self._is_queued(given.task):
            goals.end_at_once(self.context, given.task, 'failed', sentence)

    def _is_queued(self, task: Task) -> bool:
        return any(each.task_id == task.task_id for each in self.context.state.tasks.queue)

    def _note_distance_to_target(self) -> None:
        """Updates the distance to the destination of the running tool."""
        robot, left = self.context.state.robot, distance_to_target(self.context)
        if left != robot.distance_to_target:
            self.context.replace(robot=replace(robot, distance_to_target=left))
