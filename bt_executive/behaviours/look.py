"""Look at the world: drain the inbox, freeze the state for this tick, arbitrate the mode."""

from __future__ import annotations

from dataclasses import replace
import math

from bt_executive import goals
from bt_executive.behaviours.leaf import Leaf, Status
from bt_executive.brain import Brain
from bt_executive.inbox import (
    Event,
    GoalCancelled,
    PoseSeen,
    ResetRequested,
    SafetyEvent,
    SessionAnswer,
    StopRequested,
)
from bt_executive.kernel.arbitration import arbitrate
from bt_executive.kernel.observe import observe

JUMP_M = 1.0  # a step of the pose beyond this is a jump of the frame, not a drive


class LookAtTheWorld(Leaf):
    """Always succeeds. After it the state does not change for the rest of the tick's guards."""

    def __init__(self, name: str, brain: Brain) -> None:
        super().__init__(name, brain)
        self._adapter_heard = False

    def update(self) -> Status:
        """Takes every event of the inbox into the state."""
        before = self.brain.state.tasks.mode
        for event in self.brain.inbox.drain():
            self._take(event)
        self._watch_adapter()
        if not self.brain.state.world.safety_reason:
            goals.begin_next(self.brain)
        mode = arbitrate(self.brain.state)
        if mode is not before:
            self.brain.replace(tasks=replace(self.brain.state.tasks, mode=mode))
            self.brain.tracer.emit('OBSERVE', f'Mode {before.value} → {mode.value}')
        return self.success(mode.value)

    def _take(self, event: Event) -> None:
        if isinstance(event, SessionAnswer):
            self._take_answer(event)
            return
        if isinstance(event, PoseSeen):
            self._measure(event)
        self.brain.state = observe(self.brain.state, event)
        if isinstance(event, GoalCancelled) and goals.cancel(
            self.brain, event.task_id, event.reason
        ):
            self._take(StopRequested(event.reason))
        elif isinstance(event, SafetyEvent):
            reason = self.brain.state.world.safety_reason
            self.brain.tracer.emit('ERROR', f'Safety event from {event.source}: {reason}')
        elif isinstance(event, ResetRequested):
            self.brain.tracer.emit('OBSERVE', f'Reset by {event.source}')

    def _take_answer(self, answer: SessionAnswer) -> None:
        known = self.brain.book.apply(
            answer.session_id, answer.happened, answer.fields, answer.reason
        )
        if not known:
            message = f'Late answer dropped: {answer.session_id} {answer.happened.value}'
            self.brain.tracer.emit('OBSERVE', message)

    def _measure(self, event: PoseSeen) -> None:
        robot = self.brain.state.robot
        if robot.pose_at is None or self.brain.task is None:
            return
        step = math.hypot(event.x - robot.pose.x, event.y - robot.pose.y)
        if step < JUMP_M:
            self.brain.progress.distance_m += step

    def _watch_adapter(self) -> None:
        heard = self.brain.adapter_alive()
        if heard and not self._adapter_heard:
            self.brain.tracer.emit('OBSERVE', 'The adapter reports its status')
        elif self._adapter_heard and not heard:
            limit = self.brain.config.executive.guards.adapter_status_max_age_s
            self.brain.tracer.emit('ERROR', f'The adapter is silent for more than {limit:g} s')
        self._adapter_heard = heard
