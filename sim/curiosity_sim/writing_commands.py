"""A command that makes a file of a configuration, of which this package has two."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
import sys

from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.errors import BtExecutiveError, UsageError
from rover_common.process.standard_streams import accept_every_text


def run_writing(
    module: str, kind: str, make: Callable[[Config], bytes], argv: Sequence[str] | None
) -> int:
    """Write the file; return the exit code: 2 if the configuration or the file cannot be used.

    `kind`: of the file, in the help of the module's command.
    """
    accept_every_text()
    parser = argparse.ArgumentParser(prog=f'python -m {module}')
    parser.add_argument('file', type=Path, metavar='FILE', help=f'where the {kind} is written')
    parser.add_argument('--config', type=Path, metavar='DIR', help='configuration folder')
    parser.add_argument('--set', action='append', default=[], metavar='KEY=VALUE')
    options = parser.parse_args(argv)
    try:
        _write(options.file, make(load_config(options.config, options.set)))
    except BtExecutiveError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _write(file: Path, content: bytes) -> None:
    try:
        file.write_bytes(content)
    except OSError as error:
        raise UsageError(f'{file}: cannot be written ({error.strerror}).') from None
