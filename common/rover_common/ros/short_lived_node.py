"""A node that is in the graph for a moment, to look around."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
import os
from typing import Any

import rclpy
from rclpy._rclpy_pybind11 import RCLError
from rclpy.exceptions import NameValidationException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from rover_common.ros.dds_transport import choose_transport
from rover_common.ros.enclave import CONSOLE, enclave_arguments
from rover_common.ros.rcl_errors import node_refused
from rover_common.ros.ros_arguments import namespace_of


@contextmanager
def short_lived_node(
    name: str, ros_arguments: Sequence[str] = (), **options: Any
) -> Iterator[Node]:
    """A node in a context of its own, in the namespace of the ROS arguments. Thread-safe.

    `options`: of the node.

    Raises:
        UsageError: ROS refuses the node.
    """
    choose_transport(os.environ)
    context = rclpy.Context()
    try:
        rclpy.init(
            args=enclave_arguments(CONSOLE),
            context=context,
            signal_handler_options=SignalHandlerOptions.NO,
        )
        node = Node(name, namespace=namespace_of(ros_arguments), context=context, **options)
        try:
            yield node
        finally:
            node.destroy_node()
    except (RCLError, NameValidationException) as error:
        raise node_refused(error) from None
    finally:
        context.try_shutdown()
