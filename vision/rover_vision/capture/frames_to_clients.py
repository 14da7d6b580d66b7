"""Frames for the sockets of clients: requests for pictures, and events.

Three versions of the public client cannot read one frame, because each drops what another needs.
`unit_id` serves the oldest one, `event_id` the next one. `capabilities` serves those since
2026-05: they have `event_id`, too, and are asked for one of the sources that they named
(docs/decisions/0051-the-clients-protocol.md).
"""

from __future__ import annotations

from collections.abc import Mapping
import json
from typing import Any

from rover_vision.capture.capture_exchange import Send
from rover_vision.capture.client_registration import CAPABILITY
from rover_vision.capture.connected_clients import Hello

REQUEST = 'vision.capture_request'
MESSAGE = 'assistant_message'  # name of messages to a user, in clients since 2026-05
UNASKED = 'wake'  # its origin without a question


def capture_frame(send: Send) -> str:
    """Return the frame that requests a picture."""
    request, hello = send.request, send.hello
    timeout_ms = max(1, round(send.timeout_s * 1000))
    data: dict[str, Any] = {'request_id': request.request_id}
    if hello.dialect == 'capabilities':
        offer = hello.offers[request.source]
        data |= {
            'capability_id': CAPABILITY,
            'vision_source_id': offer.source_id,
            'source_kind': request.source.value,
            'source_label': offer.label,
            'mode': 'still',
        }
    else:
        data |= {'source': request.source.value, 'mode': 'still', 'purpose': request.purpose}
    return _frame(REQUEST, data | {'timeout_ms': timeout_ms}, 0, hello)


def event_frame(kind: str, data: Mapping[str, Any], number: int, hello: Hello) -> str | None:
    """Return the frame of an event; `number`: of its episode, else 0.

    None: this client does not want to hear of it.
    """
    if hello.dialect != 'capabilities':
        return _frame(kind, data, number, hello)
    if hello.event_names is not None and MESSAGE not in hello.event_names:
        return None
    return _frame(MESSAGE, {'source_kind': UNASKED, **data}, number, hello)


def _frame(kind: str, data: Mapping[str, Any], number: int, hello: Hello) -> str:
    name = 'unit_id' if hello.dialect == 'unit_id' else 'event_id'
    return json.dumps({name: number, 'type': kind, 'data': data}, ensure_ascii=False)
