"""An action gate on ROS: the action's status, its cancel service, a field that shows motion."""

from __future__ import annotations

import math
import time
from typing import Any

from rclpy.node import Node

from gates.action_gate import ActionGate
from gates.ros.gate_on_ros import GatePort, GoalsAtServer
from rover_common.config.settings import ActionGateSettings
from rover_common.config.settings.state_and_guards import TopicField
from rover_common.message_order import Uncounted
from rover_common.permit import Heartbeat
from rover_common.reason import Reason
from rover_common.ros.topic_of_one_publisher import SEARCH_PERIOD_S, FollowedTopic
from rover_common.state_values import value_of


class ActionPort(GatePort[ActionGate]):
    """Cancels the executive's goals that are not permitted any more."""

    def __init__(
        self, node: Node, name: str, settings: ActionGateSettings, moving: TopicField | None
    ) -> None:
        max_age_s = moving.max_age_s if moving else None
        super().__init__(name, ActionGate(name, settings.deadman_s, max_age_s))
        self._moving, self._searched_at = moving, -math.inf
        if moving is not None:
            types = {moving.type} if moving.type else set[str]()
            self._source = FollowedTopic(node, moving.topic, types, self._measured)
        self._goals = GoalsAtServer(node, settings.action, self.gate.goals)

    def receive(
        self, heartbeat: Heartbeat, system_time: float, now: float
    ) -> Reason[Uncounted] | None:
        """Takes a heartbeat; returns why it does not count."""
        reason = self.gate.receive(heartbeat, system_time, now)
        self.act(now)
        return reason

    def stop(self, reason: str, now: float) -> None:
        """Stops on request."""
        self.gate.stop(reason)
        self.act(now)

    def watch(self, now: float) -> None:
        """Ends motions whose executive is silent; a timer calls it often."""
        if self._moving is not None and now - self._searched_at >= SEARCH_PERIOD_S:
            self._searched_at = now
            why = self._source.search()
            if why and not self._source.can_still_come:
                self.gate.invalidate(why)
        self.gate.update(now)
        self.act(now)

    def act(self, now: float) -> None:
        """Cancels goals that may not go on."""
        self._goals.cancel_all_but(self.gate.held_goal(now), now)

    def moving(self, now: float) -> bool | None:
        """Return whether it moves; None if that is not known."""
        return self.gate.moving(now)

    def why_unknown(self, now: float) -> str:
        """Return why it is not known whether it moves, as the end of a sentence."""
        return self.gate.why_unknown(now)

    def _measured(self, message: Any, at: float) -> None:
        assert self._moving is not None
        try:
            value = value_of(message, self._moving)
        except ValueError as error:
            self.gate.invalidate(str(error))
            return
        if isinstance(value, str):
            self.gate.invalidate(
                f'{self._moving.field} is the text {value!r:.60}, no number or boolean'
            )
        else:
            self.gate.measure(bool(value), at)

    def end(self) -> None:
        """Cancels the goals of the executive, since the process ends."""
        self.stop('the gates end', time.monotonic())
