"""The texts that the sockets of clients get: requests for pictures, and events.

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
MESSAGE = 'assistant_message'  # what clients since 2026-05 call all that is said to a user
UNASKED = 'wake'  # its origin, when nobody has asked


def capture_frame(send: Send) -> str:
    """The text that asks a client for a picture."""
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
    """An event as a client reads it; `number` is that of the episode it is about, else 0.

    None: this client does not want to hear of it.
    """
    if hello.dialect != 'capabilities':
        return _frame(kind, data, number, hello)
    if hello.hears is not None and MESSAGE not in hello.hears:
        return None
    return _frame(MESSAGE, {'source_kind': UNASKED, **data}, number, hello)


def _frame(kind: str, data: Mapping[str, Any], number: int, hello: Hello) -> str:
    name = 'unit_id' if hello.dialect == 'unit_id' else 'event_id'
    return json.dumps({name: number, 'type': kind, 'data': data}, ensure_ascii=False)
