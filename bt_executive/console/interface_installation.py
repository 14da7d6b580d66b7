"""`bt-executive interfaces add`: compiles and installs a ROS interface package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
import importlib
from importlib.util import find_spec
from itertools import chain
import os
from pathlib import Path
import sys
from tempfile import TemporaryDirectory
from typing import NoReturn

from bt_executive.console.program_name import own_command
from rover_common.config.robot_file import default_folder
from rover_common.errors import UsageError
from rover_common.extras import is_distribution
from rover_common.ros.interface_classes_and_fields import interface_class, load_type_support
from rover_common.wheels.compile_order import levels, package_below, packages_at
from rover_common.wheels.interface_package import ForeignPackage, version_of, write_project
from rover_common.wheels.interface_wheels import InterfaceWheels, cache, missing_build_tools
from rover_common.wheels.interfaces_installed_and_on_pypi import (
    compiled_with,
    has_types,
    installed,
    name_refusal,
    requirement,
    to_compile_with,
    tools,
    wheels_of,
)
from rover_common.wheels.pip_and_uv import Installer, installer
from rover_common.wheels.running_commands import CommandError, Progress

CMAKE = Path('interfaces', 'cmake')  # beside the shipped configuration


def add_interfaces(what: str, replace: bool, only: Sequence[str] = ()) -> None:
    """Installs the packages at a path, or one by its name, and prints what is installed.

    Args:
        what: The path or the name.
        replace: Whether to replace packages that are installed with other content.
        only: Interfaces of packages in folders, installed with those they use; empty: all.

    Raises:
        UsageError: They cannot be installed; nothing was installed.
    """
    _check_environment(what)
    path = Path(what)
    folder = path if path.exists() else package_below(Path.cwd(), what)
    if folder is None and os.sep in what:
        raise UsageError(f'{what} does not exist: name the folder of a ROS package.')
    if folder is None and only:
        raise UsageError(f'{what} is no folder here, and PyPI has whole packages only.')
    if folder is None:
        _add_from_index(what)
    else:
        _add_from_folders(packages_at(folder), replace, only)


def _check_environment(what: str) -> None:
    if is_distribution():
        raise UsageError(
            f'ROS is that of a distribution here: build {what} with colcon in your workspace and '
            'source its install/setup.bash, or install its ros-*-msgs package with apt.'
        )
    if find_spec('pip') is None:
        raise UsageError(
            f'{sys.executable} has no pip to install with: add it to the environment.'
        )


def _add_from_folders(folders: Sequence[Path], replace: bool, only: Sequence[str]) -> None:
    ordered = levels(folders, _is_installed, only)
    versions = _versions(ordered)
    new = [
        [package for package in level if _is_new(package, versions[package.name], replace)]
        for level in ordered
    ]
    if any(new):
        if fault := missing_build_tools(''):
            raise UsageError(fault[0].upper() + fault[1:])
        with _installing('Adding ROS interfaces') as (installs, temporary, logs):
            wheels = _compile(
                [level for level in new if level], versions, temporary, installs, logs
            )
            _install(installs, ['--no-deps', '--force-reinstall', *wheels], logs)
    for package in chain.from_iterable(ordered):
        _report(package.name, versions[package.name], package)


def _versions(ordered: Sequence[Sequence[ForeignPackage]]) -> dict[str, str]:
    """Return the version of each package's wheel, by the package's name."""
    versions: dict[str, str] = {}
    for package in chain.from_iterable(ordered):
        versions[package.name] = version_of(package, _requirements(package, versions))
    return versions


def _requirements(package: ForeignPackage, versions: dict[str, str]) -> dict[str, str]:
    """Return needed package → its requirement for pip."""
    requirements = {}
    for name in package.needs:
        distribution = installed(name)
        if name in versions:
            requirements[name] = f'{name}=={versions[name]}'
        elif distribution is not None:
            requirements[name] = requirement(distribution)
        else:
            raise UsageError(
                f'{package.name} needs {name}, which was not installed by pip: nothing can be '
                'compiled with it.'
            )
    return requirements


def _is_new(package: ForeignPackage, version: str, replace: bool) -> bool:
    """Return whether a package must be installed; raises UsageError if it may not be."""
    if reason := name_refusal(package.name):
        raise UsageError(f'{reason}: interfaces of that name cannot be added.')
    here = installed(package.name)
    if here is None or here.version == version:
        return here is None
    if not replace:
        raise UsageError(
            f'{package.name} is installed with other content ({here.version}, in {package.folder} '
            f'is {version}): `{own_command()} interfaces add {package.folder} --replace` takes '
            'this one.'
        )
    return True


def _compile(
    new: Sequence[Sequence[ForeignPackage]],
    versions: dict[str, str],
    root: Path,
    installs: Installer,
    logs: Path,
) -> list[Path]:
    """Compile packages in projects below `root`; return their wheels."""
    cmake = root / CMAKE
    cmake.mkdir(parents=True)
    for path in (default_folder().parent / CMAKE).glob('*.cmake'):
        (cmake / path.name).write_bytes(path.read_bytes())
    added = {package.name for package in chain.from_iterable(new)}
    paths: set[str] = set()
    for package in chain.from_iterable(new):
        into = root / 'interfaces' / package.name
        write_project(package, _requirements(package, versions), versions[package.name], into)
        for name in set(package.needs) - added:
            distribution = installed(name)
            paths |= set(to_compile_with(distribution)) if distribution else set()
    compiler = InterfaceWheels(root, [*tools(), *sorted(paths)])
    names = [[package.name for package in level] for level in new]
    return compiler.wheels(installs, logs, *map(compiler.packages, names))


def _add_from_index(name: str) -> None:
    if not name.isidentifier():
        raise UsageError(f'{name!r:.80} is neither a folder nor the name of a ROS package.')
    here = installed(name) if has_types(name) else None
    if here is None:
        if reason := name_refusal(name):
            raise UsageError(f'{reason}: interfaces of that name cannot be added.')
        with _installing(f'Asking PyPI for {name}') as (installs, temporary, logs):
            wheels, constraints = wheels_of(name, temporary)
            _install(installs, ['--constraint', constraints, *wheels], logs)
        here = installed(name)
    _report(name, here.version if here else '', None)


@contextmanager
def _installing(title: str) -> Iterator[tuple[Installer, Path, Path]]:
    """Yields the installer, a temporary folder and the folder of logs.

    Raises:
        UsageError: A command failed; the end of its log has been printed.
    """
    logs = cache(os.environ).parent / 'logs'
    try:
        with TemporaryDirectory(prefix='bt_executive-') as temporary, Progress() as progress:
            progress.print_line(title)
            with installer(progress, logs) as installs:
                yield installs, Path(temporary), logs
    except CommandError as error:
        raise UsageError(f'{error} failed, and nothing was installed: see {logs}.') from None


def _install(installs: Installer, what: Sequence[object], logs: Path) -> None:
    installs.install('ROS interfaces', what, logs / 'install.log')
    importlib.invalidate_caches()


def _is_installed(type_name: str) -> bool:
    try:
        interface_class(type_name)
    except LookupError:
        return False
    return True


def _report(name: str, version: str, package: ForeignPackage | None) -> None:
    """Loads each type of a package, and prints what is installed."""
    for path in package.files if package else ():
        type_name = f'{name}/{path.parent.name}/{path.stem}'
        try:
            load_type_support(type_name)
        except (LookupError, ImportError, OSError) as error:
            _fail(type_name, error)
    counts = [f'{len([*files])} {kind}' for kind, files in _by_kind(package)] if package else []
    print(f'{name} {version} is installed{": " if counts else ""}{", ".join(counts)}')
    if older := compiled_with(name, version):
        print(f'Compiled with another {name}, so add them again: {", ".join(older)}')


def _by_kind(package: ForeignPackage) -> Iterator[tuple[str, list[Path]]]:
    for kind in ('msg', 'srv', 'action'):
        if files := [path for path in package.files if path.parent.name == kind]:
            yield kind, files


def _fail(type_name: str, error: Exception) -> NoReturn:
    raise UsageError(f'{type_name} was installed but cannot be loaded ({error}).')
