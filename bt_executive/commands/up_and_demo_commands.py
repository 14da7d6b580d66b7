"""`bt-executive up` and `demo`: their options, and the start of a system with its console.

The check for another rover waits for discovery. It starts as early as possible and runs beside
the imports that take long, which are therefore inside the functions that use them.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
import os
from pathlib import Path
import shlex
import sys
from typing import TYPE_CHECKING

from bt_executive.commands.console_web_foxglove_and_mcp_commands import (
    client_factory,
    page_process,
)
from bt_executive.commands.shared_options import (
    Commands,
    SharedOptions,
    add_plain,
    add_port,
    agent_overrides,
    configuration_arguments,
    overrides,
    read_configuration,
)
from bt_executive.console.program_name import MODULE, own_command
from bt_executive.launching.system_processes import (
    OWN_CLOCK,
    ROVER,
    ROVER_NODES,
    NodeProcess,
    children_environment,
    left_out_override,
    nodes_without,
    preload_nodes,
    unavailable_nodes,
    with_model_process,
)
from rover_common.config.load import cache_config
from rover_common.config.settings import Config
from rover_common.errors import RecordingError
from rover_common.process.new_run_folder import claim_run_folder, make_run_folder
from rover_common.process.user_paths import path_argument
from rover_common.ros.node_topic_and_enclave_names import RECORDER, VISION

if TYPE_CHECKING:
    from bt_executive.launching.start_checks import CheckInChildProcess


def start_system(options: argparse.Namespace, ros_arguments: list[str], once: bool = False) -> int:
    """Starts the processes and runs the console; returns the exit code.

    `once`: for one goal, as `demo`.
    """
    from bt_executive.launching.model_checks_of_parts import model_faults

    config = read_configuration(options, ros_arguments)
    left_out = [*options.without, *(ROVER_NODES if options.no_rover else ())]
    left_out += () if options.record else (RECORDER,)
    left_out += (VISION,) if once else ()
    nodes = with_model_process(nodes_without(left_out, options.config), config)
    faults = model_faults(config, os.environ, nodes)
    for sentence in [*unavailable_nodes(left_out, options.config).values(), *faults]:
        print(sentence, file=sys.stderr)
    options.set += left_out_override(left_out, options.config)
    config = cache_config(options.config, [*overrides(options), *agent_overrides(ros_arguments)])
    if not any(node.name == ROVER for node in nodes):
        return _run(options, config, ros_arguments, nodes, once)
    with _check_other_rover(config, ros_arguments) as check:
        return _run(options, config, [*ros_arguments, *OWN_CLOCK], nodes, once, check)


def _check_other_rover(config: Config, ros_arguments: Sequence[str]) -> CheckInChildProcess:
    try:
        from rover_common.ros.entering_ros import leave_out_code_generator
        from rover_common.ros.graph_probe import check_no_other_rover
    except ImportError:
        client_factory()  # raises the error that says what to do without ROS
        raise
    from bt_executive.launching.start_checks import CheckInChildProcess

    leave_out_code_generator()
    return CheckInChildProcess(partial(check_no_other_rover, config.topics, ros_arguments))


def _run(
    options: argparse.Namespace,
    config: Config,
    ros_arguments: list[str],
    nodes: tuple[NodeProcess, ...],
    once: bool,
    other_rover: CheckInChildProcess | None = None,
) -> int:
    """Runs the processes and the console until they have ended.

    Args:
        options: Of the command.
        config: As the processes will load it.
        ros_arguments: Of the processes.
        nodes: Those to start, if the checks pass.
        once: For one goal.
        other_rover: The check for another rover; nothing is started before its end.
    """
    make_client = client_factory()  # raises the error that says what to do without ROS
    from bt_executive.client.command_table import DEMO_TEMPLATE
    from bt_executive.console.console_start import RunOptions, run_demo, run_up
    from bt_executive.launching.start_checks import CheckInChildProcess, check_nodes
    from bt_executive.ros.installed_versions_and_parts import parts_in_use
    from bt_executive.store.journal_location import RUN_JOURNAL
    from bt_executive.store.run_configuration_and_metadata import digest_of
    from rover_common.process.free_memory import share_memory
    from rover_common.process.warm_parent import WarmParent

    checks = {node.name: node.check for node in nodes}
    environment = children_environment(os.environ)
    check = CheckInChildProcess(partial(check_nodes, config, checks, ros_arguments, environment))
    preload_nodes(nodes)  # once for all processes, which share the console's memory pages
    digest_of(config)  # serialising its YAML, which the executive keeps, takes 7 MB
    share_memory()
    parent = WarmParent()  # before there are threads
    check.result()
    if other_rover is not None:
        other_rover.result()
    parts = [*parts_in_use()]
    if getattr(options, 'web', False):
        page, part = page_process(options)
        nodes, parts = (*nodes, page), [*parts, part]
    if getattr(options, 'foxglove', False):
        bridge, part = _bridge_process()
        nodes, parts = (*nodes, bridge), [*parts, part]
    run_dir = make_run_folder(options.run_dir)  # after the checks, so that no empty run is left
    if once and not options.journal:  # not the robot's own
        options.journal = str(run_dir.resolve() / RUN_JOURNAL)
    node_arguments = [*configuration_arguments(options), '--run-dir', path_argument(run_dir)]
    fresh = options.fresh or once
    run = RunOptions(config, ros_arguments, run_dir, nodes, node_arguments, fresh, parts, parent)
    with claim_run_folder(run_dir):
        if once:
            code = run_demo(run, make_client, DEMO_TEMPLATE)
        else:
            code = run_up(run, make_client, options.plain)
    _print_location(run_dir)
    return code


def _bridge_process() -> tuple[NodeProcess, tuple[str, str]]:
    """Return the process of the bridge, and its title and address for the operator."""
    from bt_executive.ros.foxglove_bridge import address, bridge_port

    port = bridge_port(0)
    arguments = ('foxglove', '--port', str(port))
    process = NodeProcess('foxglove', MODULE, 3, 'serves Foxglove', arguments=arguments)
    return process, ('foxglove', address(port))


def _print_location(run_dir: Path) -> None:
    """Prints the folder of the run and how to make a report, if something was recorded."""
    from bt_executive.store.inputs_from_journal_or_export import export_inputs
    from bt_executive.store.run_folder_formats import TRACE_FILE

    if (run_dir / TRACE_FILE).exists():
        try:
            export_inputs(run_dir)
        except (RecordingError, OSError) as error:
            print(f'The run cannot be replayed elsewhere: {error}', file=sys.stderr)
        folder = shlex.quote(path_argument(run_dir))
        print(f'The run is in {folder}; as a page: {own_command()} report {folder}')


def add_up(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    up = commands.add_parser(
        'up',
        run=start_system,
        parents=[shared.common, shared.folder, shared.kept, shared.system],
        help='talk with the robot on standard input',
    )
    up.add_argument('--web', action='store_true', help='also serve the live page on this machine')
    up.add_argument(
        '--foxglove', action='store_true', help='also serve our topics to Foxglove on this machine'
    )
    add_port(up, 'of the page', 8700)
    add_plain(up)


def add_demo(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    commands.add_parser(
        'demo',
        run=run_demo_command,
        parents=[shared.common, shared.folder, shared.kept, shared.system],
        help='pursue one goal from start to end',
    )


def run_demo_command(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """Runs the system until its goal has ended; returns the exit code."""
    return start_system(options, ros_arguments, once=True)
