"""This program as a command: how to call it again, and its version."""

from __future__ import annotations

from pathlib import Path
import shlex
import shutil
import sys

PROGRAM = 'bt-executive'
MODULE = PACKAGE = 'bt_executive'


def version() -> str:
    """The version of the installed package; without one, as in a copied folder, `unknown`."""
    from importlib import metadata  # most commands do not need it

    try:
        return metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        return 'unknown'


def own_command() -> str:
    """`bt-executive` where the PATH has it, else with the path by which it was called.

    Started as a module, it is the module of this Python.
    """
    called = Path(sys.argv[0])
    if called.name != PROGRAM:
        return f'{shlex.quote(sys.executable)} -m {MODULE}'
    on_the_path = shutil.which(PROGRAM)
    if on_the_path and Path(on_the_path).resolve() == called.resolve():
        return PROGRAM
    return shlex.quote(sys.argv[0])
