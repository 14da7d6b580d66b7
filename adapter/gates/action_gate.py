"""The gate of what moves while an action's goal is under way, such as an arm. Pure.

A goal goes from the executive straight to the action's server, so the gate cannot hold it back. It
can end it: it cancels each goal that a heartbeat named and none permits any more, until the server
reports that the goal has ended. Times in s of a steady clock.
"""

from __future__ import annotations

import math

from gates.gates_status import EXECUTIVE_SILENT, WITHDRAWN, GateEnding
from gates.goals_to_cancel import OwnGoals
from gates.permit_rules import HeartbeatTimeout, PermitRules
from rover_common.message_order import HeartbeatFilter, Uncounted
from rover_common.permit import EndingCode, Heartbeat
from rover_common.reason import Reason

# For so long after a goal, a measurement from before its end shows no standstill. Then it counts
# again: a topic may be silent while nothing changes (docs/decisions/0132).
MAY_BE_SILENT_S = 2.0


class ActionGate:
    """Lets goals go on by the permit rules.

    Args:
        name: Of the gate.
        limit_s: How old a heartbeat may be.
        max_age_s: How old a measurement of motion may be; None: there is none, and it counts as
            moving while a goal of the executive has not ended.

    Attributes:
        goals: Those that heartbeats named.
        ending: Of the last motion; None before the first.
    """

    def __init__(self, name: str, limit_s: float, max_age_s: float | None = None) -> None:
        self._rules = PermitRules(
            HeartbeatFilter[Heartbeat](limit_s, 'heartbeat'), HeartbeatTimeout(limit_s), name
        )
        self._max_age_s = max_age_s
        self.goals = OwnGoals()
        self._moves, self._measured_at, self._invalid_reason = True, -math.inf, ''
        self._not_ended_at = -math.inf  # when a goal was last not known to have ended
        self.ending: GateEnding | None = None

    @property
    def heartbeat(self) -> Heartbeat:
        """The latest heartbeat that counted."""
        return self._rules.heartbeat

    def is_silent(self, now: float) -> bool:
        """Return whether no heartbeat is young any more."""
        return self._rules.is_silent(now)

    def receive(
        self, heartbeat: Heartbeat, system_time: float, now: float
    ) -> Reason[Uncounted] | None:
        """Takes a heartbeat that is read at a system time in s; returns why it does not count."""
        self.update(now)  # a heartbeat that comes after a silence permits nothing again
        reason = self._rules.receive(heartbeat, system_time, now)
        if reason:
            return reason
        if self._rules.is_withdrawn:
            self._end(EndingCode.WITHDRAWN, WITHDRAWN)
        if self._rules.permit.goal:
            self.goals.add(self._rules.permit.goal, now)
            self._note_goals(now)
        if not self._rules.is_held and self._rules.may_go_on(now):
            self._rules.begin()
        return None

    def update(self, now: float) -> None:
        """Ends a motion whose executive has fallen silent; a timer calls it often."""
        self._note_goals(now)
        if self._rules.is_silent(now):
            self._end(EndingCode.GAP, EXECUTIVE_SILENT)

    def stop(self, reason: str) -> None:
        """Ends the motion on request; nothing goes on until there is another permit."""
        self._rules.close()
        self._end(EndingCode.STOP_CALLED, reason)

    def measure(self, moves: bool, now: float) -> None:
        """Takes a measurement of that time of whether it moves."""
        self._moves, self._measured_at, self._invalid_reason = moves, now, ''

    def invalidate(self, why: str) -> None:
        """Takes the reason for which nothing measures any more whether it moves."""
        self._measured_at, self._invalid_reason = -math.inf, why

    def held_goal(self, now: float) -> str:
        """Return the goal that may be under way now, in hex; empty: none."""
        return self._rules.held_goal(now)

    def moving(self, now: float) -> bool | None:
        """Return whether it moves or is about to; None if that is not known."""
        by_goals = self.goals.moving
        if self._max_age_s is None or by_goals:
            return by_goals
        if now - self._measured_at > self._max_age_s:
            return None
        if self._moves:
            return True
        return None if by_goals is None or self._is_of_before(now) else False

    def why_unknown(self, now: float) -> str:
        """Return why it is not known whether it moves, as the end of a sentence."""
        if self._max_age_s is not None and now - self._measured_at > self._max_age_s:
            seen = f'no message for {self._max_age_s:g} s says whether it moves'
            return self._invalid_reason or seen
        if self.goals.moving is False and self._is_of_before(now):
            return 'no message from after the end of its goal says whether it moves'
        return 'the server of its action has not reported the result of a goal'

    def _note_goals(self, now: float) -> None:
        if self.goals.moving is not False:
            self._not_ended_at = now

    def _is_of_before(self, now: float) -> bool:
        """Whether the latest measurement is from before the end of a goal that has just ended."""
        has_just_ended = now - self._not_ended_at <= MAY_BE_SILENT_S
        return has_just_ended and self._measured_at < self._not_ended_at

    def _end(self, code: EndingCode, reason: str) -> None:
        if self._rules.is_held:
            self.ending = GateEnding(self._rules.holder, code, reason, stood=False)
            self._rules.end()
