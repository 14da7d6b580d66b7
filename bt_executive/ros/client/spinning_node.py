"""A node with its own ROS context and thread, for programs that use their main thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import os

import rclpy
from rclpy._rclpy_pybind11 import RCLError
from rclpy.executors import ExternalShutdownException, ShutdownException
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from rover_common.process.threads import make_thread
from rover_common.ros.entering_ros import choose_transport, node_refused, unusable_ros_arguments
from rover_common.ros.low_latency_executor import LowLatencyExecutor
from rover_common.ros.node_topic_and_enclave_names import enclave_arguments
from rover_common.ros.ros_arguments import usable_ros_arguments

CLOSE_LIMIT_S = 2.0  # for the callback that is running


class SpinningNode:
    """Joins the ROS graph when it is created; `start` begins to spin.

    `ros_arguments`: `--ros-args …` of the command line, for the namespace above all. `failed` is
    called in the node's thread with an exception that has ended the spinning.

    Raises:
        UsageError: The ROS arguments cannot be used, or ROS refuses the node.
    """

    def __init__(
        self,
        name: str,
        enclave: str,
        ros_arguments: Sequence[str],
        failed: Callable[[BaseException], None],
    ) -> None:
        self._failed = failed
        self._closing = False
        choose_transport(os.environ)
        self._context = rclpy.Context()
        with usable_ros_arguments(ros_arguments) as usable:
            try:
                rclpy.init(
                    args=[*enclave_arguments(enclave), *usable],
                    context=self._context,
                    signal_handler_options=SignalHandlerOptions.NO,
                )
            except RuntimeError as error:
                raise unusable_ros_arguments(error) from None
        try:
            self.node = Node(name, context=self._context)  # in people's time
        except RCLError as error:
            raise node_refused(error) from None
        self.executor = LowLatencyExecutor(context=self._context)
        self.executor.add_node(self.node)
        self._thread = make_thread(self._spin, name, self._on_failure)

    def start(self) -> None:
        """Begins to spin."""
        self._thread.start()

    def close(self) -> None:
        """Leaves the ROS graph.

        rclpy's executor does not wait for the thread that spins it, whose next turn would fail
        after its shutdown: the thread ends first.
        """
        self._closing = True
        self.executor.create_task(lambda: None)  # wakes it
        self._thread.join(timeout=CLOSE_LIMIT_S)
        self.executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()

    def _spin(self) -> None:
        try:
            while not self._closing:
                self.executor.spin_once()
        except (ExternalShutdownException, ShutdownException):
            return

    def _on_failure(self, fault: BaseException) -> None:
        if not self._closing:
            self._failed(fault)
