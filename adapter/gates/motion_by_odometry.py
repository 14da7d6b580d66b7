"""One motion of a velocity gate, measured by odometry. Pure.

Lengths in m, angles in rad, times in s of a steady clock.
"""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal['straight', 'turn', 'arc']
KINDS: tuple[Kind, ...] = ('straight', 'turn', 'arc')
LONGEST_M, MOST_RAD, LEAST_RADIUS_M = 1000.0, 100.0 * math.tau, 0.05
NEAR_S = 0.5  # how long before its end a motion slows down
SLOWEST = 0.15  # of its speed
CLOSE_M, CLOSE_RAD = 0.005, 0.01  # within this distance of its end it is done
STUCK_S = 3.0  # without progress
JUMP_M, JUMP_RAD = 0.5, 1.0  # between two measurements, beyond what its speed allows


class Odometry(NamedTuple):
    """A pose by odometry."""

    x: float
    y: float
    yaw: float


@dataclass(frozen=True)
class MotionRequest:
    """A motion that is requested.

    Attributes:
        kind: Its form.
        distance_m: Along the path; negative: backwards. Of straight and arc.
        angle_rad: Positive: to the left. Of turn.
        radius_m: Positive: the centre is to the left. Of arc.
    """

    kind: Kind
    distance_m: float = 0.0
    angle_rad: float = 0.0
    radius_m: float = 0.0

    @property
    def amount(self) -> float:
        """How much is to be driven, with its sign, in rad for a turn, otherwise in m."""
        return self.angle_rad if self.kind == 'turn' else self.distance_m

    def fault(self) -> str:
        """Return why it cannot be driven; empty: it can."""
        given = {
            'distance_m': (self.distance_m, LONGEST_M, self.kind != 'turn'),
            'angle_rad': (self.angle_rad, MOST_RAD, self.kind == 'turn'),
            'radius_m': (self.radius_m, LONGEST_M, self.kind == 'arc'),
        }
        for name, (value, most, request) in given.items():
            if not math.isfinite(value) or abs(value) > most:
                return f'{name} is {value:g}: give a number between {-most:.6g} and {most:.6g}'
            if request and not value:
                return f'{name} is 0, and {self.kind} needs it'
            if value and not request:
                return f'{name} is {value:g}, and {self.kind} has none: leave it out'
        if self.kind == 'arc' and abs(self.radius_m) < LEAST_RADIUS_M:
            return f'radius_m is {self.radius_m:g}: give at least {LEAST_RADIUS_M:g}'
        return ''


class MeasuredMotion:
    """The progress of a motion.

    Args:
        wanted: The motion.
        linear_m_s: Its speed along the path, at most.
        angular_rad_s: Its speed of turning, at most.

    Attributes:
        distance_m: Driven along the path, by odometry.
        angle_rad: Turned, by odometry.
        seen_at: When the latest pose was received.
        fault: Why it cannot go on; empty: it can.
    """

    def __init__(self, request: MotionRequest, linear_m_s: float, angular_rad_s: float) -> None:
        self.request = request
        self._linear, self._angular = linear_m_s, angular_rad_s
        if request.kind == 'arc':
            self._linear = min(linear_m_s, angular_rad_s * abs(request.radius_m))
        self.distance_m = self.angle_rad = 0.0
        self.fault = ''
        self._pose: Odometry | None = None
        self.seen_at = self._progress_at = -math.inf
        self._best = 0.0

    @property
    def left(self) -> float:
        """How much is left, in rad for a turn, otherwise in m; negative: it has gone too far."""
        done = self.angle_rad if self.request.kind == 'turn' else self.distance_m
        return math.copysign(1.0, self.request.amount) * (self.request.amount - done)

    @property
    def is_done(self) -> bool:
        """Whether odometry shows all of it."""
        return self.left <= (CLOSE_RAD if self.request.kind == 'turn' else CLOSE_M)

    def update_pose(self, pose: Odometry, now: float) -> None:
        """Takes a pose by odometry."""
        if not all(map(math.isfinite, pose)):
            return
        if self._pose is None:
            self._progress_at = now
        else:
            self._add(self._pose, pose, now - self.seen_at)
        self._pose, self.seen_at = pose, now
        done = abs(self.request.amount) - self.left
        if done > self._best + (CLOSE_RAD if self.request.kind == 'turn' else CLOSE_M):
            self._best, self._progress_at = done, now
        elif now - self._progress_at > STUCK_S and not self.fault:
            self.fault = f'by odometry the base has come no further for {STUCK_S:g} s'

    def velocity(self) -> tuple[float, float]:
        """Return the velocity to command: m/s ahead, rad/s to the left; slower near the end."""
        top = self._angular if self.request.kind == 'turn' else self._linear
        speed = max(SLOWEST * top, min(top, self.left / NEAR_S))
        speed = math.copysign(speed, self.request.amount)
        if self.request.kind == 'turn':
            return 0.0, speed
        return speed, speed / self.request.radius_m if self.request.kind == 'arc' else 0.0

    def _add(self, before: Odometry, pose: Odometry, passed: float) -> None:
        dx, dy = pose.x - before.x, pose.y - before.y
        turned = math.remainder(pose.yaw - before.yaw, math.tau)
        heading = before.yaw + turned / 2.0
        ahead = dx * math.cos(heading) + dy * math.sin(heading)
        if (
            math.hypot(dx, dy) > JUMP_M + 2.0 * self._linear * passed
            or abs(turned) > JUMP_RAD + 2.0 * self._angular * passed
        ):
            self.fault = 'the odometry has jumped, so it is not known how far the base came'
            return
        self.distance_m += ahead
        self.angle_rad += turned
