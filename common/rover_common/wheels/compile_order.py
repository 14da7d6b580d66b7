"""Puts the interface packages that somebody names, with those beside them, into order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
import difflib
from pathlib import Path

from rover_common.errors import UsageError
from rover_common.wheels.interface_package import (
    MANIFEST,
    ForeignPackage,
    has_interfaces,
    name_in,
    read_package,
)

DEPTHS = ('*', '*/*', '*/*/*')  # how far below a folder packages are found

# Whether an interface is installed, as `geometry_msgs/msg/Point`.
IsInstalled = Callable[[str], bool]


def packages_at(path: Path) -> list[Path]:
    """Returns the folders of the packages that a path means: its own, or all below.

    Raises:
        UsageError: There is none.
    """
    if (path / MANIFEST).is_file():
        return [path]
    if not path.is_dir():
        raise UsageError(f'{path} is no folder: name the folder of a ROS package.')
    found = sorted(_below(path).values())
    if not found:
        raise UsageError(
            f'{path} has no {MANIFEST}, nor a folder below it with one and with interfaces (msg/, '
            'srv/, action/): name the folder of a ROS package.'
        )
    return found


def package_below(folder: Path, name: str) -> Path | None:
    """Returns the folder of the interface package of this name below a folder, if there is one."""
    return _below(folder).get(name)


def levels(
    wanted: Iterable[Path], is_installed: IsInstalled, only: Sequence[str] = ()
) -> list[list[ForeignPackage]]:
    """Returns these packages, and those beside them that they need, in the order to compile.

    Those of one level use types of earlier levels only, or what is installed.

    Args:
        wanted: Their folders.
        is_installed: Whether an interface is.
        only: Of all of them these interfaces, with the messages that they use; empty: all.

    Raises:
        UsageError: One cannot be read, needs what is nowhere, or two need each other.
    """
    found: dict[str, ForeignPackage] = {}
    for folder in wanted:
        _collect(folder, found, is_installed)
    if only:
        found = _parts(found, only)
    for package in found.values():
        _check_uses(package, found, is_installed)
    return _sorted(found)


def _collect(folder: Path, found: dict[str, ForeignPackage], is_installed: IsInstalled) -> None:
    """Enters a package, and those beside it that it needs and that are not installed."""
    package = read_package(folder)
    other = found.setdefault(package.name, package)
    if other is not package:
        if other.folder.resolve() != folder.resolve():
            raise UsageError(f'{other.folder} and {folder} are both {package.name}: name one.')
        return
    beside = _below(folder.resolve().parent)
    for use in package.uses:
        is_new = use.package not in found and not is_installed(f'{use.package}/msg/{use.name}')
        if is_new and use.package in beside:
            _collect(beside[use.package], found, is_installed)


def _parts(found: Mapping[str, ForeignPackage], only: Sequence[str]) -> dict[str, ForeignPackage]:
    """Returns of each package what these interfaces consist of; those without any are left out."""
    types = {name: path for each in found.values() for name, path in each.types().items()}
    kept: dict[str, set[Path]] = {name: set() for name in found}
    left = [*only]
    while left:
        type_name = left.pop()
        package = type_name.partition('/')[0]
        if type_name not in types:
            if type_name in only:
                raise UsageError(_no_type(type_name, [*types]))
            continue  # it is installed, or `_check_uses` says that it is nowhere
        if types[type_name] not in kept[package]:
            kept[package].add(types[type_name])
            left += [
                f'{use.package}/msg/{use.name}'
                for use in found[package].uses
                if use.file == types[type_name]
            ]
    return {name: found[name].part(files) for name, files in kept.items() if files}


def _no_type(type_name: str, types: Sequence[str]) -> str:
    ending = type_name.rpartition('/')[2]
    close = [each for each in types if each.endswith(f'/{ending}')]
    close = close or difflib.get_close_matches(type_name, types, n=1)
    hint = f'did you mean {close[0]}?' if close else f'write one such as {types[0]}.'
    return f'--only {type_name!r:.100}: no package that was named has it; {hint}'


def _check_uses(
    package: ForeignPackage, found: Mapping[str, ForeignPackage], is_installed: IsInstalled
) -> None:
    for use in package.uses:
        other = found.get(use.package)
        if other is not None:
            if use.name not in other.messages():
                raise UsageError(f'{use.where}: {use.package} has no message {use.name}.')
        elif not is_installed(f'{use.package}/msg/{use.name}'):
            raise UsageError(
                f'{use.where}: {use.package}/{use.name} is neither installed nor in a package '
                f'beside {package.folder}: put the folder of {use.package} there, or try '
                f'`bt-executive interfaces add {use.package}`, which asks PyPI.'
            )


def _sorted(found: Mapping[str, ForeignPackage]) -> list[list[ForeignPackage]]:
    left, ordered = dict(found), []
    while left:
        ready = [each for each in left.values() if not left.keys() & set(each.needs)]
        if not ready:
            raise UsageError(f'{", ".join(sorted(left))} need each other: none can be first.')
        ordered.append(ready)
        left = {name: each for name, each in left.items() if each not in ready}
    return ordered


def _below(folder: Path) -> Mapping[str, Path]:
    """The interface packages below a folder, by name; what cannot be read is left out."""
    found: dict[str, Path] = {}
    for manifest in _manifests(folder):
        if has_interfaces(manifest.parent):
            try:
                found.setdefault(name_in(manifest), manifest.parent)
            except UsageError:
                continue
    return found


def _manifests(folder: Path) -> Sequence[Path]:
    return [
        path
        for depth in DEPTHS
        for path in sorted(folder.glob(f'{depth}/{MANIFEST}'))
        if not any(part.startswith('.') for part in path.relative_to(folder).parts)
    ]
