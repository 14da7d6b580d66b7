"""The interface packages of this environment, names that are in use, and packages of PyPI."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from importlib.util import find_spec
import json
from pathlib import Path
import re
import subprocess
from urllib.parse import unquote, urlsplit
from zipfile import ZipFile

from rover_common.errors import UsageError
from rover_common.extras import PROJECT, all_requirements, requirements_of
from rover_common.wheels.interface_package import DIVIDERS, MARK
from rover_common.wheels.pip_and_uv import PIP

NAME = re.compile(r'[\w.-]+')
BUILD = 'interfaces'  # the extra with the tools that compile
OF_ROS = 'ros-'  # how PyPI's distributions of ROS packages begin


def installed(package: str) -> Distribution | None:
    """Returns the distribution of an interface package; None if it has none here."""
    return _distribution(index_name(package)) or _distribution(package)


def index_name(package: str) -> str:
    """Returns the name that a ROS package has on PyPI."""
    return f'{OF_ROS}{package.replace("_", "-")}'


def has_types(package: str) -> bool:
    """Returns whether an importable package has interfaces. It is not imported."""
    found = find_spec(package)
    folders = (found and found.submodule_search_locations) or ()
    return any(Path(each, kind, '__init__.py').is_file() for each in folders for kind in DIVIDERS)


def is_added(found: Distribution) -> bool:
    """Returns whether a distribution was compiled of a package that others wrote."""
    return MARK in found.version


def name_refusal(package: str) -> str:
    """Returns why no package of others may have this name; empty if one may."""
    if package in _required():
        return f'{package} is a package of {PROJECT}, or of one of its extras'
    found = installed(package)
    if found is not None and is_added(found):
        return ''
    if found is not None:
        return f'{package} is installed already, by {found.metadata["Name"]} {found.version}'
    spec = find_spec(package)
    return f'{package} is the name of a Python module here ({spec.origin})' if spec else ''


def requirement(found: Distribution) -> str:
    """Returns the requirement by which exactly this distribution is installed."""
    return f'{found.metadata["Name"]}=={found.version}'


def to_compile_with(found: Distribution) -> Iterator[str]:
    """Yield the requirements for compiling against an installed interface package.

    A wheel that was installed from a file is that file, if it is still there, with what it needs
    itself. One that `interfaces add` downloaded is gone, and PyPI has it.
    """
    origin = json.loads(found.read_text('direct_url.json') or '{}').get('url', '')
    path = Path(unquote(urlsplit(origin).path)) if origin.startswith('file:') else None
    is_file = path is not None and path.suffix == '.whl' and path.is_file()
    yield str(path) if is_file else requirement(found)
    for required in found.requires or ():
        name = NAME.match(required)
        if is_added(found) and name and (other := _distribution(name[0])):
            yield from to_compile_with(other)


def compiled_with(package: str, version: str) -> list[str]:
    """Returns the added packages that were compiled with another version of this one."""
    needs = f'{package}=='
    return sorted(
        each.metadata['Name']
        for each in distributions()
        if is_added(each)
        and any(need.startswith(needs) and need != needs + version for need in each.requires or ())
    )


def tools() -> list[str]:
    """Returns the requirements of what compiles interface packages."""
    base = [each for each in requirements_of() if each.startswith(OF_ROS)]
    return [*base, *requirements_of(BUILD)]


def _required() -> set[str]:
    """The packages that the project and its extras require, as ROS names them."""
    names = [match[0] for each in all_requirements() if (match := NAME.match(each))]
    return {each.removeprefix(OF_ROS).replace('-', '_') for each in names}


def _distribution(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


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
