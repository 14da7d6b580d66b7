"""Interface types by name: their Python classes."""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from pathlib import Path
import re
from typing import Any

_TYPE_NAME = re.compile('[a-z][a-z0-9_]*/(msg|srv|action)/[A-Z][A-Za-z0-9]*')


def interface_class(type_name: str) -> Any:
    """The Python class of an interface name such as `std_srvs/srv/Trigger`.

    The name may come from the graph, so no package is imported that has no interfaces.

    Raises:
        LookupError: Its package is not importable or has no such type; the message names it.
    """
    if not _TYPE_NAME.fullmatch(type_name):
        raise LookupError(f'{type_name!r:.200} is no name of an interface')
    package, kind, name = type_name.split('/')
    try:
        found = find_spec(package)
        folders = (found and found.submodule_search_locations) or ()
        if not any(Path(each, kind, '__init__.py').is_file() for each in folders):
            raise ImportError
        return getattr(importlib.import_module(f'{package}.{kind}'), name)
    except (ImportError, AttributeError):
        raise LookupError(
            f'interface {type_name!r} is not installed: build or install package {package!r}, or '
            'compile it (`bt-executive interfaces add PATH`)'
        ) from None


def load_type_support(type_name: str) -> None:
    """Loads the libraries with which an interface is sent and received.

    Raises:
        LookupError: It is not installed, or its libraries are not.
    """
    metaclass = interface_class(type_name).__class__
    metaclass.__import_type_support__()
    if metaclass._TYPE_SUPPORT is None:
        raise LookupError(f'interface {type_name!r} has no type support that can be loaded')


def message_class(type_name: str) -> Any:
    """The class of a message as field types name it, such as `geometry_msgs/Point`."""
    package, name = type_name.split('/')
    return interface_class(f'{package}/msg/{name}')
