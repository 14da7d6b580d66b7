"""Gives motions to the adapter as a level, and learns from its status what has become of them.

Nothing is called and nothing is waited for by the adapter: what holds is said again and again
while a goal is pursued, so that a navigator which stands still or dies stops the rover by that.
docs/decisions/0029-navigation-is-a-process.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from curiosity_navigation.adapter_silence import AdapterSilence
from curiosity_navigation.navigation_error_codes import Cause
from curiosity_navigation.status_for_navigator import StatusForNavigator
from gates.permit_rules import PERMIT_WAIT_S
from rover_common.adapter_status import NavigationReport
from rover_common.clocks import Now
from rover_common.condition_waiter import ConditionWaiter
from rover_common.config.settings import Config
from rover_common.permit import NO_PERMIT_ID
from rover_common.reason import Reason
from rover_common.run_number import RunNumber
from rover_common.setpoint import Setpoint, Stage

SETPOINT_PERIOD_S = 0.05  # how often a setpoint is repeated; far below deadman.timeout_s
SLACK_S = 1.0  # what an answer takes beyond the rover's own time
CANCELLED = Reason(Cause.NAVIGATION_INTERRUPTED, 'The goal was cancelled')
CLOSING_S = 1.0  # the adapter is told for so long that a goal is over


class AdapterClient:
    """The navigator's side of the setpoints. Everything here runs in one thread.

    Args:
        run_id: Of this navigator.
        publish: Sends a setpoint.
        waiter: Where to wait.
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
        self._silence = AdapterSilence(clocks, config.executive.guards.adapter_status_max_age_s)
        self._status_wait_s = config.curiosity.motion.service_wait_s
        self._stop_wait_s = config.curiosity.motion.service_wait_s + SLACK_S
        # A start waits for the rover's services, and then for the answer of one.
        self._start_wait_s = 2.0 * config.curiosity.motion.service_wait_s + SLACK_S
        self._setpoint = Setpoint(run_id, 0, 0.0)
        self._navigation_goals = self._motions = 0
        self._used = NO_PERMIT_ID  # the permission that the latest navigation goal named
        self._closing = RunNumber(run_id, 0)  # the setpoint that gave the last navigation goal up
        self.at_rest = True  # as far as this navigator has begun motions

    @property
    def mast_moves(self) -> bool:
        """Whether the mast moves, or nobody knows."""
        status = self._silence.status
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
        said = answer.reason or 'the adapter has ended the navigation goal'
        return Reason(Cause.NAVIGATION_ENDED, said)

    @property
    def lost(self) -> Reason[Cause] | None:
        """Why nothing is known of the goal; None if the adapter that began it is there."""
        return self._silence.lost(self._setpoint.adapter if self._setpoint.navigation_goal else '')

    @property
    def status(self) -> StatusForNavigator | None:
        """The latest status, however old."""
        return self._silence.latest

    def update_status(self, status: StatusForNavigator) -> None:
        """The latest status."""
        self._silence.update(status)

    @property
    def speaks(self) -> bool:
        """Whether what holds has to be repeated: the adapter does not know that nothing does."""
        return bool(self._setpoint.navigation_goal) or not self._closed()

    def repeat_setpoint(self) -> None:
        """Repeats what holds, as long as it matters; call it every `SETPOINT_PERIOD_S`."""
        if self.speaks:
            self._send(self._setpoint)

    async def begin_navigation(self, cancelled: Callable[[], bool]) -> Reason[Cause] | None:
        """Requests the base for the motions of one goal; returns why it is not given.

        A cancelled goal must not use up the permit of the next one: it stops waiting for its own.
        """
        await self._waiter.until(lambda: self.lost is None, self._status_wait_s)
        await self._waiter.until(lambda: cancelled() or self._knows_permit(), PERMIT_WAIT_S)
        if cancelled():
            return CANCELLED
        status = self._silence.status
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

    async def start(
        self, motion: str, unwanted: Callable[[], Reason[Cause] | None]
    ) -> Reason[Cause] | None:
        """Begins a motion; returns when the rover has confirmed it, or why it has not.

        Call `pause` afterwards, whatever is returned.
        """
        self._motions += 1
        self.at_rest = False
        self._change(motion=motion, number=self._motions)
        await self._waiter.until(
            lambda: (
                (self.ended_by or unwanted()) is not None
                or self._motion_stage() is not Stage.ASKED
            ),
            self._start_wait_s,
        )
        reason = self.ended_by or unwanted()
        if reason:
            return reason
        stage, answer = self._motion_stage(), self._answer()
        if stage is Stage.RUNNING:
            return None
        if answer is None or stage is Stage.ASKED:
            return self._not_taken()
        said = answer.motion_reason or f'{motion} was stopped'
        return Reason(Cause.MOTION_REFUSED, said)

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
        said = self._unstopped(given)
        lost = self.lost or Reason(
            Cause.STOP_UNCONFIRMED, 'the adapter does not say that it stands'
        )
        return Reason(Cause.STOP_UNCONFIRMED, said) if said else lost

    async def end_navigation(self) -> None:
        """Gives the base back; returns when the adapter knows it, or is not likely to."""
        self.give_up()
        await self._waiter.until(self._closed, CLOSING_S)

    def give_up(self) -> None:
        """Wants nothing any more, and says so at once."""
        self._closing = self._change(navigation_goal=0, permit=NO_PERMIT_ID, motion='')

    def _change(self, **changes: Any) -> RunNumber:
        """Changes what holds, and says so at once; returns the number of that setpoint."""
        self._send(replace(self._setpoint, **changes))
        return RunNumber(self._setpoint.sender, self._setpoint.sequence)

    def _send(self, setpoint: Setpoint) -> None:
        self._setpoint = replace(
            setpoint, sequence=self._setpoint.sequence + 1, sent_at=self._system_time()
        )
        self._publish(self._setpoint)

    def _knows_permit(self) -> bool:
        """Whether the permission for a new goal came, or none is needed.

        That of an executive that was not heard for a moment comes with its next heartbeat.
        """
        status = self.status
        if status is None or status.by_hand:
            return True
        return status.permit not in (NO_PERMIT_ID, self._used)

    def _answer(self) -> NavigationReport | None:
        """What the adapter says of the navigation goal under way."""
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
        status = self._silence.status
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
        """Whether the adapter knows that no navigation goal of this navigator is wanted."""
        status = self._silence.status
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
