"""The process of a node: its options, what it loads, and its main function until it has ended."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
import faulthandler
import gc
import inspect
import os
from pathlib import Path
import re
import sys
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor, ParameterType
import rclpy
from rclpy._rclpy_pybind11 import RCLError
from rclpy.exceptions import NameValidationException, ParameterException
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions

from rover_common.config.config_values import comment
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.errors import BtExecutiveError, UsageError
from rover_common.process.free_memory import release_free_memory
from rover_common.process.new_run_folder import make_run_folder
from rover_common.process.node_name_lock import lock_name
from rover_common.process.process_end import (
    UNUSABLE,
    Shutdown,
    handle_ending_signals,
    watch_lifeline,
)
from rover_common.process.standard_streams import accept_every_text
from rover_common.process.user_paths import given_path
from rover_common.ros.acknowledgements import acknowledge_every_step, wait_until_acknowledged
from rover_common.ros.entering_ros import (
    choose_log_folder,
    choose_transport,
    leave_out_code_generator,
    log_file_arguments,
    name_the_run,
    node_refused,
    shorten_switch_interval,
    unusable_ros_arguments,
)
from rover_common.ros.installed_definitions import check_definitions
from rover_common.ros.low_latency_executor import LowLatencyExecutor
from rover_common.ros.node_topic_and_enclave_names import enclave_arguments, enclave_of
from rover_common.ros.ros_arguments import usable_ros_arguments
from rover_common.text_sanitizing import printable

USE_SIM_TIME = re.compile(r'(?:\S+:)?use_sim_time:=(\S+)')


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


def parse_options(argv: Sequence[str], records: bool = False) -> NodeOptions:
    """Reads --config, --set and --run-dir; ROS arguments are left to rclpy.

    `records`: the node writes a run, so without --run-dir a fresh folder is made.

    Raises:
        ConfigError: The configuration cannot be used.
        UsageError: The run folder cannot be made.
    """
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument('--config', type=given_path, metavar='DIR', help='configuration folder')
    parser.add_argument('--set', action='append', default=[], metavar='KEY=VALUE')
    parser.add_argument(
        '--run-dir', type=given_path, metavar='DIR', help='where this run is written'
    )
    options = parser.parse_args(_own_arguments(argv))
    overrides = (*options.set, *_time_overrides(argv))
    config = load_config(options.config, overrides)
    run_dir = make_run_folder(options.run_dir) if records or options.run_dir else None
    return NodeOptions(config, run_dir, overrides)


def _time_overrides(argv: Sequence[str]) -> list[str]:
    """Simulated time as the ROS arguments set it, which every node has to know."""
    found = [match[1] for each in argv if (match := USE_SIM_TIME.fullmatch(each))]
    return [f'executive.use_sim_time={value}' for value in found]


def _own_arguments(argv: Sequence[str]) -> list[str]:
    """What is not between --ros-args and --, or the end.

    (`rclpy.utilities.remove_ros_args` would settle the format of the log.)
    """
    own, for_ros = [], False
    for argument in argv:
        if argument == '--ros-args':
            for_ros = True
        elif for_ros:
            for_ros = argument != '--'
        else:
            own.append(argument)
    return own


SPIN_S = 1.0  # at most between two checks of the nodes; a signal or the end of ROS ends the wait
TEARDOWN_LIMIT_S = 5.0  # for leaving the ROS graph, after a node's last messages


def run_node(
    make_node: Callable[[NodeOptions], Node],
    argv: Sequence[str] | None = None,
    records: bool = False,
    keeps_pace: bool = False,
) -> None:
    """Runs one node until a signal or the end of its supervisor, then exits the process.

    `make_node` builds the node. If the node has a method `shut_down`, it is called before the
    node is destroyed, with ROS still working: the place to send a last stop.
    `records`: see `parse_options`. `keeps_pace`: fast simulated time waits for this node.

    Exit codes: 0 asked to end, 1 the node has failed (its attribute `fault` is set) or does not
    get out of the graph, 2 unusable
    options or configuration: whoever supervises does not start it again.
    """
    accept_every_text()
    arguments = sys.argv[1:] if argv is None else list(argv)
    ending = Shutdown()
    try:
        check_definitions()
        options = parse_options(arguments, records)
        handle_ending_signals(ending.request)
        ending.end_waits_in_c()
        watch_lifeline(ending.request)
        _enter_ros(arguments, options.run_dir)
        node = _make(make_node, options)
        steps = acknowledge_every_step(node) if keeps_pace else None
    except BtExecutiveError as error:
        print(printable(str(error)), file=sys.stderr)
        rclpy.try_shutdown()
        sys.exit(UNUSABLE)
    code = _live(node, ending)
    del steps  # until here it has to exist
    sys.exit(code)


def _enter_ros(arguments: Sequence[str], run_dir: Path | None) -> None:
    if run_dir is not None:
        name_the_run(run_dir, os.environ)
    choose_log_folder(os.environ)
    choose_transport(os.environ)
    leave_out_code_generator()
    program = Path(sys.argv[0]).stem
    own = [*log_file_arguments(program), *enclave_arguments(enclave_of(program))]
    with usable_ros_arguments(arguments) as usable:
        try:
            rclpy.init(args=[*own, *usable], signal_handler_options=SignalHandlerOptions.NO)
        except RuntimeError as error:
            raise unusable_ros_arguments(error) from None


def _make(make_node: Callable[[NodeOptions], Node], options: NodeOptions) -> Node:
    try:
        node = make_node(options)
    except (NameValidationException, ParameterException) as error:
        raise unusable_ros_arguments(error) from None
    except RCLError as error:
        raise node_refused(error) from None
    _describe_time(node)
    return node


def _describe_time(node: Node) -> None:
    """Gives a text to the parameter that rclpy declares for every node without one."""
    descriptor = ParameterDescriptor(
        type=ParameterType.PARAMETER_BOOL, description=comment(('executive', 'use_sim_time'))
    )
    node.set_descriptor('use_sim_time', descriptor)


def _live(node: Node, ending: Shutdown) -> int:
    """Runs the node to its end; returns the exit code."""
    try:
        claimed = lock_name(node.get_fully_qualified_name(), node.context.get_domain_id())
    except UsageError as error:
        print(printable(str(error)), file=sys.stderr)
        ending.request()
        _spin(node, ending)
        return UNUSABLE
    with claimed:
        shorten_switch_interval()
        gc.collect()  # what was made and thrown away on the way here, such as a whole tree
        release_free_memory()
        node.get_logger().info('Ready')
        _spin(node, ending)
    return 1 if getattr(node, 'fault', None) else 0


def _spin(node: Node, ending: Shutdown) -> None:
    """Serves the node until it is to end, then lets it say its last words."""
    executor = LowLatencyExecutor()
    executor.add_node(node)
    ending.then(lambda: executor.create_task(lambda: None))  # something to do ends a wait
    try:
        with until_ros_ends(node):
            while not ending.requested:
                executor.spin_once(timeout_sec=SPIN_S)
    finally:
        ending.then(lambda: None)
        shut_down = getattr(node, 'shut_down', None)
        if shut_down is not None:
            shut_down(executor)
        if node.context.ok():
            wait_until_acknowledged(node)
        with _no_longer_than(TEARDOWN_LIMIT_S):
            executor.shutdown(timeout_sec=1.0)
            node.destroy_node()
            rclpy.try_shutdown()


@contextmanager
def until_ros_ends(node: Node) -> Iterator[None]:
    """What is done here is over when another thread ends ROS, wherever this one just is."""
    try:
        yield
    except (ExternalShutdownException, RCLError):
        if node.context.ok():
            raise


@contextmanager
def _no_longer_than(limit_s: float) -> Iterator[None]:
    """Ends the process with exit code 1 if what is done here does not end.

    Fast DDS 2.14 can wait for itself when a participant is deleted while another one leaves the
    graph (seen: `DomainParticipantImpl::disable` against `onWriterDiscovery`). It then holds the
    interpreter's lock, so only a thread of C can still act.
    """
    with Path(os.devnull).open('w') as nowhere:
        faulthandler.dump_traceback_later(limit_s, exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()


NO_FILE = '<no file>'  # with a known name it would not examine the others
INTERFACES = re.compile(r'\w+\.(msg|srv|action)')


def preload() -> None:
    """Reads the shipped configuration, and loads the C code of all interfaces imported so far.

    The first message to a log asks `inspect` for the file of every module, which takes as long as
    all else that a node does at its start.
    """
    leave_out_code_generator()
    for section in type(load_config()).model_fields:
        comment((section,))
    inspect.getmodule(sys._getframe(), NO_FILE)
    rclpy.get_rmw_implementation_identifier()
    modules = [module for name, module in sys.modules.items() if INTERFACES.fullmatch(name)]
    for interface in [each for module in modules for each in vars(module).values()]:
        load_c_code = getattr(type(interface), '__import_type_support__', None)
        if load_c_code is not None:
            load_c_code()
