"""The answer of a client since 2026-05: the body of POST /api/capability/result, and its reply."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from rover_vision.capture.client_registration import CAPABILITY
from rover_vision.capture.client_request_formats import (
    CaptureResponse,
    Id,
    WireError,
    checked,
    read_body,
)

ACCEPTED: dict[str, Any] = {'ok': True, 'data': {}}  # anything else is a failure to the client
INVALID = 'invalid_capability_result'


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
