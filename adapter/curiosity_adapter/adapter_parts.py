"""The adapter's parts, connected; nothing here knows ROS."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from curiosity_adapter.base_motions import Base
from curiosity_adapter.base_or_mast_exclusivity import Exclusivity
from curiosity_adapter.mast_control import MastControl
from curiosity_adapter.motion_guards import Limits, MotionGuards
from curiosity_adapter.permit_and_deadman import Deadman, Permission
from curiosity_adapter.rover_services import RoverClient
from curiosity_adapter.setpoint_motions import NavigationGoals
from curiosity_adapter.standstill_by_tf_and_odometry import StandstillMonitor
from curiosity_adapter.start_and_stop_requests import MotionRequests
from curiosity_adapter.status_report import Measurements, RoverStatus, run_id
from rover_common.clocks import Clocks
from rover_common.condition_waiter import ConditionWaiter
from rover_common.config.settings import Config
from rover_common.geometry.keep_out import KeepOut
from rover_common.geometry.transforms import Transform
from rover_common.message_order import HeartbeatFilter, Uncounted
from rover_common.permit import Heartbeat
from rover_common.reason import Reason
from rover_common.setpoint import Setpoint


class AdapterParts:
    """The parts of the adapter that decide.

    Args:
        config: The whole configuration.
        rover: The rover's services.
        waiter: Awaits conditions.
        spawn: Runs a coroutine beside the others.
        clocks: Reads the clocks.
        on_change: Called after an answer of the rover changed something.
        on_halt: Called with a sentence when a motion must end although nobody requested it.
    """

    def __init__(
        self,
        config: Config,
        rover: RoverClient,
        waiter: ConditionWaiter,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        clocks: Clocks,
        on_change: Callable[[], None],
        on_halt: Callable[[str], None],
    ) -> None:
        settings = config.curiosity
        self._clocks, clock = clocks, clocks.steady

        def rover_time() -> float:
            return clocks().robot

        self._variant = config.executive.variant
        self._clock = clock
        self.poses = StandstillMonitor(settings.motion, config.executive.use_sim_time)
        self.keep_out = KeepOut(config.executive.keep_out)
        self.exclusivity = Exclusivity(self._variant)
        self.deadman = Deadman(settings.deadman.timeout_s, settings.deadman.manual_mode)
        self._heartbeats = HeartbeatFilter[Heartbeat](settings.deadman.timeout_s, 'heartbeat')
        self.permission = Permission(self._heartbeats, self.deadman)
        self.limits = Limits(
            settings.motion, settings.navigation, self.poses, self.keep_out, clock, rover_time
        )
        guards = MotionGuards(self.exclusivity, self.permission, self.limits, clock)
        self.base = Base(
            MotionRequests(rover, guards, settings.motion, clock, on_change),
            guards,
            waiter,
            on_halt,
        )
        self.mast = MastControl(
            rover, self.exclusivity, waiter, settings.mast, clocks, on_change=on_change
        )
        timeout_s = settings.deadman.timeout_s
        self.navigation_goals = NavigationGoals(
            self.base, timeout_s, run_id(), clock, spawn, on_change
        )

    def watch(self, pose: Transform | None) -> None:
        """Updates all parts with the latest pose; called after time has passed or a change."""
        self.poses.update(pose, self._clocks())
        now = self._clock()
        self.exclusivity.rolls, self.exclusivity.doubt = (
            self.poses.rolls(now),
            self.poses.doubt(now),
        )
        self.mast.watch()
        self.base.watch(self.poses.moves(now), self.poses.moves_now(now) is False)
        self.navigation_goals.watch()
        self.exclusivity.stop_owed = self.base.stop_owed

    def update_odometry(self, pose: Transform) -> None:
        """Takes a pose by odometry, in the frame of the odometry."""
        self.poses.update_odometry(pose, self._clocks())

    def invalidate_odometry(self, why: str) -> None:
        """Ignores odometry while there is a reason; an empty one ends that."""
        self.poses.invalidate_odometry(why)

    def update(self) -> None:
        """Detects pauses of the adapter itself; a timer calls it often, before `watch`."""
        self.deadman.update(self._clock())
        self.navigation_goals.update()

    def receive_heartbeat(
        self, heartbeat: Heartbeat, system_time: float
    ) -> Reason[Uncounted] | None:
        """Takes a heartbeat that is read at a system time in s; a reason if it does not count."""
        return self.permission.receive(heartbeat, system_time, self._clock())

    def receive_setpoint(self, setpoint: Setpoint, system_time: float) -> Reason[Uncounted] | None:
        """Takes a setpoint that is read at a system time in s; a reason if it does not count."""
        return self.navigation_goals.receive(setpoint, system_time)

    def status(self, last_error: str | None, last_refusal: str | None) -> RoverStatus:
        """Return the status, which changes by events."""
        exclusivity = self.exclusivity
        return RoverStatus(
            variant=self._variant,
            mast_is_open=exclusivity.mast_is_open,
            mast=None if self._variant == 'A' else exclusivity.mast,
            mast_command=exclusivity.mast_command,
            mast_moves=self.mast.moves,
            move_allowed=exclusivity.move_allowed,
            moving=exclusivity.moving,
            motion=exclusivity.navigation_goal or exclusivity.motion,
            at_rest=self.base.stands,
            standing_unknown=None if self.base.stands is not None else self.base.doubt,
            permit=self.permission.permit,
            ending=self.base.last_ending,
            navigation_goal=self.navigation_goals.report,
            deadman=self.deadman.state(self._clock()),
            manual_mode=self.deadman.manual,
            last_error_reason=last_error,
            last_refusal=last_refusal,
        )

    def measurements(self) -> Measurements:
        """Return the measurements, which change all the time."""
        return Measurements(
            heartbeat=self._heartbeats.latest,
            pose=self.poses.latest,
            pose_age_s=self.poses.age(self._clock()),
            battery_pct=self.limits.battery_pct,
            joints=self.mast.joints,
            heartbeat_age_s=self.deadman.age(self._clock()),
            limits=self.limits.as_dict(),
            setpoint=self.navigation_goals.latest,
        )


ANY_MOTION = 'move_forward'
