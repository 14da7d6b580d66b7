"""The name of this program, the command that calls it, and its version."""

from __future__ import annotations

from pathlib import Path
import shlex
import shutil
import sys

PROGRAM = 'bt-executive'
MODULE = PACKAGE = 'bt_executive'


def version() -> str:
    """Return the version of the installed package; `unknown` if it is not installed."""
    from importlib import metadata  # most commands do not need it

    try:
        return metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        return 'unknown'


def own_command() -> str:
    """Return `bt-executive` if it is on the PATH, else with the path by which it was called.

    If it was started as a module, return the module's command.
    """
    program = Path(sys.argv[0])
    if program.name != PROGRAM:
        return f'{shlex.quote(sys.executable)} -m {MODULE}'
    on_path = shutil.which(PROGRAM)
    if on_path and Path(on_path).resolve() == program.resolve():
        return PROGRAM
    return shlex.quote(sys.argv[0])
