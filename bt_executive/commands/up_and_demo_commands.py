"""`bt-executive up` and `demo`: their options, and their start before what they need is loaded.

A look around for another rover waits for the graph. It begins as early as it can, and goes on
beside the imports of everything else.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
import os
import sys

from bt_executive.commands.client_factory import client_factory
from bt_executive.commands.configuration_overrides import (
    agent_overrides,
    overrides,
    read_configuration,
)
from bt_executive.commands.shared_options import Commands, SharedOptions, add_page_port, add_plain
from bt_executive.launching.check_in_child_process import CheckAside
from bt_executive.launching.system_processes import (
    OWN_CLOCK,
    ROVER,
    ROVER_NODES,
    left_out_override,
    nodes_without,
    unavailable,
    with_model,
)
from rover_common.config.load import keep_config
from rover_common.config.settings import Config
from rover_common.node_names import RECORDER, VISION


def add_demo(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    demo = commands.add_parser(
        'demo',
        parents=[shared.common, shared.folder, shared.kept, shared.system],
        help='pursue one goal from start to end',
        allow_abbrev=False,
    )
    demo.set_defaults(run=start_system)


def add_up(commands: Commands, shared: SharedOptions) -> None:
    """Adds the command to the command line."""
    up = commands.add_parser(
        'up',
        parents=[shared.common, shared.folder, shared.kept, shared.system],
        help='talk with the robot on standard input',
        allow_abbrev=False,
    )
    up.add_argument('--web', action='store_true', help='also serve the live page on this machine')
    up.add_argument(
        '--foxglove', action='store_true', help='also serve our topics to Foxglove on this machine'
    )
    add_page_port(up)
    add_plain(up)
    up.set_defaults(run=start_system)


def start_system(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    """`demo` and `up`; returns the exit code."""
    from bt_executive.launching.memory_and_vision_models import model_faults

    config = read_configuration(options, ros_arguments)
    left_out = [*options.without, *(ROVER_NODES if options.no_rover else ())]
    left_out += () if options.record else (RECORDER,)
    left_out += (VISION,) if options.command == 'demo' else ()
    nodes = with_model(nodes_without(left_out, options.config), config)
    lacking = model_faults(config, os.environ, nodes)
    for sentence in [*unavailable(left_out, options.config).values(), *lacking]:
        print(sentence, file=sys.stderr)
    options.set += left_out_override(left_out, options.config)
    config = keep_config(options.config, [*overrides(options), *agent_overrides(ros_arguments)])
    if not any(node.name == ROVER for node in nodes):
        from bt_executive.commands.system_and_console import run_system

        return run_system(options, config, ros_arguments, nodes)
    with _look_for_rover(config, ros_arguments) as look:
        from bt_executive.commands.system_and_console import run_system

        return run_system(options, config, [*ros_arguments, *OWN_CLOCK], nodes, look)


def _look_for_rover(config: Config, ros_arguments: Sequence[str]) -> CheckAside:
    try:
        from rover_common.ros.other_rover_check import check_no_other_rover
        from rover_common.ros.type_support import leave_out_code_generator
    except ImportError:
        client_factory()  # says what to do where ROS is missing
        raise
    leave_out_code_generator()
    return CheckAside(partial(check_no_other_rover, config.topics, ros_arguments))
