"""Navigation goals: motions that a navigator requests by repeated setpoints, under one permission.

A navigation goal and each of its motions begin at most once, by their numbers, and only while
young setpoints in order name them. They end at the first setpoint that does not, when setpoints
stop arriving, and for every reason that ends other motions; the adapter never begins them again.
docs/decisions/0029-navigation-is-a-process.md.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
import math
from typing import Any

from curiosity_adapter.adapter_error_codes import Cause
from curiosity_adapter.base_motions import MOTIONS, Base
from gates.permit_rules import HeartbeatTimeout
from rover_common.adapter_status import NavigationReport
from rover_common.message_order import (
    HeartbeatFilter,
    RunNumber,
    Uncounted,
    UsedNumbers,
    steady_time_of,
)
from rover_common.permit import NO_PERMIT_ID
from rover_common.reason import Reason, sentence_of
from rover_common.setpoint import NAVIGATE, Setpoint, Stage

GIVEN_UP = Reason(Cause.SETPOINT_WITHDRAWN, 'the navigator does not want it any more')


class NavigationGoals:
    """Follows the setpoints; one navigation goal at a time. Everything here runs in one thread.

    Args:
        base: Starts and stops motions.
        timeout_s: Silence of the navigator after which its navigation goal ends.
        run_id: Of this adapter; setpoints for another one begin nothing.
        clock: Steady time in s.
        spawn: Runs a coroutine beside the others.
        on_change: Called when a navigation goal or a motion was begun or refused.
    """

    def __init__(
        self,
        base: Base,
        timeout_s: float,
        run_id: str,
        clock: Callable[[], float],
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        on_change: Callable[[], None],
    ) -> None:
        self._base = base
        self._run_id = run_id
        self._clock = clock
        self._spawn = spawn
        self._on_change = on_change
        self._setpoints = HeartbeatFilter[Setpoint](timeout_s, 'setpoint')
        self._setpoint_timeout = HeartbeatTimeout(timeout_s)
        self._used_goals, self._used_motions = UsedNumbers(), UsedNumbers()
        self._permit = NO_PERMIT_ID
        self._unstopped_since = math.inf
        self.report: NavigationReport | None = None

    @property
    def latest(self) -> Setpoint | None:
        """The latest setpoint that counts."""
        return self._setpoints.latest

    @property
    def is_running(self) -> bool:
        """Whether a navigation goal has begun and has not ended."""
        return self.report is not None and self.report.stage is Stage.RUNNING

    def receive(self, setpoint: Setpoint, system_time: float) -> Reason[Uncounted] | None:
        """Takes a setpoint that is read at a system time in s; returns why it does not count."""
        reason = self._setpoints.receive(setpoint, system_time)
        if not reason:
            self._setpoint_timeout.receive(steady_time_of(setpoint, system_time, self._clock()))
        return reason

    def update(self) -> None:
        """Detects pauses of the adapter itself; a timer calls it often."""
        self._setpoint_timeout.update(self._clock())

    def watch(self) -> None:
        """Ends what is not requested any more, and begins what is.

        To be called whenever time has passed or something has changed.
        """
        if self.report:
            self._watch_navigation(self.report)
            self._watch_motion(self.report)
        wanted = self._current_setpoint()
        if wanted is None:
            return
        if not (self.report and self.report.open) and self._is_new_navigation(wanted):
            self._begin_goal(wanted)
        elif self._is_new_motion(wanted):
            self._begin_motion(wanted)

    def _watch_navigation(self, report: NavigationReport) -> None:
        if not report.open:
            return
        if self._names_goal(self.latest, report.number):
            if report.stage is Stage.RUNNING and not self._base.ended_by:
                self._watch_silence()
            if report.stage is Stage.RUNNING and self._base.ended_by:
                self._end(self._base.ended_by.sentence)
        elif report.stage is Stage.RUNNING:
            self._end('')

    def _watch_silence(self) -> None:
        now = self._clock()
        if self._setpoint_timeout.ends_motion(now):
            self._base.halt(self._silent(now).prefixed(f'{NAVIGATE} was stopped'))

    def _end(self, reason: str) -> None:
        """The navigation goal is over for good; `_watch_motion` stops its motion."""
        self._notify(stage=Stage.ENDED, reason=reason)
        self._base.end_navigation()

    def _watch_motion(self, report: NavigationReport) -> None:
        stage = report.motion_stage
        if report.moves and (not report.open or not self._names_motion(report.motion)):
            self._base.call_off()
            stage = Stage.ENDING
        at_rest = self._base.at_rest and not self._base.doubt
        if at_rest and stage is Stage.ENDING:
            stage = Stage.ENDED
        if (stage, at_rest) != (report.motion_stage, report.at_rest):
            report = replace(report, motion_stage=stage, at_rest=at_rest)
        unstopped = self._unstopped(report)
        if unstopped != report.unstopped:
            report = replace(report, unstopped=unstopped)
        self.report = report

    def _unstopped(self, report: NavigationReport) -> str:
        if report.at_rest or report.moves:
            self._unstopped_since = math.inf
            return ''
        self._unstopped_since = min(self._unstopped_since, self._clock())
        if self._clock() - self._unstopped_since < self._base.wait_s:
            return ''
        return self._base.not_at_rest().sentence

    def _current_setpoint(self) -> Setpoint | None:
        """The latest setpoint, if it is young and requests something of this adapter."""
        latest = self.latest
        if latest is None or not latest.navigation_goal or latest.adapter != self._run_id:
            return None
        return None if self._setpoint_timeout.is_silent(self._clock()) else latest

    def _is_new_navigation(self, wanted: Setpoint) -> bool:
        return not self._used_goals.has(wanted.navigation_id)

    def _is_new_motion(self, wanted: Setpoint) -> bool:
        report = self.report
        return (
            report is not None
            and report.stage is Stage.RUNNING
            and self._names_goal(wanted, report.number)
            and bool(wanted.motion)
            and not self._used_motions.has(wanted.motion_id)
            and report.motion_stage in (Stage.NONE, Stage.REFUSED, Stage.ENDED)
        )

    def _begin_goal(self, wanted: Setpoint) -> None:
        self._permit = wanted.permit
        self._used_goals.use(wanted.navigation_id)
        self.report = NavigationReport(
            wanted.sender, wanted.navigation_goal, at_rest=self._base.at_rest
        )
        self._spawn(self._ask_for_navigation(wanted))

    def _begin_motion(self, wanted: Setpoint) -> None:
        self._used_motions.use(wanted.motion_id)
        self._notify(motion=wanted.number, motion_stage=Stage.ASKED, motion_reason='')
        if wanted.motion in MOTIONS:
            self._spawn(self._ask_for_motion(wanted))
        else:
            said = f'{wanted.motion[:40]!r} is no motion; those are {", ".join(MOTIONS)}'
            self._notify(motion_stage=Stage.REFUSED, motion_reason=said)

    async def _ask_for_navigation(self, wanted: Setpoint) -> None:
        def unwanted() -> Reason[Cause] | None:
            return None if self._names_goal(self.latest, wanted.navigation_goal) else GIVEN_UP

        reason = await self._base.begin_navigation(NAVIGATE, wanted.permit, unwanted)
        stage = Stage.REFUSED if reason else Stage.RUNNING
        self._notify(stage=stage, reason=sentence_of(reason))
        self._on_change()

    async def _ask_for_motion(self, wanted: Setpoint) -> None:
        reason = await self._base.start(
            wanted.motion, NAVIGATE, lambda: self._unwanted(wanted), self._not_yet
        )
        report = self.report
        asked = report is not None and report.motion_stage is Stage.ASKED
        if asked and self._is_latest(wanted):
            stage = Stage.REFUSED if reason else Stage.RUNNING
            self._notify(motion_stage=stage, motion_reason=sentence_of(reason))
        self._on_change()

    def _is_latest(self, wanted: Setpoint) -> bool:
        report = self.report
        return report is not None and report.motion_id == wanted.motion_id

    def _unwanted(self, wanted: Setpoint) -> Reason[Cause] | None:
        """Why a motion that was asked for must not begin, or must end before it is answered."""
        report = self.report
        named = report is not None and report.open and self._names_motion(wanted.number)
        if not named or not self._names_goal(self.latest, wanted.navigation_goal):
            return GIVEN_UP
        now = self._clock()
        return self._silent(now) if self._setpoint_timeout.ends_motion(now) else None

    def _not_yet(self) -> Reason[Cause] | None:
        """Why no motion may begin at this moment: nobody is known to want and to permit it."""
        now = self._clock()
        silent = self._silent(now) if self._setpoint_timeout.is_silent(now) else None
        return silent or self._base.silence_before()

    def _names_goal(self, setpoint: Setpoint | None, number: int) -> bool:
        """Whether it wants the goal of the report, under the permit with which that began."""
        return (
            setpoint is not None
            and self.report is not None
            and setpoint.navigation_id == self.report.navigation_id
            and number == self.report.number
            and setpoint.permit == self._permit
            and setpoint.adapter == self._run_id
        )

    def _names_motion(self, number: int) -> bool:
        latest = self.latest
        return (
            latest is not None
            and self.report is not None
            and latest.motion_id == RunNumber(self.report.sender, number)
            and bool(latest.motion)
        )

    def _silent(self, now: float) -> Reason[Cause]:
        age = self._setpoint_timeout.age(now) or 0.0
        return Reason(Cause.NAVIGATOR_SILENT, f'no setpoint from the navigator for {age:.1f} s')

    def _notify(self, **changes: Any) -> None:
        if self.report:
            self.report = replace(self.report, **changes)
