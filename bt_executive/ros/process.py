"""The main function that all node processes share: options, configuration, spinning, shutdown."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
import signal
import sys
import threading
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions

from bt_executive.config import load_config
from bt_executive.errors import BtExecutiveError
from bt_executive.lifeline import watch_lifeline
from bt_executive.settings import Config


@dataclass(frozen=True)
class NodeOptions:
    """What a node process was started with; `overrides` are in `config` already."""

    config: Config
    run_dir: Path | None
    overrides: tuple[str, ...] = ()

    def node_arguments(self) -> dict[str, Any]:
        """Keyword arguments for `rclpy.node.Node` that follow from the configuration."""
        use_sim_time = Parameter('use_sim_time', value=self.config.executive.use_sim_time)
        return {'parameter_overrides': [use_sim_time]}


def parse_options(argv: Sequence[str]) -> NodeOptions:
    """Reads --config, --set and --run-dir; ROS arguments are left to rclpy.

    Raises:
        ConfigError: The configuration cannot be used.
    """
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument('--config', type=Path, metavar='DIR', help='configuration folder')
    parser.add_argument('--set', action='append', default=[], metavar='KEY=VALUE')
    parser.add_argument('--run-dir', type=Path, metavar='DIR', help='where this run is written')
    own = rclpy.utilities.remove_ros_args(args=['', *argv])[1:]
    options = parser.parse_args(own)
    config = load_config(options.config, options.set)
    return NodeOptions(config, options.run_dir, tuple(options.set))


def run_node(make_node: Callable[[NodeOptions], Node], argv: Sequence[str] | None = None) -> None:
    """Runs one node until SIGINT, SIGTERM or the end of its supervisor, then exits the process.

    `make_node` builds the node. If the node has a method `shut_down`, it is called before the
    node is destroyed, with ROS still working: the place to send a last stop.

    Exit codes: 0 asked to end, 1 the node has failed (its attribute `fault` is set), 2 unusable
    options or configuration.
    """
    arguments = sys.argv[1:] if argv is None else list(argv)
    try:
        options = parse_options(arguments)
    except BtExecutiveError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    watch_lifeline(ended.set)
    rclpy.init(args=arguments, signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = make_node(options)
    except BtExecutiveError as error:
        print(error, file=sys.stderr)
        rclpy.try_shutdown()
        sys.exit(2)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        while not ended.is_set():
            executor.spin_once(timeout_sec=0.2)
    except ExternalShutdownException:
        pass
    finally:
        shut_down = getattr(node, 'shut_down', None)
        if shut_down is not None:
            shut_down(executor)
        executor.shutdown(timeout_sec=1.0)
        node.destroy_node()
        rclpy.try_shutdown()
    sys.exit(1 if getattr(node, 'fault', None) else 0)
