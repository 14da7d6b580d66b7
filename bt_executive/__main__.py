"""`bt-executive` and `python -m bt_executive`: the command line, which Ctrl-C ends quietly.

Importing the libraries takes most of a second. A Ctrl-C meanwhile ends the process as the signal
does by default, without a traceback, as nothing was started yet.
"""

from __future__ import annotations

import signal
from typing import NoReturn


def main() -> NoReturn:
    """Runs the command line and exits."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from bt_executive.cli import main as run

    run()


if __name__ == '__main__':
    main()
