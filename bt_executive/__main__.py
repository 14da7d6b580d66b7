"""`bt-executive` and `python -m bt_executive`: the command line, which Ctrl-C ends quietly.

Importing the libraries takes most of a second. A Ctrl-C meanwhile ends the process as the signal
does by default, without a traceback, as nothing was started yet. Another Ctrl-C while the process
ends does the same, as nothing is left that has to end in order.
"""

from __future__ import annotations

import signal
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Runs the command line and exits."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from bt_executive.cli import main as run
    from rover_common.process.process_end import INTERRUPTED, restore_default_signals

    try:
        run()
    except KeyboardInterrupt:  # another one, while it answered the first
        sys.exit(INTERRUPTED)
    finally:
        restore_default_signals()


if __name__ == '__main__':
    main()
