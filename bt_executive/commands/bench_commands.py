"""`bt-executive guard-bench` and `model-bench`: commands of a clone of the repository only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import os
from pathlib import Path
import sys
from typing import NoReturn

from bt_executive.commands.shared_options import Commands, SharedOptions
from bt_executive.console.program_name import PROGRAM
from bt_executive.launching.node_process import children_environment
from rover_common.errors import UsageError
from rover_common.extras import missing_modules, needs_extra


@dataclass(frozen=True)
class Bench:
    """A command of the repository, whose module parses its own options."""

    module: str
    purpose: str


BENCHES = {
    'guard-bench': Bench(
        'bench.guard', 'prove the guards: hostile and benign cases, judged at the robot'
    ),
    'model-bench': Bench('bench.models', 'measure a model: 60 tasks in three languages'),
}


def add_benches(commands: Commands, _: SharedOptions) -> None:
    """Adds the commands to the command line, without the options that their modules parse."""
    for name, bench in BENCHES.items():
        commands.add_parser(name, help=bench.purpose)


def become_bench(name: str, arguments: Sequence[str]) -> NoReturn:
    """Replaces this process with a bench of the repository, which the package does not contain."""
    root = Path(__file__).resolve().parents[2]
    if not (root / 'bench' / 'guard').is_dir():
        raise UsageError(
            f'{name} runs in a clone of the repository: `make setup` there, then '
            f'`.venv/bin/{PROGRAM} {name}`.'
        )
    for extra in ('rosa', 'rover'):
        if missing_modules(extra):
            raise UsageError(needs_extra(name, extra))
    paths = [str(root), *filter(None, [os.environ.get('PYTHONPATH')])]
    environment = {**children_environment(os.environ), 'PYTHONPATH': os.pathsep.join(paths)}
    os.execve(
        sys.executable, [sys.executable, '-m', BENCHES[name].module, *arguments], environment
    )
