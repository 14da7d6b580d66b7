"""The executive: runs the ticks, contains exceptions in them, and reports each tick.

`step` sets the time, ticks the tree and flushes the trace. The owner of the thread calls it when
the inbox wakes or the period is over; it never blocks.

The output of a planner while it is generated goes to the listener and is not stored. The final
output is in the trace as HYPOTHESIZE.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bt_executive.core.executive_ports import Notice
from bt_executive.core.inputs import Input, SafetyEvent, ServerCallUpdate, StatusReceived
from bt_executive.core.reduce_robot_inputs import with_status
from bt_executive.tree import goal_readiness_and_transitions as goals
from bt_executive.tree.behaviours.base_behaviours import tick_into
from bt_executive.tree.behaviours.operator.charge_hold_park_or_end_goals import (
    cancel_everything,
    end_stopped_goals,
)
from bt_executive.tree.behaviours.safety.answered_lost_and_cancelled_calls import (
    send_cancellations,
)
from bt_executive.tree.behaviours.safety.send_and_confirm_stop import repeat_stop, stop_now
from bt_executive.tree.behaviours.sense import Sense
from bt_executive.tree.context import Context
from bt_executive.tree.picture import build_tree
from bt_executive.tree.planning_round import NO_ROUND
from bt_executive.tree.resume_from_checkpoints import trace_resumed
from bt_executive.tree.subtrees_on_demand import on_demand_in
from bt_executive.tree.tree_ports import Ports
from bt_executive.tree.tree_summary import TreeSummary, path_of, summarise
from rover_common.clocks import Alarm, Now
from rover_common.process.threads import describe_error


def publish_planner_news(ports: Ports) -> None:
    """Pass the planner's output to the listener, and its notices to the trace."""
    for message in ports.planner.news():
        if isinstance(message, Notice):
            ports.tracer.emit(
                'OBSERVE' if message.ok else 'ERROR',
                f'Planner: {message.sentence}',
                ok=message.ok,
                error_reason=None if message.ok else message.sentence,
            )
        else:
            ports.listener(message)


ENDING = 'The executive is ending, so nothing new is accepted; ask again when it has started'


@dataclass(frozen=True)
class StepReport:
    """The report of a tick. `again`: the next tick is due at once."""

    now: Now
    mode: str
    tree: TreeSummary
    again: bool
    alarm: Alarm


class Executive:
    """Owns the tree and ticks it. Not thread-safe: one thread calls `step` and `shut_down`."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.root = build_tree(context)
        self._on_demand = on_demand_in(self.root)
        self.visited: list[Behaviour] = []  # by the latest tick, in order
        if context.round.call_id == NO_ROUND:
            context.new_round()
        trace_resumed(context.persistent, context.tracer)

    def step(self, now: Now) -> StepReport:
        """Runs one tick at the time `now`. An exception in a behaviour becomes a safety event."""
        self.context.begin_tick(now)
        try:
            self._tick()
        except Exception as error:  # contained: the robot is stopped
            self._contain(error)
            self._tick_again()
        tree = summarise(self.root)
        self.context.tracer.flush(tree.as_data)
        self.context.checkpoints.end_tick()
        tasks = self.context.state.tasks
        done = self.root.status is Status.SUCCESS
        return StepReport(
            now, tasks.mode.value, tree, done and bool(tasks.queue), self.context.alarm
        )

    def shut_down(self) -> None:
        """Stops the robot if it moves, and ends or keeps the goals. The caller closes the planner.

        Accepted inputs are still applied; from then on the inbox refuses. With a store, the
        remaining goals stay open in it, and the next run resumes them.
        """
        self._stop_everything()
        self.context.inbox.close(ENDING)
        next(each for each in self.root.iterate() if isinstance(each, Sense)).drain()
        self._stop_undriven()
        cancel_everything(self.context)
        end_stopped_goals(self.context)
        send_cancellations(self.context)
        if self.context.is_kept:
            goals.leave_all_open(
                self.context, 'The executive was shut down; its next start resumes'
            )
        else:
            goals.end_all(self.context, 'interrupted', 'The executive was shut down')
        self.context.tracer.flush()
        self.context.checkpoints.end_tick(all_progress=True)

    def drain(self) -> bool:
        """After `shut_down`: applies remaining inputs; returns whether one is still missing.

        The robot stands when its status shows it, not when the stop was answered.
        """
        context = self.context
        for given in context.inbox.drain():
            try:
                self._apply(given)
            except Exception as error:  # the other inputs must not be lost
                context.tracer.emit('ERROR', describe_error(error))
                context.tracer.flush()
        stands = context.stops.confirmed_by(context.state.robot)
        context.checkpoints.end_tick()
        return bool(context.calls.running()) or not stands

    def _apply(self, given: Input) -> None:
        context = self.context
        if isinstance(given, ServerCallUpdate):
            context.calls.apply(given.server_call_id, given.happened, given.fields)
        elif isinstance(given, StatusReceived):
            context.state = with_status(context.state, given, context.config.robot.from_adapter)

    def _stop_everything(self) -> None:
        try:
            self.root.stop(Status.INVALID)
        except Exception as error:  # contained as in a tick: the rest must be done
            self._contain(error)
            stop_now(self.context)
        self._remove_idle(ended=True)

    def _stop_undriven(self) -> None:
        """Stops a robot that no tool drives, and that moves: one may have latched the motion."""
        if self.context.state.robot.at_rest is False and self.context.stops.pending is None:
            stop_now(self.context)
            repeat_stop(self.context)  # past the adapter, too: no tick follows that would

    def _remove_idle(self, ended: bool) -> None:
        for each in self._on_demand:
            if len(each.children) > each.always:
                each.remove_idle(ended)

    def _tick(self) -> None:
        publish_planner_news(self.context.ports)
        self._remove_idle(ended=True)
        self.visited = []
        tick_into(self.root, self.visited)
        self._remove_idle(ended=False)
        if self.context.state.world.safety_reason:  # its text may be of any origin
            self.context.persistent.has_read = True

    def _tick_again(self) -> None:
        """Makes SAFE with the tree; stops the base without it, if that fails, too."""
        try:
            self._tick()
        except Exception as error:  # the next tick tries again
            self._contain(error)
            stop_now(self.context)

    def _contain(self, error: Exception) -> None:
        where = path_of(_raising_node(error.__traceback__, self.root))
        reason = f'{type(error).__name__} in {where}: {error}'
        _halt(self.root)
        self.context.inbox.put(SafetyEvent(reason, 'the tree'))


def _raising_node(trace: TracebackType | None, root: Behaviour) -> Behaviour:
    """Return the deepest behaviour with a method in the traceback."""
    node = root
    while trace is not None:
        owner = trace.tb_frame.f_locals.get('self')
        if isinstance(owner, Behaviour):
            node = owner
        trace = trace.tb_next
    return node


def _halt(root: Behaviour) -> None:
    """Terminate every behaviour that is not INVALID, leaves first, even if one of them fails."""
    for node in root.iterate():
        if node.status is not Status.INVALID or node.iterator is not None:
            try:
                node.terminate(Status.INVALID)
            except Exception as error:  # the others must be terminated
                node.feedback_message = f'could not be ended: {error}'
            node.status = Status.INVALID
            node.iterator = node.tick()
