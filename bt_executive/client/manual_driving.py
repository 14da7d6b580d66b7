"""Driving by hand as a level: a motion goes on only while somebody keeps holding it. Pure.

The adapter takes it in manual mode alone, and ends it when setpoints do not come any more: a page
that is closed, a server that is killed and a network that is gone all stop the rover by that.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
import math
from typing import Any

from rover_common.config.settings import Skill
from rover_common.setpoint import Setpoint

SETPOINT_PERIOD_S = 0.05  # how often a setpoint is repeated; far below deadman.timeout_s
HOLD_S = 0.35  # a motion that was not held for so long is not wanted any more
CLOSING_S = 1.0  # the adapter is told for so long that nothing is wanted


class HandDriving:
    """Makes setpoints of what is held. Times in s; `steady` and `system`: of those clocks.

    Args:
        sender: Of this driver: another text after each start.
        motions: That can be held.
    """

    def __init__(self, sender: str, motions: Collection[str]) -> None:
        self._sender, self._motions = sender, motions
        self._sequence = self._navigation_goal = self._number = 0
        self._motion = self._said = ''
        self._held_until = self._closing_until = -math.inf
        self._open = False

    def hold(self, motion: str, steady: float) -> None:
        """A motion is held for a moment longer; empty, or none that there is: let go."""
        self._motion = motion if motion in self._motions else ''
        self._held_until = steady + HOLD_S if self._motion else -math.inf

    def setpoint(self, adapter: str, steady: float, system: float) -> Setpoint | None:
        """What the adapter of that run is told now; None: nothing."""
        motion = self._motion if steady < self._held_until else ''
        if motion:
            self._begin(motion)
        elif self._open:
            self._open, self._closing_until = False, steady + CLOSING_S
        self._said = motion
        if not self._open and steady >= self._closing_until:
            return None
        self._sequence += 1
        return Setpoint(
            self._sender,
            self._sequence,
            system,
            adapter=adapter,
            navigation_goal=self._navigation_goal if self._open else 0,
            motion=motion,
            number=self._number,
        )

    def _begin(self, motion: str) -> None:
        if not self._open:
            self._open, self._navigation_goal = True, self._navigation_goal + 1
        if motion != self._said:
            self._number += 1


@dataclass(frozen=True)
class HandMotion:
    """What an operator drives by hand with: a call of a tool.

    `seconds`: the argument that says how long it lasts; empty: it ends by itself.
    """

    tool: str
    arguments: Mapping[str, Any]
    seconds: str = ''

    def takes(self, seconds: Sequence[float]) -> bool:
        """Return whether these seconds, or none, can be asked for."""
        return not seconds or (bool(self.seconds) and len(seconds) == 1 and seconds[0] > 0.0)


def motions_by_hand(tools: Mapping[str, Skill]) -> dict[str, HandMotion]:
    """Return what an operator drives by hand with, by what it is called."""
    return {
        word: HandMotion(name, arguments, skill.motion.duration_arg if skill.motion else '')
        for name, skill in tools.items()
        for word, arguments in skill.by_hand.items()
    }


def held_motion(tool: Skill) -> str:
    """Return the motion that goes on while it is held in manual mode; empty: it has none.

    It is the key of the tool's endpoint (topics.yaml, adapter).
    """
    return str(tool.endpoint).rpartition('.')[2] if tool.motion and tool.by_hand else ''
