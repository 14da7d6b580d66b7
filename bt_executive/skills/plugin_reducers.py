"""The reducers of plug-ins, which reduce a list in a message to one value."""

from __future__ import annotations

from collections.abc import Iterable

from bt_executive.plugins.checked_plugin_answers import checked_reducer
from bt_executive.plugins.installed_plugins import load
from bt_executive.plugins.plugin_interfaces import REDUCERS
from rover_common.config.settings.state_entries import BUILT_IN_REDUCERS, TopicField
from rover_common.state_value_of_message import Reducers


def plugin_reducers(fields: Iterable[TopicField]) -> Reducers:
    """Return the reducers of plug-ins that these fields of the state name, by name."""
    names = {field.reduce for field in fields if field.reduce} - {*BUILT_IN_REDUCERS}
    return {name: checked_reducer(name, load(REDUCERS, name)) for name in sorted(names)}
