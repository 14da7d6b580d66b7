"""How to call this program again: commands that are printed work in the reader's shell."""

from __future__ import annotations

from pathlib import Path
import shlex
import shutil
import sys

PROGRAM = 'bt-executive'
MODULE = 'bt_executive'


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
