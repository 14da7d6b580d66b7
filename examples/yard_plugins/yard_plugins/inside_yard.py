"""A guard: a tool drives to places inside the yard only."""

from __future__ import annotations

from bt_executive.plugins.plugin_interfaces import Facts, Options


def inside_yard(facts: Facts, options: Options) -> bool | None:
    """Allows places whose arguments `x` and `y` are within `options`: `x` and `y`, in m.

    Not known: a call without a place.
    """
    place = facts.arguments.get('x'), facts.arguments.get('y')
    if not all(isinstance(each, (int, float)) for each in place):
        return None
    bounds = options['x'], options['y']
    return all(low <= each <= high for each, (low, high) in zip(place, bounds, strict=True))
