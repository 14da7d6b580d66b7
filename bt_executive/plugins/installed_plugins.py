"""Finds installed plug-ins by the entry points of their packages.

A name in a robot's file selects one of them. It is never imported as such.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from bt_executive.plugins.plugin_interfaces import GROUPS
from rover_common.errors import ConfigError
from rover_common.text_sanitizing import one_line

LONGEST_REASON = 200  # characters of the text of a plug-in's exception


def names(group: str) -> tuple[str, ...]:
    """Returns the names of the installed plug-ins of a group."""
    return tuple(sorted({entry.name for entry in entry_points(group=group)}))


@cache
def load(group: str, name: str) -> Callable[..., Any]:
    """Loads an installed plug-in, once: reading the entry points takes longer than a tick.

    Raises:
        ConfigError: None of this name is installed, or several are, or it cannot be loaded.
    """
    assert group in GROUPS
    entries = {entry.value: entry for entry in entry_points(group=group) if entry.name == name}
    if not entries:
        installed = ', '.join(names(group)) or 'none'
        raise ConfigError(
            f'{name!r} is no installed plug-in of the group {group} (installed: {installed}); '
            'install the Python package that has it into this environment, with pip'
        )
    if len(entries) > 1:
        origins = ' and '.join(map(_origin, entries.values()))
        raise ConfigError(f'{name!r} of the group {group} is in {origins}; uninstall one of them')
    (entry,) = entries.values()
    try:
        plugin: Callable[..., Any] = entry.load()
    except (Exception, SystemExit) as error:  # a package may do anything when it is imported
        raise ConfigError(
            f'{name!r} of {_origin(entry)} cannot be loaded: {exception_text(error)}'
        ) from None
    if not callable(plugin):
        raise ConfigError(f'{name!r} of {_origin(entry)} is {entry.value}, which cannot be called')
    return plugin


def load_faults(group: str, name: str, key: str) -> Iterator[str]:
    """Yields why a plug-in that a file names cannot be loaded; `key`: where it is named."""
    try:
        load(group, name)
    except ConfigError as error:
        yield f'{key}: {error}.'


def exception_text(error: BaseException) -> str:
    """Returns a plug-in's exception in a line. Its `str` is the plug-in's code, too."""
    kind = type(error).__name__
    try:
        text = f'{kind}: {error}'
    except BaseException:
        text = kind
    return one_line(text[: 2 * LONGEST_REASON])[:LONGEST_REASON].rstrip(' .:')


def _origin(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else entry.value
