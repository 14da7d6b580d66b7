"""The interface packages of this environment, and names that are in use."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions
from importlib.util import find_spec
import json
from pathlib import Path
import re
from urllib.parse import unquote, urlsplit

from rover_common.extras import PROJECT, all_requirements, requirements_of
from rover_common.wheels.interface_package import DIVIDERS
from rover_common.wheels.wheel_project import MARK

NAME = re.compile(r'[\w.-]+')
BUILD = 'interfaces'  # the extra with the tools that compile
OF_ROS = 'ros-'  # how PyPI's distributions of ROS packages begin


def installed(package: str) -> Distribution | None:
    """Returns the distribution of an interface package; None if it has none here."""
    for name in (index_name(package), package):
        try:
            return distribution(name)
        except PackageNotFoundError:
            continue
    return None


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
