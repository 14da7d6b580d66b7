"""Requests motions from the adapter by repeated setpoints, until its status shows their end.

No service is called, and the adapter waits for nothing: the present setpoint is repeated while a
goal is pursued, so that a navigator which hangs or dies stops the rover by that. A status of an
adapter that fell silent or was restarted is not current.
docs/decisions/0029-navigation-is-a-process.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from curiosity_navigation.adapter_status_monitor import AdapterStatusMonitor, StatusForNavigator
from curiosity_navigation.navigation_error_codes import Cause
from gates.permit_rules import PERMIT_WAIT_S
from rover_common.adapter_status import NavigationReport
from rover_common.clocks import Now
from rover_common.condition_waiter import ConditionWaiter
from rover_common.config.settings import Config
from rover_common.message_order import RunNumber
from rover_common.permit import NO_PERMIT_ID
from rover_common.reason import Reason
from rover_common.setpoint import Setpoint, Stage

SETPOINT_PERIOD_S = 0.05  # how often a setpoint is repeated; far below deadman.timeout_s
SLACK_S = 1.0  # for an answer, beyond the rover's own time
CANCELLED = Reason(Cause.NAVIGATION_INTERRUPTED, 'The goal was cancelled')
CLOSING_S = 1.0  # how long the end of a goal is repeated to the adapter


class AdapterClient:
    """The navigator's side of the setpoints. Everything here runs in one thread.

    Args:
        run_id: Of this navigator.
        publish: Sends a setpoint.
        waiter: Awaits conditions.
        clocks: Reads the clocks.
        system_time: System time in s.
        config: The whole configuration.
    """

    def __init__(
        self,
        run_id: str,
        publish: Callable[[Setpoint], None],
        waiter: ConditionWaiter,
        clocks: Callable[[], Now],
        system_time: Callable[[], float],
        config: Config,
    ) -> None:
        self._publish = publish
        self._waiter = waiter
        self._system_time = system_time
        self._monitor = AdapterStatusMonitor(
            clocks, config.executive.guards.adapter_status_max_age_s
        )
        self._status_wait_s = config.curiosity.motion.service_wait_s
        self._stop_wait_s = config.curiosity.motion.service_wait_s + SLACK_S
        # A start waits for the rover's services, and then for the answer of one.
        self._start_wait_s = 2.0 * config.curiosity.motion.service_wait_s + SLACK_S
        self._setpoint = Setpoint(run_id, 0, 0.0)
        self._navigation_goals = self._motions = 0
        self._used = NO_PERMIT_ID  # the permit that the latest navigation goal named
        self._closing = RunNumber(run_id, 0)  # the setpoint that ended the last navigation goal
        self.at_rest = True  # with regard to motions of this navigator

    @property
    def mast_moves(self) -> bool:
        """Whether the mast moves, or that is not known."""
        status = self._monitor.status
        return status is None or status.mast_moves is not False

    @property
    def run_id(self) -> str:
        """Of this navigator."""
        return self._setpoint.sender

    @property
    def ended_by(self) -> Reason[Cause] | None:
        """Why the goal under way has ended although it is still wanted; None if it has not."""
        lost = self.lost
        if lost:
            return lost
        answer = self._answer()
        if answer is None or answer.stage is not Stage.ENDED:
            return None
        reason = answer.reason or 'the adapter has ended the navigation goal'
        return Reason(Cause.NAVIGATION_ENDED, reason)

    @property
    def lost(self) -> Reason[Cause] | None:
        """Why the state of the goal is unknown; None if the adapter that began it is there."""
        return self._monitor.lost(self._setpoint.adapter if self._setpoint.navigation_goal else '')

    @property
    def status(self) -> StatusForNavigator | None:
        """The latest status, however old."""
        return self._monitor.latest

    def update_status(self, status: StatusForNavigator) -> None:
        """Takes the latest status."""
        self._monitor.update(status)

    @property
    def must_repeat(self) -> bool:
        """Whether the setpoint must be repeated: a goal is under way, or its end unconfirmed."""
        return bool(self._setpoint.navigation_goal) or not self._closed()

    def repeat_setpoint(self) -> None:
        """Repeats the setpoint while it matters; to be called every `SETPOINT_PERIOD_S`."""
        if self.must_repeat:
            self._send(self._setpoint)

    async def begin_navigation(self, cancelled: Callable[[], bool]) -> Reason[Cause] | None:
        """Requests the base for the motions of one goal; returns why it is not given.

        A cancelled goal must not use up the permit of the next one: it stops waiting for its own.
        """
        await self._waiter.until(lambda: self.lost is None, self._status_wait_s)
        await self._waiter.until(lambda: cancelled() or self._knows_permit(), PERMIT_WAIT_S)
        if cancelled():
            return CANCELLED
        status = self._monitor.status
        if status is None:
            return self.lost and self.lost.prefixed('No motion may begin')
        self._navigation_goals += 1
        self.at_rest = True
        self._used, adapter = status.permit, status.run_id
        self._change(navigation_goal=self._navigation_goals, adapter=adapter, permit=self._used)
        await self._waiter.until(
            lambda: self.lost is not None or self._stage() is not Stage.ASKED, self._start_wait_s
        )
        stage, answer = self._stage(), self._answer()
        if stage is Stage.RUNNING:
            return None
        if answer is None or stage is Stage.ASKED:
            return self.lost or self._not_taken()
        return Reason(Cause.NAVIGATION_REFUSED, answer.reason)

    async def start(self, motion: str, over: Callable[[], bool]) -> Reason[Cause] | None:
        """Starts a motion; returns when the rover has confirmed it, or why it has not.

        The rover may drive before it confirms that: when the motion is `over`, this returns, too.
        Call `pause` afterwards, whatever it returns.
        """
        self._motions += 1
        self.at_rest = False
        self._change(motion=motion, number=self._motions)
        await self._waiter.until(
            lambda: self.ended_by is not None or over() or self._motion_stage() is not Stage.ASKED,
            self._start_wait_s,
        )
        if self.ended_by:
            return self.ended_by
        stage, answer = self._motion_stage(), self._answer()
        if stage is Stage.RUNNING or over():
            return None
        if answer is None or stage is Stage.ASKED:
            return self._not_taken()
        text = answer.motion_reason or f'{motion} was stopped'
        return Reason(Cause.MOTION_REFUSED, text)

    async def pause(self) -> Reason[Cause] | None:
        """Ends the motion; returns when the rover stands still, or why that is not known."""
        given = self._change(motion='')
        await self._waiter.until(
            lambda: self._stands_since(given) or bool(self._unstopped(given)),
            self._stop_wait_s,
        )
        self.at_rest = self._stands_since(given)
        if self.at_rest:
            return None
        unstopped = self._unstopped(given)
        lost = self.lost or Reason(
            Cause.STOP_UNCONFIRMED, 'the adapter does not say that it stands'
        )
        return Reason(Cause.STOP_UNCONFIRMED, unstopped) if unstopped else lost

    async def end_navigation(self) -> None:
        """Releases the base; returns when the adapter knows it, or after `CLOSING_S`."""
        self.give_up()
        await self._waiter.until(self._closed, CLOSING_S)

    def give_up(self) -> None:
        """Ends all requests and publishes that at once."""
        self._closing = self._change(navigation_goal=0, permit=NO_PERMIT_ID, motion='')

    def _change(self, **changes: Any) -> RunNumber:
        """Changes the setpoint and publishes it at once; returns its number."""
        self._send(replace(self._setpoint, **changes))
        return RunNumber(self._setpoint.sender, self._setpoint.sequence)

    def _send(self, setpoint: Setpoint) -> None:
        self._setpoint = replace(
            setpoint, sequence=self._setpoint.sequence + 1, sent_at=self._system_time()
        )
        self._publish(self._setpoint)

    def _knows_permit(self) -> bool:
        """Return whether the permit of a new goal has arrived, or none is needed.

        After a moment of silence it arrives with the next heartbeat of the executive.
        """
        status = self.status
        if status is None or status.by_hand:
            return True
        return status.permit not in (NO_PERMIT_ID, self._used)

    def _answer(self) -> NavigationReport | None:
        """Return the adapter's report of the navigation goal under way."""
        answer = self.status.answer if self.status else None
        return answer if answer and answer.number == self._setpoint.navigation_goal else None

    def _stage(self) -> Stage:
        answer = self._answer()
        return answer.stage if answer else Stage.ASKED

    def _motion_stage(self) -> Stage:
        answer = self._answer()
        if answer is None or answer.motion != self._setpoint.number:
            return Stage.ASKED
        return answer.motion_stage

    def _stands_since(self, given: RunNumber) -> bool:
        status = self._monitor.status
        if status is None:
            return False
        if status.run_id != self._setpoint.adapter:  # a new one begins with a stop
            return status.at_rest
        answer = self._answer()
        return answer is not None and answer.at_rest and status.taken.reaches(given)

    def _unstopped(self, given: RunNumber) -> str:
        answer, status = self._answer(), self.status
        if answer is None or status is None or not status.taken.reaches(given):
            return ''
        return answer.unstopped

    def _closed(self) -> bool:
        """Return whether the adapter knows that this navigator has no goal any more."""
        status = self._monitor.status
        if status is None or status.run_id != self._setpoint.adapter:
            return True
        answer = status.answer
        over = answer is None or answer.stage in (Stage.REFUSED, Stage.ENDED)
        return over and (not self._closing.number or status.taken.reaches(self._closing))

    def _not_taken(self) -> Reason[Cause]:
        return Reason(
            Cause.ADAPTER_SILENT,
            "the adapter does not take the navigator's setpoints; if this goes on, let the clocks "
            'of both hosts agree (chrony, NTP)',
        )
