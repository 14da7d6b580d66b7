"""The common part of all gates on ROS, and the executive's goals at one action's server."""

from __future__ import annotations

import time
from typing import Generic, TypeVar
import uuid

from action_msgs.msg import GoalStatus, GoalStatusArray
from action_msgs.srv import CancelGoal
from rclpy.node import Node
from rclpy.task import Future

from gates.action_gate import ActionGate
from gates.gates_status import GateEnding
from gates.goals_to_cancel import OwnGoals
from gates.velocity_gate import VelocityGate
from rover_common.config.settings import Config
from rover_common.config.settings.state_and_guards import TopicField, steps_of
from rover_common.errors import ConfigError
from rover_common.permit import Heartbeat
from rover_common.ros.bounded_calls import BoundedFutures
from rover_common.ros.interface_classes_and_fields import interface_class
from rover_common.ros.qos import LATCHED

Gate = TypeVar('Gate', ActionGate, VelocityGate)


class GatePort(Generic[Gate]):
    """A gate and its name.

    Args:
        name: Of the gate in robot.yaml.
        gate: Its rules.
    """

    def __init__(self, name: str, gate: Gate) -> None:
        self.name = name
        self.gate: Gate = gate

    @property
    def heartbeat(self) -> Heartbeat:
        """The latest heartbeat that counted."""
        return self.gate.heartbeat

    @property
    def ending(self) -> GateEnding | None:
        """How the last motion ended; None before the first."""
        return self.gate.ending

    def is_silent(self, now: float) -> bool:
        """Return whether no heartbeat is young any more."""
        return self.gate.is_silent(now)


def check_gates(config: Config) -> None:
    """Raises ConfigError if the type of the topic that shows motion has no such field."""
    for name in config.robot.gates:
        moving = config.robot.moving_field(name)
        if moving is not None and moving.type is not None:
            _check_moving(f'robot.yaml: gates.{name}.moving', moving, moving.type)


def _check_moving(key: str, moving: TopicField, type_name: str) -> None:
    try:
        fields = interface_class(type_name).get_fields_and_field_types()
    except LookupError as error:
        raise ConfigError(f'{key}: {error.args[0]}.') from None
    first = steps_of(moving.field)[0][0]
    if first not in fields:
        raise ConfigError(
            f'{key}: {type_name} has no field {first!r}, only {", ".join(fields):.200}.'
        )


_OPEN = frozenset(
    {GoalStatus.STATUS_ACCEPTED, GoalStatus.STATUS_EXECUTING, GoalStatus.STATUS_CANCELING}
)


class GoalsAtServer:
    """Reads the status topic of an action, and sends cancel requests for single goals.

    Args:
        node: Owns the subscription and the client.
        action: Its name in robot.yaml.
        goals: The goals at it.
    """

    def __init__(self, node: Node, action: str, goals: OwnGoals) -> None:
        self.goals = goals
        self._answers = BoundedFutures()
        self._cancel = node.create_client(CancelGoal, f'{action}/_action/cancel_goal')
        self._node, self._topic = node, f'{action}/_action/status'
        node.create_subscription(GoalStatusArray, self._topic, self._on_status, LATCHED)

    def cancel_all_but(self, held: str, now: float) -> None:
        """Cancels what a heartbeat named and none permits any more. `now`: steady, s."""
        if not self._cancel.service_is_ready():
            return
        for goal in self.goals.to_cancel(held, now):
            request = CancelGoal.Request()
            request.goal_info.goal_id.uuid = list(uuid.UUID(hex=goal).bytes)
            answer = self._answers.add(self._cancel.call_async(request))
            answer.add_done_callback(lambda done, goal=goal: self._answered(goal, done))

    def _on_status(self, message: GoalStatusArray) -> None:
        self.goals.update_status(
            {
                bytes(each.goal_info.goal_id.uuid.tolist()).hex(): each.status in _OPEN
                for each in message.status_list
            },
            alone=self._node.count_publishers(self._topic) < 2,
        )

    def _answered(self, goal: str, future: Future) -> None:
        code = None if future.cancelled() else future.result().return_code
        if code == CancelGoal.Response.ERROR_GOAL_TERMINATED:
            self.goals.note_ended(goal)
        elif code == CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID:
            self.goals.note_unknown(goal, time.monotonic())
