"""Drives a gate's own motions under its permit, and reports how each one ended. Pure.

A motion begins with the permit that names its goal, and ends by odometry. It is not done before
odometry shows that the base stands. Times in s of a steady clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from gates.motion_and_standstill_by_odometry import Brake, MeasuredMotion, MotionRequest, Odometry
from gates.permit_rules import PERMIT_WAIT_S
from gates.velocity_gate import VelocityGate
from rover_common.config.settings.gates import MotionSpeeds
from rover_common.permit import EndingCode
from rover_common.reason import Reason

STANDS_WITHIN_S = 3.0
SETTLED_S = 0.2  # odometry received earlier may be from before the stop


class Failure(Enum):
    """Why a motion was not driven whole; the values are on the wire."""

    NOT_PERMITTED = 'NOT_PERMITTED'
    NOT_MEASURED = 'NOT_MEASURED'
    STOPPED = 'STOPPED'
    CANCELLED = 'CANCELLED'


ENDING_OF = {
    Failure.NOT_MEASURED: EndingCode.GAP,
    Failure.STOPPED: EndingCode.HALTED,
    Failure.CANCELLED: EndingCode.STOP_CALLED,
}


@dataclass
class OwnMotion:
    """One motion from its goal to its end.

    Attributes:
        measured: Its progress.
        goal: Hex of the goal's UUID.
        asked_at: When it was requested.
        begun: It has begun to drive.
        stopping_since: None: it is not being stopped.
        failure: Why it was not driven whole; None: it was, if it has ended.
        ended: It is over.
    """

    measured: MeasuredMotion
    goal: str
    asked_at: float
    begun: bool = False
    stopping_since: float | None = None
    failure: Reason[Failure] | None = None
    ended: bool = False


class OwnMotions:
    """The motions of one gate, one at a time.

    Args:
        gate: Permits them.
        brake: Shows whether the base moves, and is applied while it must stand.
        speeds: Of the motions.
        max_age_s: How old odometry may be while one is driven.

    Attributes:
        current: The one under way.
    """

    def __init__(
        self, gate: VelocityGate, brake: Brake, speeds: MotionSpeeds, max_age_s: float
    ) -> None:
        self._gate, self._brake, self._speeds = gate, brake, speeds
        self._max_age_s = max_age_s
        self._latest: tuple[Odometry, float] | None = None
        self.current: OwnMotion | None = None

    def begin(self, request: MotionRequest, goal: str, now: float) -> OwnMotion:
        """Takes a motion; it is driven as soon as it is permitted."""
        measured = MeasuredMotion(request, self._speeds.linear_m_s, self._speeds.angular_rad_s)
        self.current = OwnMotion(measured, goal, now)
        return self.current

    def update_pose(self, pose: Odometry, now: float) -> None:
        """Takes a pose by odometry."""
        self._latest = pose, now
        if self.current is not None and self.current.begun:
            self.current.measured.update_pose(pose, now)

    def cancel(self, now: float) -> None:
        """Stops the motion on request of its client."""
        motion = self.current
        if motion is not None and motion.stopping_since is None:
            self._give_up(motion, Failure.CANCELLED, 'it was cancelled', now)

    def step(self, now: float) -> tuple[float, float] | None:
        """Continues the motion; returns the velocity to command, m/s and rad/s, or None."""
        motion = self.current
        if motion is None or motion.ended:
            return None
        self._gate.update(now)  # odometry may come before the gate is asked again
        if motion.stopping_since is not None:
            self._await_standstill(motion, motion.stopping_since, now)
        elif motion.begun or self._may_begin(motion, now):
            return self._drive(motion, now)
        return None

    def _may_begin(self, motion: OwnMotion, now: float) -> bool:
        if not self._is_permitted(motion, now):
            reason, code = 'the executive gives no permission for it', Failure.NOT_PERMITTED
        elif self._brake.moves(now) is None:
            reason, code = self._brake.why_unknown(now), Failure.NOT_MEASURED
        else:
            motion.begun = True
            if self._latest is not None:
                motion.measured.start(*self._latest, now)
            return True
        if now - motion.asked_at > PERMIT_WAIT_S:
            motion.failure, motion.ended = Reason(code, f'It did not begin: {reason}'), True
        return False

    def _drive(self, motion: OwnMotion, now: float) -> tuple[float, float] | None:
        measured = motion.measured
        unseen_s = now - max(measured.seen_at, motion.asked_at)
        if self._brake.is_invalid or unseen_s > self._max_age_s:
            self._give_up(motion, Failure.NOT_MEASURED, self._brake.why_unknown(now), now)
        elif measured.fault:
            self._give_up(motion, Failure.STOPPED, measured.fault, now)
        elif measured.is_done:
            motion.stopping_since = now
            if not self._another_drives(motion, now):
                self._gate.command_standstill(now)
                self._brake.apply(now)
        elif self._is_permitted(motion, now) and self._gate.command(
            now, own=measured.request.kind
        ):
            self._brake.release(now)
            return measured.velocity()
        else:
            ending = self._gate.ending
            self._give_up(motion, Failure.STOPPED, ending.reason if ending else 'no permit', now)
        return None

    def _give_up(self, motion: OwnMotion, code: Failure, why: str, now: float) -> None:
        """Stops the motion and closes the gate for its permit, never for that of another one."""
        motion.failure = Reason(code, f'It was stopped: {why}')
        motion.stopping_since = now
        if self._another_drives(motion, now):
            motion.ended = not motion.begun
            return
        if self._is_permitted(motion, now):
            self._gate.halt(ENDING_OF[code], why)
        self._brake.apply(now)

    def _is_permitted(self, motion: OwnMotion, now: float) -> bool:
        return self._gate.held_goal(now) == motion.goal

    def _another_drives(self, motion: OwnMotion, now: float) -> bool:
        """Return whether the gate is open, and not for this motion."""
        return self._gate.is_open and not self._is_permitted(motion, now)

    def _await_standstill(self, motion: OwnMotion, since: float, now: float) -> None:
        moves = self._brake.moves(now)
        motion.ended = moves is False and now - since >= SETTLED_S
        if motion.ended or now - since < STANDS_WITHIN_S:
            return
        why = self._brake.why_unknown(now) if moves is None else 'it still moves by odometry'
        before = f'{motion.failure.sentence}; ' if motion.failure else ''
        motion.failure = Reason(
            Failure.NOT_MEASURED, f'{before}it is not confirmed that the base stands: {why}'
        )
        motion.ended = True
