"""The ROS parameters of a tree host. The default stream follows them at once."""

from __future__ import annotations

from collections.abc import Callable
import math

from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor
from rclpy.node import Node
from rclpy.parameter import Parameter

from bt_executive.ros.tree_stream.snapshot_streams import SnapshotOptions

DEFAULT_STREAM = '~/snapshots'
ANY_SPAN = [FloatingPointRange(from_value=0.0, to_value=math.inf)]


class HostParameters:
    """Declares the parameters; calls `follow` with the state and options of the default stream."""

    def __init__(self, node: Node, follow: Callable[[bool, SnapshotOptions], None]) -> None:
        self._node = node
        self._follow = follow
        self._declare('stream', False, f'publish snapshots of the tree on {DEFAULT_STREAM}')
        self._declare('period', 2.0, 's between snapshots, inf: only on a change', ANY_SPAN)
        self._declare('blackboard_data', True, 'add the keys on the visited path')
        self._declare('blackboard_activity', False, 'add what was written to the blackboard')
        node.declare_parameter(
            'setup_timeout',
            math.inf,
            ParameterDescriptor(
                description='s to wait for the tree to be set up',
                read_only=True,
                floating_point_range=ANY_SPAN,
            ),
        )
        node.add_post_set_parameters_callback(self._changed)
        self._report()

    def options(self) -> SnapshotOptions:
        """Return the options of the default stream."""
        return SnapshotOptions(
            float(self._value('period')),
            bool(self._value('blackboard_data')),
            bool(self._value('blackboard_activity')),
        )

    def _declare(
        self,
        name: str,
        value: float,
        description: str,
        spans: list[FloatingPointRange] | None = None,
    ) -> None:
        self._node.declare_parameter(
            f'default_snapshot_{name}',
            value,
            ParameterDescriptor(description=description, floating_point_range=spans or []),
        )

    def _value(self, name: str) -> float:
        return self._node.get_parameter(f'default_snapshot_{name}').value

    def _changed(self, parameters: list[Parameter]) -> None:
        if any(each.name.startswith('default_snapshot_') for each in parameters):
            self._report()

    def _report(self) -> None:
        self._follow(bool(self._value('stream')), self.options())
