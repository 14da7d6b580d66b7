r"""Standard input and output take every text, whatever encoding the surroundings ask for.

Called first by whatever runs as a process of its own (its test finds those). A sign that the
encoding lacks is written as its number, `\u2192`: nothing is lost, and nothing fails. The encoding
itself stays as LANG and PYTHONIOENCODING have it.
"""

from __future__ import annotations

from collections.abc import Mapping
import io
import os
from pathlib import Path
import sys

_MODES: Mapping[str, str] = {'stdin': 'r', 'stdout': 'w', 'stderr': 'w'}
LACKING = 'backslashreplace'
# Encoding of the log files of our processes.
LOG_ENCODING: Mapping[str, str] = {'PYTHONIOENCODING': f'utf-8:{LACKING}'}


def accept_every_text() -> None:
    """Let standard output and error write every text, and standard input read every byte."""
    for name, mode in _MODES.items():  # in the order of their numbers, of which the least is free
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding='utf-8'))  # noqa: SIM115 - for ever
    for output in (sys.stdout, sys.stderr):
        if isinstance(output, io.TextIOWrapper):  # a test may have put something else there
            output.reconfigure(errors=LACKING)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding='utf-8', errors='replace')
