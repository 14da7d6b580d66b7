"""Driving by hand as a level: a motion goes on only while somebody keeps holding it. Pure.

The adapter takes it in manual mode alone, and ends it when setpoints do not come any more: a page
that is closed, a server that is killed and a network that is gone all stop the rover by that.
"""

from __future__ import annotations

from collections.abc import Collection
import math

from rover_common.config.settings.faults import FAULT_NODES, REMOVED, nearest_faults
from rover_common.errors import UsageError
from rover_common.setpoint import Setpoint

NODES = tuple(dict.fromkeys(FAULT_NODES.values()))


def node_of(fault: str) -> str:
    """The node that has a fault.

    Raises:
        UsageError: There is no such fault; the text names the nearest ones.
    """
    if fault.startswith(REMOVED) and fault != REMOVED:
        return 'rover'  # which knows whether its world has it
    if fault not in FAULT_NODES:
        raise UsageError(f'Unknown fault {fault!r:.80}; {nearest_faults(fault)}.')
    return FAULT_NODES[fault]


def toggled(active: tuple[str, ...], fault: str, on: bool | None) -> tuple[str, ...]:
    """The faults after one was switched; `on` None: to the other position."""
    want = fault not in active if on is None else on
    rest = tuple(each for each in active if each != fault)
    return (*rest, fault) if want else rest


BEAT_S = 0.05  # how often a setpoint is repeated; far below deadman.timeout_s
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
