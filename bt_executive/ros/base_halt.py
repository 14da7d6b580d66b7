"""A standstill for a base with a gate, past the gate: for when the gate itself does not run."""

from __future__ import annotations

from rclpy.node import Node

from rover_common.config.settings import Config, VelocityGateSettings
from rover_common.ros.velocities import VelocityOut


class BaseHalt:
    """Commands velocities of zero behind each velocity gate of the robot. Any thread may call it.

    Args:
        node: The executive's.
        config: Of the robot; without gates nothing is published.
    """

    def __init__(self, node: Node, config: Config) -> None:
        frame = config.topics.tf.base_frame
        self._outs = [
            VelocityOut(node, gate.velocity, frame)
            for gate in config.robot.gates.values()
            if isinstance(gate, VelocityGateSettings)
        ]

    def __call__(self) -> None:
        """Publishes once on each."""
        for out in self._outs:
            out.halt()
