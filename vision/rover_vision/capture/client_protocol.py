"""The protocol of clients, in all its dialects: what they send, and what they are sent.

They send a registration (hello), bodies with answers, and chat; they are sent frames.
Three versions of the public client cannot read one frame, because each drops what another needs.
`unit_id` serves the oldest one, `event_id` the next one. `capabilities` serves those since
2026-05: they have `event_id`, too, and are asked for one of the sources that they named
(docs/decisions/0051-the-clients-protocol.md).
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping
import json
import re
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from rover_common.json_values import read_json_object
from rover_common.text_sanitizing import incoming_text
from rover_vision.capture.connected_clients import ROVER, Dialect, Hello, Offer, Source
from rover_vision.capture.pending_looks import Send

LONGEST_ID = 200
PEEK = 4096  # bytes of a refused body that are searched for ids
_REQUEST_ID = re.compile(rb'"request_id"\s*:\s*"([^"\\]{1,200})"')
_CLIENT_ID = re.compile(rb'"client_id"\s*:\s*"([^"\\]{1,200})"')

Model = TypeVar('Model', bound=BaseModel)
Id = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_ID)]
LONGEST_HELLO = 16_384  # characters
CAPABILITY, CAPABILITY_VERSION = 'vision.capture', '1'  # of clients with named sources
_PREFIX = 'vision.'  # of the capabilities of older clients: vision.camera, vision.desktop
MOST_NAMES = 50
ACCEPTED: dict[str, Any] = {'ok': True, 'data': {}}  # anything else is a failure to the client
INVALID = 'invalid_capability_result'
REQUEST = 'vision.capture_request'
MESSAGE = 'assistant_message'  # name of messages to a user, in clients since 2026-05
UNASKED = 'wake'  # its origin without a question


class WireError(ValueError):
    """A text that does not follow the protocol; the message is a sentence."""


class CaptureResponse(BaseModel):
    """The body of POST /api/v2/vision/capture-response. Absent and null are the same."""

    model_config = ConfigDict(frozen=True)

    request_id: Id
    client_id: Id
    images: tuple[str, ...] | None = None
    client_context: dict[str, Any] | None = None
    error: str | None = None

    def context(self) -> dict[str, str]:
        """Return the context of the captured window, bounded."""
        given = self.client_context or {}
        names = ('active_app', 'window_title', 'locale', 'source_label')
        return {name: f'{given[name]:.300}' for name in names if isinstance(given.get(name), str)}


def _not_reserved(client_id: str) -> str:
    if client_id == ROVER:
        raise ValueError(f"{ROVER!r} is the robot's own camera: name the client otherwise")
    return client_id


class ChatRequest(BaseModel):
    """The body of POST /api/chat. Other keys of the public client are ignored."""

    model_config = ConfigDict(frozen=True)

    client_id: Annotated[Id, AfterValidator(_not_reserved)]
    input_text: Annotated[str, Field(max_length=8000), AfterValidator(incoming_text)] = ''
    embedding_preset_id: str | None = None
    images: tuple[dict[str, Any], ...] | None = None
    client_context: dict[str, Any] | None = None


def read_capture_response(body: bytes, most_pictures: int) -> CaptureResponse:
    """Parse the answer of a client; only its form is validated.

    Raises:
        WireError: It does not follow the protocol.
    """
    return checked(read_body(CaptureResponse, body), most_pictures)


def checked(response: CaptureResponse, most_pictures: int) -> CaptureResponse:
    """Return the answer, if it has pictures or an error.

    Raises:
        WireError: It has both, neither, or too many pictures.
    """
    pictures = len(response.images or ())
    if pictures > most_pictures:
        raise WireError(f'images has {pictures} entries, allowed are {most_pictures}.')
    if pictures and response.error:
        raise WireError('images and error are both given: only one of them can be meant.')
    if not pictures and not response.error:
        raise WireError('images is empty and error is not given: one of them is needed.')
    return response


def read_body(model: type[Model], body: bytes) -> Model:
    """Validate a JSON body by a model.

    Raises:
        WireError: It is not that.
    """
    try:
        return model.model_validate_json(body.removeprefix(codecs.BOM_UTF8))
    except ValidationError as error:
        raise WireError(_sentence(error)) from None


def _sentence(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False)[0]
    where = '.'.join(map(str, fault['loc'])) or 'the body'
    return f'{where}: {fault["msg"]:.200}.'


def peek_ids(head: bytes) -> tuple[str, str | None]:
    """Return the ids of look and client in the start of an unusable body; empty, None."""
    request_id, client_id = _REQUEST_ID.search(head), _CLIENT_ID.search(head)
    return (
        request_id[1].decode(errors='replace') if request_id else '',
        client_id[1].decode(errors='replace') if client_id else None,
    )


def sse(event: str, data: Mapping[str, Any]) -> str:
    """Return a server-sent event."""
    return f'event: {event}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n'


def read_hello(text: str, default: Dialect) -> Hello | None:
    """Return the registration in a first message; None: any other message, which is ignored.

    `default`: the dialect of older clients that name none.
    """
    if len(text) > LONGEST_HELLO:
        return None
    try:
        message = read_json_object(text.removeprefix('\ufeff'))
    except ValueError:
        return None
    if message.get('type') != 'hello':
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


class _Result(BaseModel):
    model_config = ConfigDict(frozen=True)

    images: tuple[str, ...] | None = None
    client_context: dict[str, Any] | None = None
    error: str | None = None


class _Body(BaseModel):
    model_config = ConfigDict(frozen=True)

    request_id: Id
    client_id: Id
    capability_id: str
    result: _Result


def read_capability_result(body: bytes, most_pictures: int) -> CaptureResponse:
    """Return the answer in the common form.

    Raises:
        WireError: It does not follow the protocol.
    """
    parsed = read_body(_Body, body)
    if parsed.capability_id != CAPABILITY:
        raise WireError(
            f'capability_id is {parsed.capability_id!r:.80}: only {CAPABILITY} is asked.'
        )
    result = parsed.result
    return checked(
        CaptureResponse(
            request_id=parsed.request_id,
            client_id=parsed.client_id,
            images=result.images,
            client_context=result.client_context,
            error=result.error,
        ),
        most_pictures,
    )


def refusal(sentence: str) -> dict[str, Any]:
    """Return a refusal in the form of such a client."""
    return {'ok': False, 'error': {'code': INVALID, 'message': sentence}}


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
