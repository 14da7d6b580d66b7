"""`bt-executive up` and `demo`: the processes of a system, and the console in front of them."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
import shlex
import sys

from bt_executive.client.commands import DEMO_TEMPLATE
from bt_executive.commands.client import client_factory
from bt_executive.commands.options import agent_overrides, configuration_arguments, overrides
from bt_executive.commands.web import page_process
from bt_executive.console.own_command import MODULE, own_command
from bt_executive.console.run_console import RunOptions, run_demo, run_up
from bt_executive.launching.node_process import NodeProcess, children_environment
from bt_executive.launching.nodes import (
    OWN_CLOCK,
    RECORDER,
    ROVER_NODES,
    VISION,
    left_out_override,
    load_what_nodes_share,
    nodes_without,
    unavailable,
    with_model,
)
from bt_executive.store.inputs import export_inputs
from bt_executive.store.location import OWN_JOURNAL
from bt_executive.store.run_folder import TRACE_FILE
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.errors import RecordingError
from rover_common.process.new_run import make_run_folder
from rover_common.process.warm_parent import WarmParent, share_memory


def run_system(options: argparse.Namespace, config: Config, ros_arguments: list[str]) -> int:
    """`demo` and `up`."""
    left_out = [*options.without, *(ROVER_NODES if options.no_rover else ())]
    left_out += () if options.record else (RECORDER,)
    once = options.command == 'demo'
    left_out += (VISION,) if once else ()
    nodes = with_model(nodes_without(left_out, options.config), config)
    for sentence in unavailable(left_out).values():
        print(sentence, file=sys.stderr)
    options.set += left_out_override(left_out)
    config = load_config(options.config, [*overrides(options), *agent_overrides(ros_arguments)])
    if any(node.name == 'rover' for node in nodes):
        ros_arguments = [*ros_arguments, *OWN_CLOCK]
    make_client = client_factory()  # says what to do where ROS is missing
    from bt_executive.launching.check_aside import CheckAside
    from bt_executive.ros.distribution import parts_in_use

    checks = {node.name: node.check for node in nodes}
    check = CheckAside(config, checks, ros_arguments, children_environment(os.environ))
    load_what_nodes_share(nodes)  # once for all: the console's pages are shared, too
    share_memory()
    parent = WarmParent()  # before there are threads
    check.result()
    run_dir = make_run_folder(options.run_dir)
    parts = [*parts_in_use()]
    if getattr(options, 'web', False):
        page, told = page_process(options)
        nodes, parts = (*nodes, page), [*parts, told]
    if getattr(options, 'foxglove', False):
        bridge, told = _bridge_process()
        nodes, parts = (*nodes, bridge), [*parts, told]
    if once and not options.journal:  # it leaves the robot's own alone
        options.journal = str(run_dir.resolve() / OWN_JOURNAL)
    passed_on = [*configuration_arguments(options), '--run-dir', str(run_dir)]
    fresh = options.fresh or once
    run = RunOptions(config, ros_arguments, run_dir, nodes, passed_on, fresh, parts, parent)
    if once:
        code = run_demo(run, make_client, DEMO_TEMPLATE)
    else:
        code = run_up(run, make_client, options.plain)
    _point_to(run_dir)
    return code


def _bridge_process() -> tuple[NodeProcess, tuple[str, str]]:
    """The process of the bridge beside a system, and its address for the operator."""
    from bt_executive.ros.foxglove_command import address, bridge_port

    port = bridge_port(0)
    arguments = ('foxglove', '--port', str(port))
    process = NodeProcess('foxglove', MODULE, 3, 'serves Foxglove', arguments=arguments)
    return process, ('foxglove', address(port))


def _point_to(run_dir: Path) -> None:
    """Says where the run is and how to look at it, if there is anything to look at."""
    if (run_dir / TRACE_FILE).exists():
        try:
            export_inputs(run_dir)
        except (RecordingError, OSError) as error:
            print(f'The run cannot be replayed elsewhere: {error}', file=sys.stderr)
        folder = shlex.quote(str(run_dir))
        print(f'The run is in {folder}; as a page: {own_command()} report {folder}')
