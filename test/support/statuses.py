"""Statuses of an adapter from a few facts, by the names of get_status."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rover_common.adapter_status import NOTHING, AdapterStatus, Ending
from rover_common.message_order import RunNumber

OWN = ('life', 'moving', 'at_rest', 'standing_unknown', 'manual_mode', 'heartbeat', 'ending')


def status_of(facts: Mapping[str, Any]) -> AdapterStatus:
    """The status with these facts; who moves is not at rest, unless it is said."""
    moving = facts.get('moving')
    heard, ended = facts.get('heartbeat'), facts.get('ending')
    ending = ended and Ending(
        RunNumber(ended['sender'], ended['permit']), ended['code'], ended['reason']
    )
    return AdapterStatus(
        sender=facts.get('life', ''),
        moving=moving,
        at_rest=facts.get('at_rest', None if moving is None else not moving),
        standing_unknown=facts.get('standing_unknown') or '',
        manual_mode=facts.get('manual_mode'),
        heartbeat=RunNumber(heard['sender'], heard['sequence']) if heard else NOTHING,
        ending=ending,
        details={key: value for key, value in facts.items() if key not in OWN},
    )
