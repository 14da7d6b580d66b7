"""Look at the world: drain the inbox, reduce the inputs, freeze the state, set the mode."""

from __future__ import annotations

from collections.abc import Sequence

from bt_executive.core.causes_of_safe import make_safe
from bt_executive.core.inputs import ANSWERED, GoalReceived, Input, PoseReceived
from bt_executive.core.modes import arbitrate, set_mode
from bt_executive.core.observation import Observation, Reduced
from bt_executive.core.queued_goal import Task
from bt_executive.core.reduce import reduce
from bt_executive.core.reduce_begin_and_end_of_tick import begin_tick, watch
from bt_executive.core.reducer_effects import error
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
    """Always succeeds. After it the state does not change for the rest of the tick's guards.

    Between two goals there is a tick without one, in which whatever the old one had running is
    ended: a new goal never finds its predecessor's tool in the tree.
    """

    def __init__(self, name: str, context: Context) -> None:
        super().__init__(name, context)
        self._seen = Observation(context.state)
        self._drives = DriveAccount(context)
        self._standing, self._waiting = StandstillMonitor(), WaitingGoals()
        self._clock = ClockWatch()

    def update(self) -> Status:
        """Takes every input of the inbox into the state."""
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
        self._standing.update(context)
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
        """Takes what came before the inbox was closed, though no tick follows."""
        fault = self._reduce_all(self.context.inbox.drain())
        if fault is not None:
            self._apply(make_safe(self._observation(), describe_error(fault)))
        arbitration = arbitrate(self.context.state)
        self._apply(set_mode(self._observation(), arbitration, self.context.now))

    def _reduce_all(self, inputs: Sequence[Input]) -> Exception | None:
        """Reduces every input, whichever of them fails; returns the first fault."""
        context, first = self.context, None
        self._apply(begin_tick(self._observation(), inputs, context.checkpoints.store.fault()))
        for given in inputs:
            try:
                self._apply(reduce(self._observation(), given, context.now, context.config))
            except Exception as fault:  # whatever it is, the others must not be lost by it
                first = first or fault
                try:
                    self._refuse(given, fault)
                except Exception as another:  # nobody can be told, then
                    context.tracer.emit('ERROR', describe_error(another))
        return first

    def _observation(self) -> Observation:
        """What was observed, with the state as it is now: effects and leaves change it, too."""
        seen, state = self._seen, self.context.state
        return seen if seen.state is state else seen._replace(state=state)

    def _apply(self, reduced: Reduced) -> None:
        self._seen, self.context.state = reduced.observation, reduced.observation.state
        for effect in reduced.effects:
            carry_out(self.context, self._drives, effect)

    def _refuse(self, given: Input, fault: Exception) -> None:
        """Tells whoever waits for an answer to an input that it could not be taken."""
        sentence = f'{type(given).__name__} could not be handled: {describe_error(fault)}'
        carry_out(self.context, self._drives, error(sentence))
        if isinstance(given, ANSWERED):
            given.reply(False, sentence)
        elif isinstance(given, GoalReceived) and not self._is_queued(given.task):
            goal_transitions.end_at_once(self.context, given.task, 'failed', sentence)

    def _is_queued(self, task: Task) -> bool:
        return any(each.task_id == task.task_id for each in self.context.state.tasks.queue)

    def _note_distance_to_target(self) -> None:
        """How far it is to where the tool under way drives to."""
        robot, left = self.context.state.robot, distance_to_target(self.context)
        if left != robot.distance_to_target:
            self.context.replace(robot=replace(robot, distance_to_target=left))
