"""A node that is started again when it dies, as the console's supervisor does it."""

from __future__ import annotations

from collections.abc import Callable
import time

from launch import Action, LaunchContext
from launch.actions import LogInfo, TimerAction
from launch.events.process import ProcessExited
from launch_ros.actions import Node

from bt_executive.launching.restarts import MOST_DEATHS, WINDOW_S, Restarts

MakeNode = Callable[[Callable[[ProcessExited, LaunchContext], list[Action]], bool], Node]


class RespawningNode:
    """Starts a node, and again when it ends unasked: later each time, by `Restarts`.

    (`respawn` of launch knows no exit codes: a node that cannot use its options would be started
    again and again.)

    Args:
        name: Of the node, for what is said.
        make: Makes the action, with the given `on_exit`; each action runs once. The second
            argument says whether it is the first one.
    """

    def __init__(
        self, name: str, make: MakeNode, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._name = name
        self._make = make
        self._clock = clock
        self._restarts = Restarts()
        self._is_first = True

    def start(self) -> Node:
        """The action that starts it."""
        is_first, self._is_first = self._is_first, False
        return self._make(self._ended, is_first)

    def _ended(self, event: ProcessExited, context: LaunchContext) -> list[Action]:
        if context.is_shutdown:
            return []
        delay = self._restarts.delay_after_death(event.returncode, self._clock())
        if delay is None:
            why = 'cannot be started so (its last output says why) and is not started again'
            return [LogInfo(msg=f'{self._name} {why}')]
        often = f'died more than {MOST_DEATHS} times in a minute and ' * (delay >= WINDOW_S)
        again = TimerAction(period=delay, actions=[self.start()])
        return [LogInfo(msg=f'{self._name} {often}is started again in {delay:.1f} s'), again]
