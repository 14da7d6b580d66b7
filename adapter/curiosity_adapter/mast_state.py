"""The state of the mast by its joint states: where it is, and when a command is complete.

The mast's services answer at once and without a result, so joint states are the only evidence.
Angles in rad. The silence of joint states is measured in steady time; a command takes the rover's
time to move and steady time until it is reported, so its times are of both clocks.
"""

from __future__ import annotations

from collections.abc import Iterable
import math
from typing import Literal

from curiosity_adapter.adapter_error_codes import Cause
from rover_common.clocks import Now
from rover_common.config.settings import MastSettings
from rover_common.reason import Reason

MastState = Literal['open', 'closed', 'between', 'unknown']
MastCommand = Literal['mast_open', 'mast_close', 'mast_rotate']

# A joint that moved by less than this share of the tolerance within settle_s stands still.
STILL_SHARE = 0.1


class MastJoints:
    """The latest positions of the mast's joints; since when tilt and pan stand still."""

    def __init__(self, settings: MastSettings) -> None:
        self._settings = settings
        self._still_at = (math.inf, math.inf)
        self._received: Now | None = None
        self._still_since: Now | None = None
        self._unclosed: Now | None = None  # the latest joint state with the tilt elsewhere
        self.tilt: float | None = None
        self.pan: float | None = None
        self.cameras: float | None = None

    def update(self, names: Iterable[str], positions: Iterable[float], now: Now) -> bool:
        """Takes one joint state message; returns whether it has a usable position of the tilt."""
        found = {
            name: position
            for name, position in zip(names, positions, strict=False)
            if math.isfinite(position)
        }
        self.pan = found.get(self._settings.pan_joint, self.pan)
        self.cameras = found.get(self._settings.cameras_joint, self.cameras)
        if self._settings.tilt_joint not in found:
            return False
        self.tilt = found[self._settings.tilt_joint]
        self._received = now
        if not self.near(self.tilt, self._settings.closed_tilt_rad):
            self._unclosed = now
        self._follow_stillness(now)
        return True

    @property
    def received_at(self) -> float:
        """Steady time of the latest joint state of the tilt; -inf if none ever came."""
        return self._received.steady if self._received else -math.inf

    def still_s(self, after: Now | None = None) -> float:
        """How long, in s, both joints had stood still at the latest joint state, since `after`."""
        if self._received is None or self._still_since is None:
            return 0.0
        since = self._received.since(self._still_since)
        return since if after is None else min(since, self._received.since(after))

    def silence(self, now: Now) -> Reason[Cause] | None:
        """What is wrong if the tilt is not known now; None if it is."""
        age = now.steady - self.received_at
        if age <= self._settings.joint_states_max_age_s:
            return None
        age_text = 'ever came' if math.isinf(age) else f'came for {age:.1f} s'
        joint = self._settings.tilt_joint
        return Reason(Cause.JOINTS_SILENT, f'no joint state of {joint!r} {age_text}')

    def state(self, now: Now) -> MastState:
        """Where the mast is; `unknown` if the joint states are too old.

        It is closed when none has shown another tilt for `settle_s`: of two publishers that
        contradict each other, one is wrong.
        """
        if self.tilt is None or self._received is None or self.silence(now):
            return 'unknown'
        if self.near(self.tilt, self._settings.closed_tilt_rad):
            before = self._unclosed
            closed_s = self._received.since(before) if before else math.inf
            return 'closed' if closed_s >= self._settings.settle_s else 'between'
        if self.near(self.tilt, self._settings.open_tilt_rad):
            return 'open'
        return 'between'

    def near(self, position: float, goal: float) -> bool:
        """Whether a joint is within the tolerance of a goal."""
        return abs(position - goal) <= self._settings.tolerance_rad

    def _follow_stillness(self, now: Now) -> None:
        position = (self.tilt or 0.0, self.pan or 0.0)
        moved = max(abs(a - b) for a, b in zip(position, self._still_at, strict=True))
        if moved > STILL_SHARE * self._settings.tolerance_rad:
            self._still_at, self._still_since = position, now


class MastMove:
    """One command of the mast, followed from the request until the mast stands at its goal.

    `mast_open` and `mast_close` are complete when the tilt is at its goal and both joints stand
    still. `mast_rotate` is a sweep of the pan joint, whose end is also where a second sweep
    begins; it is complete when the pan was seen on the far side of its end, came back to it and
    stands still there. Turns are not counted: the joint is continuous.

    Joint states that fall silent end nothing before the time limit: the mast may be moving, and
    they may arrive again. A simulation that waits for another process is as silent.

    Args:
        command: The command.
        settings: Goals and time limits.
        sent: When it was sent.

    Attributes:
        failure: Why the command was not complete at its time limit; None before, and if it was.
    """

    def __init__(self, command: MastCommand, settings: MastSettings, sent: Now) -> None:
        self.command = command
        self._settings = settings
        self._sent = sent
        self._answered: Now | None = None
        self._seen_far = command != 'mast_rotate'
        self.failure: Reason[Cause] | None = None

    @property
    def timeout_s(self) -> float:
        """How long the command may take."""
        if self.command == 'mast_rotate':
            return self._settings.rotate_timeout_s
        return self._settings.move_timeout_s

    @property
    def goal_tilt(self) -> float:
        """Where the tilt joint ends."""
        if self.command == 'mast_close':
            return self._settings.closed_tilt_rad
        return self._settings.open_tilt_rad

    def answered(self, now: Now) -> None:
        """The rover confirmed the command: only stillness after this moment counts."""
        self._answered = now

    def update(self, joints: MastJoints) -> None:
        """Notes a sweep's passing of the far side; call it at every joint state."""
        self._seen_far = self._seen_far or self._pan_off(joints) > math.pi / 2.0

    def complete(self, joints: MastJoints, now: Now) -> bool:
        """Whether the mast is at the command's goal and stands still."""
        if joints.tilt is None or self._answered is None or joints.silence(now):
            return False
        return (
            joints.still_s(self._answered) >= self._settings.settle_s
            and joints.near(joints.tilt, self.goal_tilt)
            and self._swept(joints)
        )

    def over(self, joints: MastJoints, now: Now) -> bool:
        """Whether it is complete, or its time is over; `failure` then says what is missing."""
        if self.complete(joints, now):
            return True
        if now.since(self._sent) < self.timeout_s:
            return False
        self.failure = self._failed(joints, now)
        return True

    def _failed(self, joints: MastJoints, now: Now) -> Reason[Cause]:
        lead = f'{self.command} did not complete within {self.timeout_s:g} s'
        silence = joints.silence(now)
        if silence:
            return silence.prefixed(lead)
        return Reason(Cause.MAST_NOT_AT_GOAL, self._lacking(joints)).prefixed(lead)

    def _lacking(self, joints: MastJoints) -> str:
        """Return what the command lacks, as text."""
        settings = self._settings
        if joints.tilt is not None and not joints.near(joints.tilt, self.goal_tilt):
            return (
                f'{settings.tilt_joint!r} is at {joints.tilt:.2f} rad, '
                f'wanted {self.goal_tilt:.2f} ± {settings.tolerance_rad:g} rad'
            )
        if not self._swept(joints):
            where = (
                'is not known: no joint state was received'
                if joints.pan is None
                else f'is at {joints.pan:.2f} rad'
            )
            return (
                f'{settings.pan_joint!r} {where}, '
                f'the sweep to {settings.rotate_pan_rad:.2f} rad has not ended'
            )
        return 'the mast has not come to rest'

    def _swept(self, joints: MastJoints) -> bool:
        if self.command != 'mast_rotate':
            return True
        return self._seen_far and self._pan_off(joints) <= self._settings.tolerance_rad

    def _pan_off(self, joints: MastJoints) -> float:
        """Angle between the pan and the end of the sweep, 0 to pi; 0 without a pan."""
        if joints.pan is None:
            return 0.0
        return abs(math.remainder(joints.pan - self._settings.rotate_pan_rad, math.tau))
