"""Runs measurements by name: `python -m bench [NAME ...]`; without a name all of them."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
import pkgutil
import sys
import tempfile

import bench


def names() -> list[str]:
    """Every measurement: a module with a function `run() -> bool` (True: the target is met)."""
    found = (module.name for module in pkgutil.iter_modules([str(Path(bench.__file__).parent)]))
    return sorted(name for name in found if not name.startswith('_'))


def main(wanted: list[str]) -> int:
    """Runs them and returns the exit code: 0 if every target was met."""
    unknown = [name for name in wanted if name not in names()]
    if unknown:
        print(f'No measurement {unknown[0]!r}; there are: {", ".join(names())}.', file=sys.stderr)
        return 2
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    os.environ.setdefault('ROS_DOMAIN_ID', str(1 + os.getpid() % 40))
    met = True
    with tempfile.TemporaryDirectory() as state:
        os.environ['XDG_STATE_HOME'] = state  # no goal of the user's, and none of another run's
        for name in wanted or names():
            print(f'== {name}')
            met &= importlib.import_module(f'bench.{name}').run()
    return 0 if met else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
