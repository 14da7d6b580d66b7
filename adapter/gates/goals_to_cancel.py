"""The goals of an executive at an action's server, and which of them to cancel. Pure.

Only a goal that a heartbeat named is ever cancelled: a server may have other clients. Goals are
named by the hex of their UUIDs. Times in s of a steady clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
import math

MOST_KNOWN = 64
CANCEL_AGAIN_S = 0.25
LATE_S = 2.0


class Stage(Enum):
    """The known state of a goal."""

    NAMED = auto()  # the server has not reported it
    OPEN = auto()
    ENDED = auto()  # or the server does not know it, and it cannot arrive any more


class OwnGoals:
    """The goals at one server that heartbeats named.

    Args:
        late_s: How long after a heartbeat named it a goal may arrive at the server.
    """

    def __init__(self, late_s: float = LATE_S) -> None:
        self._late_s = late_s
        self._stages: dict[str, Stage] = {}
        self._listed: Mapping[str, bool] = {}  # it may come before the heartbeat, and only once
        self._cancelled_at: dict[str, float] = {}  # goal → when it was cancelled last
        self._named_at: dict[str, float] = {}

    def add(self, goal: str, now: float) -> None:
        """Adds a goal that a heartbeat names."""
        self._named_at[goal] = now
        if goal not in self._stages:
            self._stages[goal] = _stage_in(self._listed, goal) or Stage.NAMED
        if len(self._stages) > MOST_KNOWN:
            ended = (each for each, stage in self._stages.items() if stage is Stage.ENDED)
            forgotten = next(ended, next(iter(self._stages)))
            del self._stages[forgotten], self._named_at[forgotten]

    def update_status(self, listed: Mapping[str, bool], alone: bool = True) -> None:
        """Takes the list of the server's goals: goal → whether it has not ended.

        `alone`: no other server lists goals of this action, so one that is not listed has ended.
        """
        kept = [] if alone else [each for each in self._listed if each in self._stages]
        self._listed = {**{each: self._listed[each] for each in kept}, **listed}
        for goal, stage in self._stages.items():
            listed_stage = _stage_in(listed, goal)
            if listed_stage is not None:
                self._stages[goal] = listed_stage
            elif stage is Stage.OPEN and alone:  # another process serves the action since
                self._stages[goal] = Stage.ENDED

    def note_unknown(self, goal: str, now: float) -> None:
        """Takes the answer that the server does not know the goal, or not yet."""
        is_late = now - self._named_at.get(goal, -math.inf) > self._late_s
        if is_late or self._stages.get(goal) is not Stage.NAMED:
            self._listed = {**self._listed, goal: False}  # another process had listed it
            self.note_ended(goal)

    def note_ended(self, goal: str) -> None:
        """Takes the server's answer that the goal has ended.

        A server of rcl answers so to every cancel but the first of a goal that is being cancelled:
        while its list has the goal as not ended, the list counts.
        """
        if goal in self._stages and not self._listed.get(goal):
            self._stages[goal] = Stage.ENDED
            self._cancelled_at.pop(goal, None)  # if it opens after all, it is cancelled at once

    def to_cancel(self, held: str, now: float) -> tuple[str, ...]:
        """Return the goals to cancel now, and the same ones again `CANCEL_AGAIN_S` later.

        `held`: the one that may go on; empty: none.
        """
        open_ = [goal for goal, stage in self._stages.items() if stage is not Stage.ENDED]
        cancelled_at = {
            goal: self._cancelled_at.get(goal, -math.inf) for goal in open_ if goal != held
        }
        due = tuple(goal for goal, at in cancelled_at.items() if now - at >= CANCEL_AGAIN_S)
        self._cancelled_at = cancelled_at | dict.fromkeys(due, now)
        return due

    @property
    def moving(self) -> bool | None:
        """Whether one has not ended; None if that is not known of one, and none is open."""
        stages = set(self._stages.values())
        if Stage.OPEN in stages:
            return True
        return None if Stage.NAMED in stages else False


def _stage_in(listed: Mapping[str, bool], goal: str) -> Stage | None:
    """Return the stage of a goal in a server's list; None: it is not listed."""
    if goal not in listed:
        return None
    return Stage.OPEN if listed[goal] else Stage.ENDED
