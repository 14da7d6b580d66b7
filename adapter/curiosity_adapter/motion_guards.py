"""What a motion needs to begin and to continue: the base, a permission, and its limits.

The limits are its length, the rover's tilt and charge, and keep-out zones. They are checked before
a motion and repeatedly while it lasts. What the rover does not measure is not limited: a rover
without a battery topic may drive. Only zones need a known position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
import math

from curiosity_adapter.adapter_error_codes import Cause
from curiosity_adapter.base_or_mast_exclusivity import MOVE_IN_PROGRESS, Exclusivity
from curiosity_adapter.permit_and_deadman import Permission
from curiosity_adapter.standstill_by_tf_and_odometry import StandstillMonitor
from rover_common.config.settings import MotionSettings, NavigationSettings
from rover_common.geometry.keep_out import KeepOut
from rover_common.geometry.planar_motion import Pose2D, path_of_motion
from rover_common.geometry.transforms import Transform
from rover_common.permit import PermitId
from rover_common.reason import Reason
from rover_common.state_values import charge_pct

LOOK_AHEAD_S = 1.0
# Simulated time that passes more slowly than this share of real time does not bound a motion: the
# slowest that is supported is 0.5.
SLOWEST = 0.4


class Limits:
    """The limits of motion, and why one may not begin or must end.

    Args:
        motion: The limits.
        navigation: Speeds and turning circle of the rover.
        poses: Where the rover is.
        keep_out: The keep-out zones.
        clock: Steady time in s.
        rover_time: The rover's time in s, in which a motion's length is measured. Where it nearly
            stands still, steady time bounds the motion.
    """

    def __init__(
        self,
        motion: MotionSettings,
        navigation: NavigationSettings,
        poses: StandstillMonitor,
        keep_out: KeepOut,
        clock: Callable[[], float],
        rover_time: Callable[[], float],
    ) -> None:
        self._motion = motion
        self._courses = courses(navigation)
        self._poses = poses
        self._keep_out = keep_out
        self._clock = clock
        self._rover_time = rover_time
        self._began_at = self._began_steady = math.inf
        self.battery_pct: float | None = None

    def update_battery(self, percentage: float) -> None:
        """Takes the charge, see `charge_pct`.

        Raises:
            ValueError: It is none.
        """
        charge = charge_pct(percentage)
        if charge is not None:
            self.battery_pct = charge

    def motion_began(self, asked: bool = True) -> None:
        """A motion is under way from now on; `asked`: the adapter has requested it."""
        if asked:
            self._poses.expect_motion()
        self._began_at, self._began_steady = self._rover_time(), self._clock()

    def motion_ended(self) -> None:
        """The rover stands still."""
        self._began_at = self._began_steady = math.inf
        self._poses.expect_rest()

    def refusal(self, name: str) -> Reason[Cause] | None:
        """Why the motion may not begin now; None if it may."""
        reason = next(self._violations(name), None)
        return reason and reason.prefixed('No motion may begin')

    def due(self, name: str) -> Reason[Cause] | None:
        """Why the motion under way must be stopped now; None if it may go on."""
        reason = next(self._violations(name), None) or self._overlong()
        return reason and reason.prefixed(f'{name} was stopped')

    def _overlong(self) -> Reason[Cause] | None:
        longest = self._motion.longest_s
        if self._lasted_s() <= longest:
            return None
        return Reason(Cause.TOO_LONG, f'it lasted longer than {longest:g} s (motion.longest_s)')

    def _lasted_s(self) -> float:
        """How long the motion under way has lasted; below zero without one."""
        steady = self._clock() - self._began_steady
        robot = self._rover_time() - self._began_at
        return steady if robot < SLOWEST * steady else robot

    def as_dict(self) -> dict[str, float]:
        """Return the limits, for the status."""
        return {
            'longest_s': self._motion.longest_s,
            'max_tilt_rad': self._motion.max_tilt_rad,
            'battery_floor_pct': self._motion.battery_floor_pct,
            'keep_out_margin_m': self._motion.keep_out_margin_m,
            'keep_out_zones': len(self._keep_out.areas),
        }

    def _violations(self, name: str) -> Iterator[Reason[Cause]]:
        limits, pose = self._motion, self._poses.pose(self._clock())
        if pose and pose.tilt > limits.max_tilt_rad:
            yield Reason(
                Cause.TILT,
                f'the tilt is {pose.tilt:.2f} rad, the limit is {limits.max_tilt_rad:g} rad '
                '(motion.max_tilt_rad)',
            )
        if self.battery_pct is not None and self.battery_pct < limits.battery_floor_pct:
            yield Reason(
                Cause.BATTERY,
                f'the battery is at {self.battery_pct:.1f} %, the floor is '
                f'{limits.battery_floor_pct:g} % (motion.battery_floor_pct)',
            )
        if self._keep_out.areas:
            yield from self._intrusion(name, pose)

    def _intrusion(self, name: str, pose: Transform | None) -> Iterator[Reason[Cause]]:
        if pose is None:
            yield Reason(
                Cause.POSITION_UNKNOWN, 'the position is not known, and there are keep-out zones'
            )
            return
        speed, radius = self._courses.get(name, self._courses['move_forward'])
        path = path_of_motion(Pose2D(pose.x, pose.y, pose.yaw), speed, radius, LOOK_AHEAD_S)
        zone = self._keep_out.intrusion(path, self._motion.keep_out_margin_m)
        if zone:
            margin_m = self._motion.keep_out_margin_m
            yield Reason(Cause.KEEP_OUT, f'keep-out zone {zone!r} is nearer than {margin_m:g} m')


def courses(navigation: NavigationSettings) -> Mapping[str, tuple[float, float]]:
    """Speed in m/s and radius in m of each motion: left positive, right negative, 0 straight."""
    forward, turn = navigation.forward_m_s, navigation.turn_m_s
    radius = navigation.turn_radius_m
    return {
        'move_forward': (forward, 0.0),
        'turn_left': (turn, radius),
        'turn_right': (turn, -radius),
    }


UNASKED = 'unasked motion'
NOT_ASKED = Reason(
    Cause.NOT_ASKED_FOR,
    'The rover was stopped: it moves although nobody asked the adapter for it, '
    'and manual mode is off',
)


class MotionGuards:
    """The guards of every motion, evaluated together and updated together.

    Args:
        exclusivity: Base or mast, never both.
        permission: Whether an executive permits the motion, or manual mode does.
        limits: What no motion may exceed.
        clock: Steady time in s.
    """

    def __init__(
        self,
        exclusivity: Exclusivity,
        permission: Permission,
        limits: Limits,
        clock: Callable[[], float],
    ) -> None:
        self._exclusivity = exclusivity
        self._permission = permission
        self._limits = limits
        self._clock = clock

    @property
    def motion(self) -> str | None:
        """The motion under way, whoever requested it."""
        return self._exclusivity.motion

    @property
    def active(self) -> str | None:
        """The navigation goal under way, between two motions too, or the motion by itself."""
        return self._exclusivity.navigation_goal or self._exclusivity.motion

    @property
    def base_stands(self) -> bool | None:
        """Whether nothing holds the base, and the rover does not move; None: not known."""
        return self._exclusivity.base_stands

    @property
    def doubt(self) -> Reason[Cause] | None:
        """Why it is not known whether the rover stands; None if it is known."""
        return self._exclusivity.doubt

    @property
    def holder(self) -> PermitId | None:
        """The permit of what is under way; None if it has none."""
        return self._permission.holder

    @property
    def manual(self) -> bool:
        """Whether somebody drives by hand."""
        return self._permission.manual

    def hindrance(self, name: str, navigation_goal: str | None) -> Reason[Cause] | None:
        """Why the motion may not begin now, regardless of permission."""
        return self._exclusivity.motion_refusal(navigation_goal) or self._limits.refusal(name)

    def not_permitted(self, name: str, navigation_goal: str | None = None) -> Reason[Cause] | None:
        """Why the motion has no permission; one of a navigation goal needs that of the goal."""
        now = self._clock()
        if navigation_goal is None:
            return self._permission.refusal(name, now)
        return self._permission.withdrawal(navigation_goal) or self._permission.silence(
            navigation_goal, now
        )

    def still_rolling(self, navigation_goal: str | None) -> Reason[Cause] | None:
        """Why a motion must wait: the rover rolls, or that is not known.

        A navigation goal allows for a rover that rolls.
        """
        if navigation_goal is None and self._exclusivity.rolls:
            return MOVE_IN_PROGRESS
        return self._exclusivity.doubt

    def begin(self, name: str, navigation_goal: str | None) -> Reason[Cause] | None:
        """Grants the base to a motion and uses its permit up, or returns why not."""
        reason = self._exclusivity.begin_motion(name, navigation_goal)
        if not reason:
            if navigation_goal is None:
                self._permission.use()
            self._limits.motion_began()
        return reason

    def silence_before(self) -> Reason[Cause] | None:
        """Why nothing may begin now for lack of heartbeats; None if they arrive."""
        return self._permission.silence_before(self._clock())

    def navigation_not_permitted(self, name: str, named: PermitId) -> Reason[Cause] | None:
        """Why a navigation goal that was requested under this permit may not begin now."""
        return self._permission.refusal(name, self._clock(), named)

    def begin_navigation(self, name: str, named: PermitId) -> Reason[Cause] | None:
        """Grants the base to a navigation goal and uses its permit up, or returns why not."""
        reason = self.navigation_not_permitted(name, named) or self._exclusivity.begin_navigation(
            name
        )
        if not reason:
            self._permission.use()
        return reason

    def confirmed(self) -> None:
        """The rover carries the motion out."""
        self._exclusivity.motion_confirmed()

    def see(self, moves: bool) -> None:
        """Takes whether the rover is seen to move, while no stop is owed."""
        if moves and self.motion is None:
            self._exclusivity.see_motion(UNASKED)
            self._limits.motion_began(asked=False)
        elif not moves and self.motion == UNASKED:
            self.ended()

    def ended(self) -> None:
        """The rover stands still."""
        self._exclusivity.motion_ended()
        self._limits.motion_ended()
        if self._exclusivity.navigation_goal is None:
            self._permission.end()

    def end_navigation(self) -> None:
        """The navigation goal releases the base."""
        self._exclusivity.navigation_ended()
        self._permission.end()

    def withdrawal(self, active: str) -> Reason[Cause] | None:
        """Why what is under way is not permitted any more; None if it is."""
        return self._permission.withdrawal(active)

    def silence(self, active: str) -> Reason[Cause] | None:
        """Why what is under way must end for lack of heartbeats; None if it may go on."""
        return None if active == UNASKED else self._permission.silence(active, self._clock())

    def stop_reason(self) -> Reason[Cause] | None:
        """Why the motion under way must end for what is seen now; None if it may go on."""
        motion = self.motion or ''
        if motion == UNASKED and not self.manual:
            return NOT_ASKED
        return self._exclusivity.stop_reason() or self._limits.due(motion)
