"""What a client says first: who it is and what it can capture, in the forms of all dialects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
import json
from typing import Any

from rover_vision.capture.client_request_formats import LONGEST_ID
from rover_vision.capture.connected_clients import Dialect, Hello, Offer, Source

LONGEST_HELLO = 16_384  # characters
CAPABILITY, CAPABILITY_VERSION = 'vision.capture', '1'  # of clients that name their sources
_PREFIX = 'vision.'  # of the capabilities of older clients: vision.camera, vision.desktop
MOST_NAMES = 50


def read_hello(text: str, default: Dialect) -> Hello | None:
    """What a client says first; None for everything else, which is ignored.

    `default`: the dialect of older clients that name none.
    """
    if len(text) > LONGEST_HELLO:
        return None
    try:
        said = json.loads(text.removeprefix('\ufeff'))
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or said.get('type') != 'hello':
        return None
    client_id = said.get('client_id')
    if not isinstance(client_id, str) or not 0 < len(client_id.strip()) <= LONGEST_ID:
        return None
    if _has_versions(said):
        return _with_sources(client_id.strip(), said)
    named = said.get('dialect')
    dialect: Dialect = named if named in ('unit_id', 'event_id') else default
    return Hello(client_id.strip(), _sources(said), dialect)


def _sources(said: Mapping[str, Any]) -> frozenset[Source]:
    """What a client claims to capture; a capability that is not known is left out."""
    names = {each for each in _listed(said, 'caps') if isinstance(each, str)}
    return frozenset(each for each in Source if _PREFIX + each.value in names)


def _has_versions(said: Mapping[str, Any]) -> bool:
    """Whether a client names its capabilities with their versions, as those since 2026-05 do."""
    return any(isinstance(each, dict) for each in _listed(said, 'caps'))


def _with_sources(client_id: str, said: Mapping[str, Any]) -> Hello:
    """Of a client since 2026-05; of two sources of a kind the first one counts."""
    offers: dict[Source, Offer] = {}
    if _is_able(said):
        for source, offer in _offers(said):
            offers.setdefault(source, offer)
    hears = None
    if isinstance(said.get('event_subscriptions'), list):
        hears = frozenset(e for e in _listed(said, 'event_subscriptions') if isinstance(e, str))
    return Hello(client_id, frozenset(offers), 'capabilities', offers, hears)


def _is_able(said: Mapping[str, Any]) -> bool:
    return any(
        isinstance(each, dict)
        and (each.get('id'), each.get('version')) == (CAPABILITY, CAPABILITY_VERSION)
        for each in _listed(said, 'caps')
    )


def _offers(said: Mapping[str, Any]) -> Iterator[tuple[Source, Offer]]:
    kinds = {each.value: each for each in Source}
    for each in _listed(said, 'vision_sources'):
        if not isinstance(each, dict) or each.get('capability_id') != CAPABILITY:
            continue
        name, label = each.get('vision_source_id'), each.get('label')
        source = kinds.get(str(each.get('kind')))
        if isinstance(name, str) and 0 < len(name) <= LONGEST_ID and source is not None:
            yield source, Offer(name, label[:LONGEST_ID] if isinstance(label, str) else '')


def _listed(said: Mapping[str, Any], key: str) -> list[Any]:
    value = said.get(key)
    return value[:MOST_NAMES] if isinstance(value, list) else []
