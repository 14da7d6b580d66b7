"""The reducers of plug-ins that make one value of a list in the messages of a topic."""

from __future__ import annotations

from collections.abc import Iterable

from bt_executive.plugins.checked_plugin_answers import contained_reducer
from bt_executive.plugins.installed_plugins import load
from bt_executive.plugins.plugin_interfaces import REDUCERS
from rover_common.config.settings.state_entries import BUILT_IN_REDUCERS, TopicField
from rover_common.state_value_of_message import Reducers


def plugged_reducers(fields: Iterable[TopicField]) -> Reducers:
    """Return the reducers that these fields of the state name, by name."""
    return {
        each.reduce: contained_reducer(each.reduce, load(REDUCERS, each.reduce))
        for each in fields
        if each.reduce and each.reduce not in BUILT_IN_REDUCERS
    }
