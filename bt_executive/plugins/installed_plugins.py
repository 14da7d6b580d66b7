"""Finds plug-ins among what is installed, by the entry points of its packages.

A name in a robot's file chooses among them. It is never imported as such.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from bt_executive.plugins.plugin_interfaces import GROUPS
from rover_common.errors import ConfigError
from rover_common.printable import one_line

LONGEST_REASON = 200  # characters of what a plug-in says of itself


def names(group: str) -> tuple[str, ...]:
    """Returns the names of the installed plug-ins of a group."""
    return tuple(sorted({each.name for each in entry_points(group=group)}))


@cache
def load(group: str, name: str) -> Callable[..., Any]:
    """Loads an installed plug-in, once: to look at what is installed takes longer than a tick.

    Raises:
        ConfigError: None of this name is installed, or several are, or it cannot be loaded.
    """
    assert group in GROUPS
    found = {each.value: each for each in entry_points(group=group) if each.name == name}
    if not found:
        known = ', '.join(names(group)) or 'none'
        raise ConfigError(
            f'{name!r} is no installed plug-in of the group {group} (installed: {known}); install '
            'the Python package that has it into this environment, with pip'
        )
    if len(found) > 1:
        origins = ' and '.join(map(_origin, found.values()))
        raise ConfigError(f'{name!r} of the group {group} is in {origins}; uninstall one of them')
    (entry,) = found.values()
    try:
        plugin = entry.load()
    except (Exception, SystemExit) as error:  # whatever a package does when it is imported
        raise ConfigError(
            f'{name!r} of {_origin(entry)} cannot be loaded: {fault(error)}'
        ) from None
    if not callable(plugin):
        raise ConfigError(f'{name!r} of {_origin(entry)} is {entry.value}, which cannot be called')
    called: Callable[..., Any] = plugin
    return called


def load_faults(group: str, name: str, key: str) -> Iterator[str]:
    """Yields why a plug-in that a file names cannot be used; `key`: where it is named."""
    try:
        load(group, name)
    except ConfigError as error:
        yield f'{key}: {error}.'


def fault(error: BaseException) -> str:
    """Returns what a plug-in raised, in a line. How it is written is the plug-in's code, too."""
    kind = type(error).__name__
    try:
        text = f'{kind}: {error}'
    except BaseException:
        text = kind
    return one_line(text[: 2 * LONGEST_REASON])[:LONGEST_REASON].rstrip(' .:')


def _origin(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else entry.value
