"""A guard: a tool drives to places inside the yard only."""

from __future__ import annotations

from bt_executive.plugins.plugin_interfaces import Options, PluginContext


def inside_yard(context: PluginContext, options: Options) -> bool | None:
    """Allows places whose arguments `x` and `y` are within `options`: `x` and `y`, in m.

    A call without a place is unknown.
    """
    place = context.arguments.get('x'), context.arguments.get('y')
    if not all(isinstance(value, (int, float)) for value in place):
        return None
    bounds = options['x'], options['y']
    return all(low <= value <= high for value, (low, high) in zip(place, bounds, strict=True))
