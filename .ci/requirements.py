"""Prints the dependencies of setup.cfg, one per line for pip: those of the base, and extras.

    requirements.py setup.cfg [EXTRA …]            the base and these extras
    requirements.py setup.cfg --all-extras         the base and every extra but those of ELSEWHERE
    requirements.py setup.cfg --only EXTRA …       these extras alone
    requirements.py setup.cfg --without-ros …      what a ROS 2 distribution does not have

Packages of this repository are left out: they come from interfaces/.
"""

from __future__ import annotations

import argparse
from configparser import ConfigParser
from pathlib import Path
import re

OURS = re.compile(r'==\S+\+bt\b')  # the local version of our interface packages
OF_ROS = re.compile(r'ros-\S+')
BUILD = 'interfaces'  # the tools that compile interface packages have an environment of their own
ELSEWHERE = (BUILD, 'local', 'ray')  # not for the project's own environment: large, for few


def requirements(file: Path, extras: list[str], *, base: bool = True) -> list[str]:
    """The requirements from PyPI for the base, unless it is excluded, and for these extras."""
    return [line for line in _lines(file, extras, base) if not OURS.search(line)]


def own_packages(file: Path, extras: list[str], *, base: bool = True) -> list[str]:
    """The interface packages that the base, unless it is excluded, and these extras need."""
    return [line.split('=')[0] for line in _lines(file, extras, base) if OURS.search(line)]


def _lines(file: Path, extras: list[str], base: bool) -> list[str]:
    setup = ConfigParser()
    setup.read(file, encoding='utf-8')
    optional = setup['options.extras_require']
    for extra in extras:
        if extra not in optional:
            raise SystemExit(f'{file} has no extra {extra!r}; it has: {", ".join(optional)}.')
    groups = [setup['options']['install_requires']] if base else []
    lines = [
        line for group in (*groups, *map(optional.get, extras)) for line in str(group).split('\n')
    ]
    return [line.strip() for line in lines if line.strip() and not line.startswith('#')]


def all_extras(file: Path) -> list[str]:
    """Every extra that the project's own environment gets."""
    setup = ConfigParser()
    setup.read(file, encoding='utf-8')
    return [name for name in setup['options.extras_require'] if name not in ELSEWHERE]


def main() -> None:
    """Print what the command line requests."""
    parser = argparse.ArgumentParser(description='Prints dependencies, one per line for pip.')
    parser.add_argument('file', type=Path)
    parser.add_argument('extras', nargs='*', metavar='EXTRA')
    parser.add_argument('--all-extras', action='store_true')
    parser.add_argument('--only', action='store_true', help='without the base')
    parser.add_argument('--without-ros', action='store_true')
    options = parser.parse_intermixed_args()
    extras = all_extras(options.file) if options.all_extras else options.extras
    found = requirements(options.file, extras, base=not options.only)
    print('\n'.join(each for each in found if not (options.without_ros and OF_ROS.match(each))))


if __name__ == '__main__':
    main()
