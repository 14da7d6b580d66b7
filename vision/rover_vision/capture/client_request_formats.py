"""The bodies that clients send, in the protocol of a public server and its client."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
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

from rover_common.text_sanitizing import incoming_text

LONGEST_ID = 200
PEEK = 4096  # bytes of a refused body that are searched for ids
_REQUEST_ID = re.compile(rb'"request_id"\s*:\s*"([^"\\]{1,200})"')
_CLIENT_ID = re.compile(rb'"client_id"\s*:\s*"([^"\\]{1,200})"')

Model = TypeVar('Model', bound=BaseModel)
Id = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_ID)]


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


class ChatRequest(BaseModel):
    """The body of POST /api/chat. Other keys of the public client are ignored."""

    model_config = ConfigDict(frozen=True)

    client_id: Id
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
