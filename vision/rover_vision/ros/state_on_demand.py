"""The executive's state (`executive/state`): subscribed only while it is needed.

A state that is late is no news: what is older than `MAX_AGE_S` counts as not known.
"""

from __future__ import annotations

from collections.abc import Callable
import time
from typing import Any

from bt_executive_interfaces.msg import ExecutiveState
from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.subscription import Subscription

from rover_common.json_values import read_json_object
from rover_common.ros.qos import LATCHED
from rover_vision.place_of_look import POSE_MAX_AGE_S, Place, Sight, place_of
from rover_vision.watch.watch_schedule import Quiet

MAX_AGE_S = 5.0
WAIT_S = POSE_MAX_AGE_S  # a picture waits for the first state, for its place
Give = Callable[[Place | None], None]


class StateListener:
    """Used by the thread that serves ROS; `quiet` by any thread."""

    def __init__(self, node: Node, topic: str, group: CallbackGroup, sight: Sight) -> None:
        self._node, self._topic, self._group, self._sight = node, topic, group, sight
        self._subscription: Subscription | None = None
        self._latest: ExecutiveState | None = None
        self._arrived_at = 0.0  # steady s
        self._awaiting: list[tuple[float, float, Give]] = []  # until when (steady s), stamp

    def listen(self, wanted: bool) -> None:
        """Subscribe or unsubscribe."""
        if wanted and self._subscription is None:
            self._subscription = self._node.create_subscription(
                ExecutiveState, self._topic, self._on_state, LATCHED, callback_group=self._group
            )
        elif not wanted and self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None

    def quiet(self) -> Quiet | None:
        """Return why the watch must be silent; None: no reason."""
        state = self._young()
        if state is None:
            return Quiet.UNKNOWN
        if state.mode in (Quiet.SAFE.name, Quiet.CHARGE.name):
            return Quiet[state.mode]
        return Quiet.BUSY if state.queue_length else None

    def place_of(self, stamp_s: float, give: Give) -> None:
        """Pass the place of a picture with this ROS time in s to `give`; None: unknown.

        If there is no state, the next one is waited for, but not for long.
        """
        state = self._young()
        if state is not None:
            give(self._place_in(state, stamp_s))
        else:
            self._awaiting.append((time.monotonic() + WAIT_S, stamp_s, give))

    def give_up(self) -> None:
        """End waits after their timeout; to be called periodically."""
        now = time.monotonic()
        late = [each for each in self._awaiting if each[0] <= now]
        self._awaiting = [each for each in self._awaiting if each[0] > now]
        for _, _, give in late:
            give(None)

    def _place_in(self, state: ExecutiveState, stamp_s: float) -> Place | None:
        if state.stands != ExecutiveState.YES:
            return None
        try:
            whole = read_json_object(state.state_json)
        except ValueError:
            return None
        at, places = _part(whole, 'robot').get('pose_stamp'), _part(whole, 'world').get('places')
        return place_of((state.x, state.y, state.yaw), at, places, stamp_s, self._sight)

    def _young(self) -> ExecutiveState | None:
        return self._latest if time.monotonic() - self._arrived_at <= MAX_AGE_S else None

    def _on_state(self, message: ExecutiveState) -> None:
        self._latest, self._arrived_at = message, time.monotonic()
        awaiting, self._awaiting = self._awaiting, []
        for _, stamp_s, give in awaiting:
            self.place_of(stamp_s, give)


def _part(whole: dict[str, Any], name: str) -> dict[str, Any]:
    part = whole.get(name)
    return part if isinstance(part, dict) else {}
