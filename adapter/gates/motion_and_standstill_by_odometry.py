"""A gate's motion measured by odometry, and the brake until odometry shows that the base stands.

Odometry of before the latest velocity, or before the brake was applied, does not count, whenever
it arrives: until later odometry arrives it is not known whether the base moves. Some odometry
leaves its speeds at 0 and shows motion by its poses alone: once that was seen, poses have to show
the standstill, too. Pure: lengths in m, angles in rad, times in s of a steady clock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
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

    def start(self, pose: Odometry, seen_at: float, now: float) -> None:
        """Takes the pose from which it begins now, seen a moment before."""
        self._pose, self.seen_at, self._progress_at = pose, seen_at, now

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


STILL = 0.01  # m/s and rad/s
ODOMETRY_AGE_S = 1.0
WINDOW_S = 0.5  # over which poses show motion
SHIFT_M, SHIFT_RAD = 0.02, 0.02  # in that time, more than the noise of a pose at rest


class _Seen(NamedTuple):
    at: float
    pose: Odometry
    speed: float


class _Track:
    """What odometry has shown in the last `WINDOW_S`."""

    def __init__(self) -> None:
        self._seen: deque[_Seen] = deque()

    def add(self, seen: _Seen) -> None:
        """Adds the latest one."""
        self._seen.append(seen)
        while len(self._seen) > 1 and seen.at - self._seen[1].at >= WINDOW_S:
            self._seen.popleft()

    def forget(self) -> None:
        """Drops all."""
        self._seen.clear()

    def is_still(self, speed: float) -> bool:
        """Return whether each speed is up to this one."""
        return all(each.speed <= speed for each in self._seen)

    @property
    def shifts(self) -> bool:
        """Whether its poses show a motion."""
        if not self._seen:
            return False
        first, last = self._seen[0].pose, self._seen[-1].pose
        turned = math.remainder(last.yaw - first.yaw, math.tau)
        shift = math.hypot(last.x - first.x, last.y - first.y)
        return shift > SHIFT_M or abs(turned) > SHIFT_RAD

    @property
    def is_full(self) -> bool:
        """Whether it is long enough to show a standstill."""
        return bool(self._seen) and self._seen[-1].at - self._seen[0].at >= WINDOW_S


class Brake:
    """Applied until the base is seen to stand.

    It is applied from the beginning: the process that commanded the base before may have died
    while it drove.

    Args:
        max_age_s: With older odometry it is not known whether the base moves.
        still_below: With speeds up to this, in m/s and rad/s, it stands.

    Attributes:
        applied: Whether to command a standstill repeatedly.
        holds: Whether the base was seen to stand, and nothing was commanded since.
    """

    def __init__(self, max_age_s: float = ODOMETRY_AGE_S, still_below: float = STILL) -> None:
        self._max_age_s, self._still = max_age_s, still_below
        self.applied = True
        self.holds = False
        self._speed: float | None = None
        self._speed_at, self._invalid_reason = -math.inf, ''
        self._commanded_at, self._age_s = -math.inf, 0.0
        self._track = _Track()  # since the latest command to stand or to move
        self._recent = _Track()  # also across commands, which a driver sends all the time
        self._has_speeds = True  # whether they are not 0 while poses move

    def apply(self, now: float) -> None:
        """The base must stand."""
        self.applied, self.holds = True, False
        self._commanded_at = now
        self._forget()

    def release(self, now: float) -> None:
        """Another process commands the base from now on."""
        self.applied = self.holds = False
        self._commanded_at = now
        self._forget()

    def invalidate(self, why: str) -> None:
        """Ignores odometry while there is a reason; an empty one ends that."""
        self._invalid_reason = why
        if why:
            self.holds = False
            self._forget()
            self._recent.forget()

    def update_odometry(
        self, speeds: Sequence[float], pose: Odometry, now: float, age_s: float = 0.0
    ) -> bool:
        """Takes the speeds of one odometry message, in m/s and rad/s, and its pose.

        Returns whether it counts: one with a value that is not finite does not. `age_s`: how old
        it is.
        """
        if self._invalid_reason or not all(map(math.isfinite, (*speeds, *pose))):
            return False
        at = self._speed_at = now - age_s
        self._age_s = age_s
        seen = _Seen(at, pose, max(map(abs, speeds)))
        self._recent.add(seen)
        if self._recent.shifts and self._recent.is_still(self._still):
            self._has_speeds = False
        if at >= self._commanded_at:
            self._speed = seen.speed
            self._track.add(seen)
        return True

    def update(self, now: float, is_driven: bool = False) -> None:
        """Releases a base that is seen to stand, until it is seen to move without a command.

        `is_driven`: it may move by itself now, by a goal of an action.
        """
        moves = self.moves(now)
        if self.applied and moves is False:
            self.applied, self.holds = False, True
        elif self.holds and moves and not is_driven:
            self.applied, self.holds = True, False

    def moves(self, now: float) -> bool | None:
        """Return whether the base moves; None without recent odometry that is after a command."""
        if self._speed is None or not self.is_shown(now):
            return None
        if self._speed > self._still or self._has_speeds:
            return self._speed > self._still
        return self._moves_by_poses

    def is_shown(self, now: float) -> bool:
        """Return whether usable odometry arrives."""
        return not self._invalid_reason and now - self._speed_at <= self._max_age_s

    def why_unknown(self, now: float) -> str:
        """Return why it is not known whether the base moves, as the end of a sentence."""
        if self._invalid_reason:
            return f'there are {self._invalid_reason}'
        if self._age_s > self._max_age_s:
            return f'odometry is {self._age_s:.1f} s old by its stamps when it comes'
        if not self.is_shown(now):
            return f'no new odometry has come for {self._max_age_s:g} s'
        return 'no odometry has come since the latest command'

    @property
    def is_invalid(self) -> bool:
        """Whether odometry is ignored."""
        return bool(self._invalid_reason)

    @property
    def _moves_by_poses(self) -> bool | None:
        """Whether the poses of the window show a motion; None: it is too short to say."""
        if self._track.shifts:
            return True
        return False if self._track.is_full else None

    def _forget(self) -> None:
        self._speed = None
        self._track.forget()
