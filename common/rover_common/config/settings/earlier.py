"""What folders that were written before a key was there mean by leaving it out.

The conditions on Curiosity's mast were built in once. A folder that names no part and no condition
of its own still has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_MAST: Mapping[str, Any] = {
    'moving_resources': ['base', 'mast'],
    'parts': {'mast': ['open', 'closed', 'between'], 'mast_is_open': 'boolean'},
    'preconditions': {
        'mast_closed': {
            'where': {'mast': 'closed', 'mast_is_open': False},
            'reason': 'Need to close mast',
            'unknown': 'State of the mast is not known',
            'variants': ['B'],
        },
        'mast_open': {
            'where': {'mast': 'open', 'mast_is_open': True},
            'reason': 'Mast is closed',
            'unknown': 'State of the mast is not known',
            'variants': ['B'],
        },
    },
}


def parts_of_an_earlier_folder(skills: Mapping[str, Any]) -> dict[str, Any]:
    """The content of skills.yaml with the keys that an earlier one does not have."""
    if _MAST.keys() & skills.keys():
        own = {'moving_resources': skills.get('resources', []), 'parts': {}, 'preconditions': {}}
        return {**own, **skills}
    resources = skills.get('resources')
    known = resources if isinstance(resources, list) else []
    return {
        **_MAST,
        **skills,
        'moving_resources': [each for each in _MAST['moving_resources'] if each in known],
    }


# No journal was kept, so nothing can depend on it.
_JOURNAL: Mapping[str, Any] = {
    'file': '',
    'on_fault': 'memory_only',
    'keep_days': 30.0,
    'max_mb': 100.0,
    'patience_s': 2.0,
}


# There was no memory; these are the values of the shipped folder.
_MEMORY: Mapping[str, Any] = {
    'store': '',
    'map_epoch': None,
    'max_age_s': 604800.0,
    'view_m': 8.0,
    'half_view_rad': 0.9,
    'looks': 4,
    'look_s': 8.0,
    'standoff_m': 3.0,
    'near_m': 60.0,
    'digest_chars': 600,
}

# It asked no model.
_OFFLINE: Mapping[str, Any] = {
    'provider': 'offline',
    'model': '',
    'base_url': '',
    'timeout_s': 30.0,
    'max_tokens': 200_000,
}


def rest_of_an_earlier_folder(executive: Mapping[str, Any]) -> dict[str, Any]:
    """The content of executive.yaml with the keys that an earlier one does not have."""
    memory = executive.get('memory', _MEMORY)
    if isinstance(memory, dict):
        memory = {'embedding': _OFFLINE, 'model': _OFFLINE, **memory}
    return {'journal': _JOURNAL, **_with_rest_to_charge(executive), 'memory': memory}


def _with_rest_to_charge(executive: Mapping[str, Any]) -> dict[str, Any]:
    """The mast was stowed before a rest to charge."""
    battery, guards = executive.get('battery'), executive.get('guards')
    if not isinstance(battery, dict) or 'before_rest' in battery:
        return dict(executive)
    resolvers = guards.get('resolve_by') if isinstance(guards, dict) else None
    tool = resolvers.get('mast_closed', '') if isinstance(resolvers, dict) else ''
    return {**executive, 'battery': {**battery, 'before_rest': tool}}
