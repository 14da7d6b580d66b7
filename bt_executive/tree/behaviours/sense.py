"""The first leaf of a tick: drains the inbox, reduces the inputs and sets the mode."""

from __future__ import annotations

from collections.abc import Sequence

from bt_executive.core.causes_of_safe import make_safe
from bt_executive.core.goal_queue import Task
from bt_executive.core.inputs import Answered, GoalReceived, Input, PoseReceived
from bt_executive.core.modes import arbitrate, set_mode
from bt_executive.core.observation_and_effects import Observation, Reduced, error
from bt_executive.core.reduce import begin_tick, reduce, watch
from bt_executive.tree import goal_transitions
from bt_executive.tree.apply_inputs_and_effects import carry_out
from bt_executive.tree.behaviours.base_leaf import Leaf, Status
from bt_executive.tree.context import Context
from bt_executive.tree.goal_deadlines import settle_deadlines
from bt_executive.tree.goal_distance import DriveAccount, distance_to_target
from bt_executive.tree.goal_readiness import WaitingGoals, begin_or_hold, report_unset_clock
from bt_executive.tree.simulated_clock_watch import ClockWatch
from bt_executive.tree.standstill_monitor import StandstillMonitor
from rover_common.dataclass_replace import replace
from rover_common.process.threads import describe_error


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
        self._clock = ClockWatch()

    def update(self) -> Status:
        """Applies every input of the inbox to the state."""
        context = self.context
        was_active = context.task is not None
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
        goal_transitions.end_overdue(context)
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
            goal_transitions.end_at_once(self.context, given.task, 'failed', sentence)

    def _is_queued(self, task: Task) -> bool:
        return any(each.task_id == task.task_id for each in self.context.state.tasks.queue)

    def _note_distance_to_target(self) -> None:
        """Updates the distance to the destination of the running tool."""
        robot, left = self.context.state.robot, distance_to_target(self.context)
        if left != robot.distance_to_target:
            self.context.replace(robot=replace(robot, distance_to_target=left))
