"""The gate's own motions: whose permit they need, and what they do not do to that of another."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from gates.motion_and_standstill_by_odometry import Brake, MotionRequest, Odometry
from gates.motion_under_permit import Failure, OwnMotion, OwnMotions
from gates.velocity_gate import VelocityGate
from rover_common.config.settings.gates import MotionSpeeds
from rover_common.permit import EndingCode, Heartbeat, Permit

A, B = 'aa' * 16, 'bb' * 16  # goals
STEP_S, BEAT_S = 0.05, 0.1
LONG = MotionRequest('straight', distance_m=5.0)


class Base:
    """A gate under which a base does at once what is commanded."""

    def __init__(self, odometry_s: float = STEP_S) -> None:
        self.gate = VelocityGate('navigate'.__eq__, 0.3, 10.0, gate='base')
        self.brake = Brake()
        self.own = OwnMotions(self.gate, self.brake, MotionSpeeds(), 1.0)
        self.now, self.x, self.speed = 100.0, 0.0, 0.0
        self.permit: Permit | None = None
        self._beats, self._odometry_s, self._seen_at = 0, odometry_s, -1.0
        self.pass_time(1.0)

    def give(self, number: int, goal: str, motion: str = 'straight') -> None:
        self.permit = Permit(motion, number, 'base', goal)
        self.pass_time(BEAT_S)

    def begin(self, goal: str, request: MotionRequest = LONG) -> OwnMotion:
        return self.own.begin(request, goal, self.now)

    def pass_time(self, seconds: float) -> None:
        """Heartbeats, odometry and steps of the motion until then."""
        end = self.now + seconds - STEP_S / 2
        while self.now < end:
            self._beats += 1
            gates = (self.permit,) if self.permit else ()
            beat = Heartbeat('run', self._beats, self.now, gates=gates)
            self.gate.receive(beat, self.now, self.now)
            if self.now - self._seen_at >= self._odometry_s - STEP_S / 2:
                self._seen_at, pose = self.now, Odometry(self.x, 0.0, 0.0)
                self.brake.update_odometry((self.speed,), pose, self.now)
                self.own.update_pose(pose, self.now)
            velocity = self.own.step(self.now)
            self.speed = velocity[0] if velocity else self.speed
            if self.brake.applied:
                self.speed = 0.0
                self.brake.update(self.now)
            self.x += self.speed * STEP_S
            self.now += STEP_S


def test_a_motion_ends_with_the_permit_of_its_goal_and_leaves_the_next_one_to_its_own() -> None:
    base = Base()
    base.give(1, A)
    first = base.begin(A)
    base.pass_time(1.0)
    assert base.speed > 0.0
    base.give(2, B)
    assert base.speed == 0.0
    base.pass_time(1.0)
    assert first.ended
    assert first.failure is not None
    assert first.failure.code is Failure.STOPPED
    assert base.gate.ending is not None
    assert (base.gate.ending.permit.number, base.gate.ending.code) == (1, EndingCode.WITHDRAWN)
    driven, second = base.x, base.begin(B)
    base.pass_time(1.0)
    assert second.begun
    assert base.x > driven


@pytest.mark.parametrize(
    'end', [lambda base: base.own.cancel(base.now), lambda base: base.pass_time(2.0)]
)
def test_the_end_of_a_motion_that_had_no_permit_stops_nobody_else(
    end: Callable[[Base], None],
) -> None:
    base = Base()
    base.give(7, B, 'navigate')
    assert base.gate.command(base.now)
    base.brake.release(base.now)
    motion = base.begin(A)
    end(base)
    base.pass_time(BEAT_S)
    assert motion.ended
    assert (base.gate.ending, base.brake.applied) == (None, False)
    assert base.gate.command(base.now)
    assert base.gate.held_goal(base.now) == B


def test_a_motion_that_is_done_when_another_drives_brakes_nobody() -> None:
    base = Base()
    base.give(1, A)
    motion = base.begin(A, MotionRequest('straight', distance_m=0.5))
    base.pass_time(1.0)
    assert motion.begun
    base.permit = Permit('navigate', 2, 'base', B)
    beat = Heartbeat('run', 10**6, base.now, gates=(base.permit,))
    base.gate.receive(beat, base.now, base.now)
    assert base.gate.command(base.now)
    base.own.update_pose(Odometry(0.6, 0.0, 0.0), base.now)
    base.own.step(base.now)
    assert motion.stopping_since == base.now
    assert base.gate.is_open
    assert not base.brake.applied


@pytest.mark.parametrize('odometry_s', [0.05, 0.3, 0.9])
@pytest.mark.parametrize('phase_s', [0.0, 0.1, 0.25, 0.6])
def test_a_motion_is_measured_from_its_begin_however_rare_odometry_is(
    odometry_s: float, phase_s: float
) -> None:
    base = Base(odometry_s)
    base.give(1, A)
    base.pass_time(phase_s)
    motion = base.begin(A, MotionRequest('straight', distance_m=0.5))
    base.pass_time(15.0)
    assert (motion.ended, motion.failure) == (True, None)
    assert motion.measured.distance_m == pytest.approx(base.x)


def test_a_cancel_closes_the_motion_s_own_permit() -> None:
    base = Base()
    base.give(1, A)
    motion = base.begin(A)
    base.pass_time(1.0)
    base.own.cancel(base.now)
    base.pass_time(1.0)
    assert (motion.ended, base.speed, base.gate.held_goal(base.now)) == (True, 0.0, '')
    assert motion.failure is not None
    assert motion.failure.code is Failure.CANCELLED
    assert base.gate.ending is not None
    assert base.gate.ending.code is EndingCode.STOP_CALLED


def test_silence_is_named_and_brakes_at_the_odometry_that_comes_first() -> None:
    base = Base()
    for number, goal in enumerate((A, B), start=1):
        base.give(number, goal)
        motion = base.begin(goal, LONG)
        base.pass_time(1.0)
        assert motion.begun
        if goal == A:  # its reason is not that of the next one
            base.gate.stop('a stop was asked for')
            base.pass_time(1.0)
    base.now += 0.35
    base.own.update_pose(Odometry(base.x, 0.0, 0.0), base.now)
    base.own.step(base.now)
    assert motion.failure is not None
    assert motion.failure.sentence == 'It was stopped: the executive has fallen silent'
    assert base.brake.applied
    assert base.gate.ending is not None
    assert base.gate.ending.code is EndingCode.GAP
