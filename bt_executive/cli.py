"""The command line: `bt-executive COMMAND`; `bt-executive --help` lists the commands.

Exit codes: 0 done, 1 goal not reached (doctor: something is missing; journal: it is damaged;
replay: something differs), 2 usage, configuration or a recording that cannot be read, 130
interrupted.

The modules of a single command are imported when that command runs.
"""

from __future__ import annotations

from collections.abc import Sequence
import os
import signal
import sys
from typing import NoReturn

from bt_executive.commands.command_parser import run_command
from rover_common.errors import BtExecutiveError
from rover_common.process.process_end import INTERRUPTED, NOT_REACHED, USAGE
from rover_common.process.standard_streams import accept_every_text
from rover_common.ros.ros_arguments import split_ros_arguments
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
            'If no file is named here, the output could not be written.',
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
