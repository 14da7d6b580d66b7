"""Parses the first message of a client: its id and capabilities, in all dialects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
import json
from typing import Any

from rover_vision.capture.client_request_formats import LONGEST_ID
from rover_vision.capture.connected_clients import Dialect, Hello, Offer, Source

LONGEST_HELLO = 16_384  # characters
CAPABILITY, CAPABILITY_VERSION = 'vision.capture', '1'  # of clients with named sources
_PREFIX = 'vision.'  # of the capabilities of older clients: vision.camera, vision.desktop
MOST_NAMES = 50


def read_hello(text: str, default: Dialect) -> Hello | None:
    """Return the registration in a first message; None: any other message, which is ignored.

    `default`: the dialect of older clients that name none.
    """
    if len(text) > LONGEST_HELLO:
        return None
    try:
        message = json.loads(text.removeprefix('\ufeff'))
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.get('type') != 'hello':
        return None
    client_id = message.get('client_id')
    if not isinstance(client_id, str) or not 0 < len(client_id.strip()) <= LONGEST_ID:
        return None
    if _has_versions(message):
        return _with_sources(client_id.strip(), message)
    named = message.get('dialect')
    dialect: Dialect = named if named in ('unit_id', 'event_id') else default
    return Hello(client_id.strip(), _sources(message), dialect)


def _sources(message: Mapping[str, Any]) -> frozenset[Source]:
    """Return the sources that a client claims; unknown capabilities are left out."""
    names = {each for each in _listed(message, 'caps') if isinstance(each, str)}
    return frozenset(each for each in Source if _PREFIX + each.value in names)


def _has_versions(message: Mapping[str, Any]) -> bool:
    """Return whether capabilities have versions, as those of clients since 2026-05."""
    return any(isinstance(each, dict) for each in _listed(message, 'caps'))


def _with_sources(client_id: str, message: Mapping[str, Any]) -> Hello:
    """Return the sources of a client since 2026-05; the first of each kind counts."""
    offers: dict[Source, Offer] = {}
    if _is_able(message):
        for source, offer in _offers(message):
            offers.setdefault(source, offer)
    event_names = None
    if isinstance(message.get('event_subscriptions'), list):
        event_names = frozenset(
            e for e in _listed(message, 'event_subscriptions') if isinstance(e, str)
        )
    return Hello(client_id, frozenset(offers), 'capabilities', offers, event_names)


def _is_able(message: Mapping[str, Any]) -> bool:
    return any(
        isinstance(each, dict)
        and (each.get('id'), each.get('version')) == (CAPABILITY, CAPABILITY_VERSION)
        for each in _listed(message, 'caps')
    )


def _offers(message: Mapping[str, Any]) -> Iterator[tuple[Source, Offer]]:
    kinds = {each.value: each for each in Source}
    for each in _listed(message, 'vision_sources'):
        if not isinstance(each, dict) or each.get('capability_id') != CAPABILITY:
            continue
        name, label = each.get('vision_source_id'), each.get('label')
        source = kinds.get(str(each.get('kind')))
        if isinstance(name, str) and 0 < len(name) <= LONGEST_ID and source is not None:
            yield source, Offer(name, label[:LONGEST_ID] if isinstance(label, str) else '')


def _listed(message: Mapping[str, Any], key: str) -> list[Any]:
    value = message.get(key)
    return value[:MOST_NAMES] if isinstance(value, list) else []
