"""The command line: `bt-executive COMMAND`; `bt-executive --help` lists the commands.

Exit codes: 0 done, 1 goal not reached (doctor: something is missing; journal: it is damaged;
replay: something differs), 2 usage, configuration or a recording that cannot be read, 130
interrupted.

The modules of a single command are imported when that command runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import os
import signal
import sys
from typing import NoReturn

from bt_executive.commands.console_web_foxglove_and_mcp_commands import (
    add_console,
    add_foxglove,
    add_mcp,
    add_web,
)
from bt_executive.commands.doctor_check_learn_and_interfaces_commands import (
    add_check,
    add_doctor,
    add_interfaces,
    add_learn,
)
from bt_executive.commands.journal_memory_and_episodes_commands import (
    add_episodes,
    add_journal,
    add_memory,
)
from bt_executive.commands.node_vision_client_and_bench_commands import (
    BENCHES,
    add_benches,
    add_node,
    add_vision_client,
    become_bench,
)
from bt_executive.commands.report_and_replay_commands import add_replay, add_report
from bt_executive.commands.shared_options import CommandParser, SharedOptions
from bt_executive.commands.up_and_demo_commands import add_demo, add_up
from bt_executive.console.program_name import PROGRAM, version
from rover_common.errors import BtExecutiveError
from rover_common.process.process_end import INTERRUPTED, NOT_REACHED, USAGE
from rover_common.process.standard_streams import accept_every_text
from rover_common.ros.entering_ros import (
    check_middleware,
    check_shared_memory,
    choose_log_folder,
)
from rover_common.ros.installed_definitions import check_definitions
from rover_common.ros.ros_arguments import check_ros_arguments, split_ros_arguments
from rover_common.text_sanitizing import printable

STDOUT = 1
RETRY_S = 0.01  # after an interrupt that was lost


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and exits."""
    # A shell without job control starts background processes with SIGINT ignored; until a command
    # sets its own handler, an interrupt would be lost.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.unraisablehook = _retry_interrupt
    accept_every_text()
    own, ros_arguments = split_ros_arguments(sys.argv[1:] if argv is None else list(argv))
    try:
        code = run_command(own, ros_arguments)
        sys.stdout.flush()
    except BtExecutiveError as error:
        print(f'bt-executive: {printable(str(error))}', file=sys.stderr)
        code = USAGE
    except OSError as error:  # errors of our own files are BtExecutiveError
        print(
            f'bt-executive: The operating system refused: {error}. '
            'If no file is named here, the output could not be written, or no more processes '
            'could be started (`ulimit -u`).',
            file=sys.stderr,
        )
        _drop_output()
        code = NOT_REACHED
    except KeyboardInterrupt:
        _drop_output()
        code = INTERRUPTED
    sys.exit(code)


def _retry_interrupt(unraisable: sys.UnraisableHookArgs) -> None:
    """Interrupts again if a KeyboardInterrupt was raised where Python drops it.

    It does so in a destructor and in the callback of a weak reference, which each import has.
    """
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, RETRY_S)
    else:
        sys.__unraisablehook__(unraisable)


def _drop_output() -> None:
    """Discards the buffered standard output, as writing it may fail or block."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), STDOUT)


# In the order of the help. Each sets `run`, which gets the options and the ROS arguments.
ADD = (
    *(add_demo, add_up, add_console, add_web, add_foxglove, add_report, add_replay, add_node),
    *(add_journal, add_memory, add_episodes, add_vision_client, add_mcp, add_doctor, add_learn),
    *(add_check, add_interfaces, add_benches),
)


# The commands that start nodes or talk to some; the others read files.
IN_ROS = frozenset(
    ('demo', 'up', 'console', 'web', 'foxglove', 'node', 'mcp', 'doctor', 'learn', 'check')
)


def run_command(arguments: Sequence[str], ros_arguments: list[str]) -> int:
    """Run a command and return the exit code. `arguments`: without the ROS arguments."""
    if arguments and arguments[0] in BENCHES:
        become_bench(arguments[0], arguments[1:])
    options = make_parser().parse_args(arguments)
    check_ros_arguments(ros_arguments)
    if options.command in IN_ROS:
        check_middleware(os.environ)
        check_shared_memory()
    if options.command in IN_ROS - {'doctor'}:  # which reports it
        check_definitions()
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
    commands = parser.add_subparsers(
        parser_class=CommandParser, dest='command', required=True, metavar='COMMAND'
    )
    shared = SharedOptions()
    for add in ADD:
        add(commands, shared)
    return parser
