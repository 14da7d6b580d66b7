"""The command line: `bt-executive COMMAND`; `bt-executive --help` lists the commands.

Exit codes: 0 done, 1 goal not reached (doctor: something is missing; journal: it is damaged;
replay: something differs), 2 usage, configuration or a recording that cannot be read, 130
interrupted.

What a single command needs is imported when that command runs.
"""

from __future__ import annotations

from collections.abc import Sequence
import os
import signal
import sys
from typing import NoReturn

from bt_executive.commands.command_parser import run_command
from rover_common.errors import BtExecutiveError
from rover_common.exit_codes import INTERRUPTED, NOT_REACHED, USAGE
from rover_common.printable import printable
from rover_common.process.standard_streams import accept_every_text
from rover_common.ros.ros_arguments import split_ros_arguments

STDOUT = 1


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Runs the command line and exits."""
    # A shell without job control starts what it puts into the background with SIGINT ignored, and
    # until a command sets its own handler, an interrupt would be lost.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    accept_every_text()
    own, ros_arguments = split_ros_arguments(sys.argv[1:] if argv is None else list(argv))
    try:
        code = run_command(own, ros_arguments)
        sys.stdout.flush()
    except BtExecutiveError as error:
        print(f'bt-executive: {printable(str(error))}', file=sys.stderr)
        code = USAGE
    except OSError as error:  # trouble with files of ours is told as such
        print(
            f'bt-executive: The operating system refused: {error}. '
            'If no file is named here, the output could not be written.',
            file=sys.stderr,
        )
        _drop_output()
        code = NOT_REACHED
    except KeyboardInterrupt:
        _drop_output()
        code = INTERRUPTED
    sys.exit(code)


def _drop_output() -> None:
    """Drops what Python still holds for standard output: writing it may fail, or take for ever."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), STDOUT)
