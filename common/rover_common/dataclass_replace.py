"""`dataclasses.replace` for frozen values that are replaced many times in a tick.

The library passes every field through `__init__`, which was 6 % of what a tool call costs.
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar('T')

if TYPE_CHECKING:
    from dataclasses import replace
else:

    def replace(value: T, /, **changes: Any) -> T:
        """Return a copy with some fields changed.

        Raises:
            TypeError: A field is not known.
        """
        names = _copied(type(value))
        if names is None or not names.issuperset(changes):
            return dataclasses.replace(value, **changes)
        current = value.__dict__
        if len(current) != len(names):  # a cached property belongs to the old value
            current = {name: current[name] for name in names}
        copy = object.__new__(type(value))
        copy.__dict__.update(current)
        copy.__dict__.update(changes)
        return copy


__all__ = ['replace']


@cache
def _copied(kind: type) -> frozenset[str] | None:
    """The fields, if nothing but them makes a value of this class; else None."""
    fields = dataclasses.fields(kind)
    if hasattr(kind, '__post_init__') or hasattr(kind, '__slots__'):
        return None
    return frozenset(each.name for each in fields) if all(each.init for each in fields) else None
