"""Parses the command line and runs its command."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import os

from bt_executive.commands.bench_commands import BENCHES, add_benches, become_bench
from bt_executive.commands.check_command import add_check
from bt_executive.commands.console_command import add_console
from bt_executive.commands.demo_command import add_demo
from bt_executive.commands.doctor_command import add_doctor
from bt_executive.commands.episodes_command import add_episodes
from bt_executive.commands.foxglove_command import add_foxglove
from bt_executive.commands.interfaces_command import add_interfaces
from bt_executive.commands.journal_command import add_journal
from bt_executive.commands.learn_command import add_learn
from bt_executive.commands.mcp_command import add_mcp
from bt_executive.commands.memory_command import add_memory
from bt_executive.commands.node_command import add_node
from bt_executive.commands.replay_command import add_replay
from bt_executive.commands.report_command import add_report
from bt_executive.commands.shared_options import SharedOptions
from bt_executive.commands.up_command import add_up
from bt_executive.commands.vision_client_command import add_vision_client
from bt_executive.commands.web_command import add_web
from bt_executive.console.program_name import PROGRAM, version
from rover_common.ros.entering_ros import choose_log_folder
from rover_common.ros.ros_arguments import check_ros_arguments

# In the order of the help. Each sets `run`, which gets the options and the ROS arguments.
ADD = (
    *(add_demo, add_up, add_console, add_web, add_foxglove, add_report, add_replay, add_node),
    *(add_journal, add_memory, add_episodes, add_vision_client, add_mcp, add_doctor, add_learn),
    *(add_check, add_interfaces, add_benches),
)


def run_command(arguments: Sequence[str], ros_arguments: list[str]) -> int:
    """Run a command and return the exit code. `arguments`: without the ROS arguments."""
    if arguments and arguments[0] in BENCHES:
        become_bench(arguments[0], arguments[1:])
    options = make_parser().parse_args(arguments)
    check_ros_arguments(ros_arguments)
    choose_log_folder(os.environ)
    if getattr(options, 'no_color', False):
        os.environ['NO_COLOR'] = '1'
    code: int = options.run(options, ros_arguments)
    return code


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        allow_abbrev=False,
        description='Runs a robot from a behavior tree in which one leaf asks an LLM for the next '
        'tool. Arguments from --ros-args on go to every node.',
        epilog='Exit codes: 0 done, 1 goal not reached, 2 usage or configuration, '
        '130 interrupted.',
    )
    parser.add_argument('--version', action='version', version=f'{PROGRAM} {version()}')
    commands = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    shared = SharedOptions()
    for add in ADD:
        add(commands, shared)
    return parser
