"""Manual driving as a level: a motion continues only while it is held. Pure.

The adapter accepts it in manual mode only and stops the rover when setpoints no longer arrive: so
a closed page, a killed server or a lost network stop it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
import math
from typing import Any

from rover_common.config.settings import Skill
from rover_common.setpoint import Setpoint

SETPOINT_PERIOD_S = 0.05  # far below deadman.timeout_s
HOLD_S = 0.35  # a motion that was not held again for so long is released
RELEASED_S = 1.0  # how long setpoints without a motion are sent after a release


class ManualDriving:
    """Makes setpoints of the motion that is held.

    Args:
        sender: Id of this sender, a new one after each start.
        motions: Those that can be held.
    """

    def __init__(self, sender: str, motions: Collection[str]) -> None:
        self._sender, self._motions = sender, motions
        self._sequence = self._navigation_goal = self._number = 0
        self._motion = self._last_motion = ''  # that is held, and of the latest setpoint
        self._held_until = self._released_until = -math.inf
        self._is_driving = False

    def hold(self, motion: str, steady: float) -> None:
        """Hold a motion for `HOLD_S`; empty or unknown: release. `steady`: steady time in s."""
        self._motion = motion if motion in self._motions else ''
        self._held_until = steady + HOLD_S if self._motion else -math.inf

    def setpoint(self, adapter: str, steady: float, system: float) -> Setpoint | None:
        """Return the setpoint to send now; None: none.

        Args:
            adapter: Id of the adapter's run, to which it is addressed.
            steady: Steady time in s.
            system: System time in s.
        """
        motion = self._motion if steady < self._held_until else ''
        if motion:
            self._start(motion)
        elif self._is_driving:
            self._is_driving, self._released_until = False, steady + RELEASED_S
        self._last_motion = motion
        if not self._is_driving and steady >= self._released_until:
            return None
        self._sequence += 1
        return Setpoint(
            self._sender,
            self._sequence,
            system,
            adapter=adapter,
            navigation_goal=self._navigation_goal if self._is_driving else 0,
            motion=motion,
            number=self._number,
        )

    def _start(self, motion: str) -> None:
        if not self._is_driving:
            self._is_driving, self._navigation_goal = True, self._navigation_goal + 1
        if motion != self._last_motion:
            self._number += 1


@dataclass(frozen=True)
class ManualMotion:
    """A motion of manual driving: the call of a tool.

    `duration_arg`: the argument for its duration in s; empty: the motion ends by itself.
    """

    tool: str
    arguments: Mapping[str, Any]
    duration_arg: str = ''

    def accepts(self, seconds: Sequence[float]) -> bool:
        """Return whether it can be called with this duration, or without one."""
        return not seconds or (bool(self.duration_arg) and len(seconds) == 1 and seconds[0] > 0.0)


def manual_motions(tools: Mapping[str, Skill]) -> dict[str, ManualMotion]:
    """Return the motions of manual driving by their keywords."""
    return {
        keyword: ManualMotion(name, arguments, skill.motion.duration_arg if skill.motion else '')
        for name, skill in tools.items()
        for keyword, arguments in skill.by_hand.items()
    }


def held_motion(tool: Skill) -> str:
    """Return a tool's motion that can be held in manual mode; empty: it has none.

    It is the key of the tool's endpoint (topics.yaml, adapter).
    """
    return str(tool.endpoint).rpartition('.')[2] if tool.motion and tool.by_hand else ''
