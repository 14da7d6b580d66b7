"""Drives to a place: plans a way, drives it motion by motion, and plans again where it must.

The rover stands still between two motions. So every motion begins where the rover really is,
under every guard of the adapter, and the answer to `move_stop` is proof that the last one ended.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
import math

from curiosity_adapter.base import Base
from curiosity_adapter.causes import Cause
from curiosity_adapter.condition_waiter import Waits
from curiosity_adapter.motion_monitor import PoseWatch
from curiosity_adapter.navigation.arcs import SIDES, Gait, Segment, total_length
from curiosity_adapter.navigation.follower import Follower
from curiosity_adapter.navigation.lookout import Lookout
from curiosity_adapter.navigation.planner import Goal, NoWay, Plan, next_way
from curiosity_adapter.navigation.trip import End, EndCode, Outcome, Trip
from rover_common.config.settings import Config
from rover_common.geometry.pose2d import Pose2D
from rover_common.reason import Reason

JOURNEY = 'navigate_to_pose'
# Points of the way ahead; an arc is off its chord by a centimetre.
SAMPLE_M = 0.75
# Share of motion.longest_s that one motion of a journey takes at most.
PART_OF_LONGEST = 0.8
SETTLE_S = 2.0
# A command and what comes of it need so long to be told, however fast simulated time passes.
NEWS_S = 2.0
# Share of navigation.tolerance_m within which the rover may stop as it passes by: it rolls on.
PASSING_SHARE = 0.7


@dataclass(frozen=True)
class Progress:
    """What is left of the way: m and s of the rover's time."""

    distance_left: float
    time_left: float


class Navigator:
    """One goal at a time. Everything but the planning runs in the adapter's thread.

    Args:
        config: The whole configuration.
        base: Starts and stops motions.
        poses: Where the rover is.
        lookout: What is around it.
        waits: Where to wait.
        planning: Where plans are made; it must not keep the adapter's thread.
        rover_time: The rover's time in s.
        clock: Steady time in s.
        on_change: Called when there is a new plan, before the rover is asked to move for it, and
            when the goal is over.
    """

    def __init__(
        self,
        config: Config,
        base: Base,
        poses: PoseWatch,
        lookout: Lookout,
        waits: Waits,
        planning: Executor,
        rover_time: Callable[[], float],
        clock: Callable[[], float],
        on_change: Callable[[], None],
    ) -> None:
        self._settings = config.curiosity.navigation
        self._longest_s = PART_OF_LONGEST * config.curiosity.motion.longest_s
        self._max_tilt_rad = config.curiosity.motion.max_tilt_rad
        self._gait = Gait.of(self._settings)
        self._base = base
        self._poses = poses
        self._lookout = lookout
        self._waits = waits
        self._rover_time = rover_time
        self._clock = clock
        self._planning = planning
        self._on_change = on_change
        self._trip: Trip | None = None

    @property
    def progress(self) -> Progress | None:
        """What is left of the way; None while there is no plan."""
        trip = self._trip
        if trip is None or not trip.planned:
            return None
        ahead = trip.ahead
        return Progress(total_length(ahead), self._gait.seconds(ahead))

    @property
    def places(self) -> tuple[Pose2D, ...]:
        """Where the way that was planned last leads, from its begin; empty between goals."""
        return self._trip.places if self._trip else ()

    async def run(self, goal: Goal, cancelled: Callable[[], bool]) -> Outcome:
        """Drives to the goal; returns when the rover has stopped, or does not confirm its stop."""
        reason = self._rejection(goal) or await self._base.begin_journey(JOURNEY)
        if reason:
            return self._outcome(goal, End(EndCode.REJECTED, reason.sentence))
        self._trip = Trip(goal, cancelled)
        try:
            reason = await self._unready(goal)
            end = (
                End(EndCode.REJECTED, reason.sentence)
                if reason
                else await self._travel(self._trip)
            )
        finally:
            unconfirmed = None if self._base.at_rest else await self._base.pause()
            self._trip = None
            self._base.end_journey()
            self._on_change()
        if unconfirmed and unconfirmed != end.unstopped:
            said = f'{end.message}, but the stop was not confirmed: {unconfirmed.sentence}'
            code = EndCode.STOPPED if end.code is EndCode.ARRIVED else end.code
            end = End(code, said)
        return self._outcome(goal, end)

    def _rejection(self, goal: Goal) -> Reason[Cause] | None:
        heading = 0.0 if goal.heading is None else goal.heading
        if not all(math.isfinite(each) for each in (goal.x, goal.y, heading)):
            said = f'The goal is not a place: x {goal.x}, y {goal.y}, heading {heading}'
            return Reason(Cause.GOAL_NOT_USABLE, said)
        if abs(heading) > math.tau:
            said = f'The heading {heading:g} is not within [-2 pi, 2 pi] rad'
            return Reason(Cause.GOAL_NOT_USABLE, said)
        refusals = [self._base.hindrance(motion) for motion in SIDES]
        return refusals[0] if all(refusals) else None

    async def _unready(self, goal: Goal) -> Reason[Cause] | None:
        """Why the rover cannot know where to drive; None if it can. Waits for news a little."""
        await self._waits.until(
            lambda: self._here() is not None and not self._lookout.refusal(), SETTLE_S
        )
        here = self._here()
        if here is None:
            return Reason(
                Cause.POSITION_UNKNOWN, 'The position is not known: no transform has come lately'
            )
        if here.distance(goal.x, goal.y) > self._settings.farthest_m:
            return Reason(
                Cause.GOAL_TOO_FAR,
                f'The goal is {here.distance(goal.x, goal.y):.1f} m away, more than '
                f'{self._settings.farthest_m:g} m (navigation.farthest_m)',
            )
        reason = self._lookout.refusal()
        return reason and reason.prefixed('The surroundings are not known')

    async def _travel(self, trip: Trip) -> End:
        while True:
            await self._waits.until(self._stands_still, SETTLE_S)
            here = self._here()
            end = self._interruption(trip)
            if end or here is None:
                return end or End(EndCode.STOPPED, 'The position is not known any more')
            distance, off = trip.goal.misses(here)
            if (
                distance <= self._settings.tolerance_m
                and off <= self._settings.heading_tolerance_rad
            ):
                return End(EndCode.ARRIVED, f'Arrived, {distance:.2f} m from the goal')
            end = await self._plan(trip, here) or await self._drive(trip)
            if end:
                return end

    async def _plan(self, trip: Trip, here: Pose2D) -> End | None:
        began = self._rover_time()
        survey = self._lookout.survey()
        job = self._planning.submit(next_way, here, trip.goal, trip.way, survey, self._gait)
        await self._waits.until(
            lambda: job.done() or self._interruption(trip) is not None, math.inf
        )
        end = self._interruption(trip)
        if end:
            job.cancel()
            return end
        found = job.result()
        if isinstance(found, NoWay):
            rejected = found.at_goal and not trip.planned
            return End(EndCode.REJECTED if rejected else EndCode.BLOCKED, found.reason)
        self._take_plan(trip, found, here, began)
        return None

    def _take_plan(self, trip: Trip, plan: Plan, here: Pose2D, began: float) -> None:
        trip.way = plan.segments
        trip.places = tuple(self._gait.places(here, plan.segments, SAMPLE_M))
        now = self._rover_time()
        if trip.planned:
            trip.deadline += now - began
        else:
            limits = self._settings
            trip.planned = True
            trip.deadline = now + limits.timeout_factor * plan.seconds + limits.timeout_slack_s
        self._on_change()

    async def _drive(self, trip: Trip) -> End | None:
        """Drives the first motion of the way, and leaves in the trip what is still to drive."""
        segment, rest = trip.way[0], trip.way[1:]
        here = self._here()
        if here is None:
            return End(EndCode.STOPPED, 'The position is not known any more')
        trip.begin(
            Follower(segment, here, self._gait), rest, self._rover_time(), self._poses.jumps
        )
        reason = await self._base.start(segment.motion, JOURNEY, lambda: self._hindrance(trip))
        if reason:
            return self._interruption(trip) or End(EndCode.STOPPED, reason.sentence)
        trip.progressed_at = self._rover_time(), self._clock()
        await self._waits.until(lambda: self._motion_over(trip), math.inf)
        end = self._interruption(trip) or self._stuck(trip)
        trip.end_motion(self._rolls_on(segment))
        reason = await self._base.pause()
        return end or (End(EndCode.STOPPED, reason.sentence, reason) if reason else None)

    def _motion_over(self, trip: Trip) -> bool:
        follower, here = trip.follower, self._here()
        if follower is None or here is None or self._poses.jumps != trip.jumps:
            trip.off_way = True
            return True
        follower.take(here)
        trip.note_progress(follower.progress, self._rover_time(), self._clock())
        if follower.left <= self._rolls_on(follower.segment) or self._passes_by(trip, here):
            return True
        if self._rover_time() - trip.motion_began_at > self._longest_s:
            return True
        trip.off_way = follower.deviation > self._settings.deviation_m or self._obstructed(trip)
        return trip.off_way or bool(self._interruption(trip) or self._stuck(trip))

    def _passes_by(self, trip: Trip, here: Pose2D) -> bool:
        """Whether the way leads past the goal so near that there is no need to come again."""
        limits = self._settings
        return trip.passes_by(
            here, PASSING_SHARE * limits.tolerance_m, limits.heading_tolerance_rad
        )

    def _rolls_on(self, segment: Segment) -> float:
        """How far the rover comes after a stop was asked for."""
        return self._gait.speed(segment.motion) * self._settings.stop_lead_s

    def _obstructed(self, trip: Trip) -> bool:
        """Whether news of scans and zones show something on the rest of the way."""
        follower, news = trip.follower, self._lookout.news
        if follower is None or news == trip.news:
            return False
        trip.news = news
        rest = self._gait.places(follower.place, trip.ahead, SAMPLE_M)
        return self._lookout.obstruction(rest) is not None

    def _stuck(self, trip: Trip) -> End | None:
        since, since_steady = trip.progressed_at
        if self._rover_time() - since <= self._settings.stuck_s:
            return None
        if self._clock() - since_steady <= NEWS_S:
            return None
        return End(
            EndCode.BLOCKED,
            f'The rover has not moved for {self._settings.stuck_s:g} s although it was told to: '
            'something holds it, or its wheels slip',
        )

    def _interruption(self, trip: Trip) -> End | None:
        if trip.cancelled():
            return End(EndCode.CANCELLED, 'The goal was cancelled')
        if self._base.ended_by:
            latest = self._poses.latest
            leans = latest is not None and latest.tilt > self._max_tilt_rad
            return End(EndCode.BLOCKED if leans else EndCode.STOPPED, self._base.ended_by.sentence)
        if self._rover_time() > trip.deadline:
            return End(EndCode.TIMED_OUT, 'The drive took much longer than planned')
        if self._poses.pose(self._clock()) is None:
            return End(EndCode.STOPPED, 'The position is not known any more: no transform comes')
        reason = self._lookout.refusal()
        if reason is None:
            return None
        lost = reason.prefixed('The surroundings are not known any more')
        return End(EndCode.STOPPED, lost.sentence)

    def _hindrance(self, trip: Trip) -> Reason[Cause] | None:
        end = self._interruption(trip)
        return Reason(Cause.JOURNEY_INTERRUPTED, end.message) if end else None

    def _here(self) -> Pose2D | None:
        pose = self._poses.pose(self._clock())
        return Pose2D(pose.x, pose.y, pose.yaw) if pose else None

    def _stands_still(self) -> bool:
        """Whether it is known that it does."""
        return self._here() is not None and not self._poses.rolls(self._clock())

    def _outcome(self, goal: Goal, end: End) -> Outcome:
        here = self._here()
        known = here is not None and math.isfinite(goal.x) and math.isfinite(goal.y)
        distance = here.distance(goal.x, goal.y) if here and known else -1.0
        return Outcome(end.code, end.message, distance)
