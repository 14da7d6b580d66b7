"""An action gate on the wire: the action's status, its cancel service, and what shows a motion."""

from __future__ import annotations

import math
import time
from typing import Any

from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data

from gates.action_gate import ActionGate
from gates.ros.checks import value_at
from gates.ros.gate_port import GatePort
from gates.ros.goals_at_server import GoalsAtServer
from rover_common.beat_filter import Uncounted
from rover_common.config.settings import ActionGateSettings
from rover_common.config.settings.gates import MovingField
from rover_common.permit import Beat
from rover_common.reason import Reason
from rover_common.ros.interfaces import interface_class
from rover_common.ros.names import relative


class ActionPort(GatePort[ActionGate]):
    """Cancels the executive's goals that nothing permits any more."""

    def __init__(self, node: Node, name: str, settings: ActionGateSettings) -> None:
        moving = settings.moving if isinstance(settings.moving, MovingField) else None
        max_age_s = moving.max_age_s if moving else None
        super().__init__(name, ActionGate(name, settings.deadman_s, max_age_s))
        if moving is not None:
            self._field = moving.field
            node.create_subscription(
                interface_class(moving.type),
                relative(moving.topic),
                self._measured,
                qos_profile_sensor_data,
            )
        self._goals = GoalsAtServer(node, settings.action, self.gate.goals)

    def receive(self, beat: Beat, system_time: float, now: float) -> Reason[Uncounted] | None:
        """Takes a heartbeat; a reason if it does not count."""
        reason = self.gate.receive(beat, system_time, now)
        self.act(now)
        return reason

    def stop(self, reason: str, now: float) -> None:
        """Somebody asks for a stop."""
        self.gate.stop(reason)
        self.act(now)

    def watch(self, now: float) -> None:
        """Ends what is not known any more; a timer calls it often."""
        self.gate.update(now)
        self.act(now)

    def act(self, now: float) -> None:
        """Cancels what may not go on."""
        self._goals.cancel_all_but(self.gate.held_goal(now), now)

    def moving(self, now: float) -> bool | None:
        """Whether it moves; None if that is not known."""
        return self.gate.moving(now)

    def why_unknown(self, now: float) -> str:
        """Return why it is not known whether it moves, as the end of a sentence."""
        return self.gate.why_unknown(now)

    def _measured(self, message: Any) -> None:
        value = value_at(message, self._field)
        if math.isfinite(value):
            self.gate.measure(bool(value), time.monotonic())

    def end(self) -> None:
        """The process ends: no goal of the executive may go on unwatched."""
        self.stop('the gates end', time.monotonic())
