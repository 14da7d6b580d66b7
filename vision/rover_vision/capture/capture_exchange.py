"""Values of the exchange with clients: requests, answers, and actions of the gateway."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from rover_vision.capture.captured_picture import Picture, PictureSet
from rover_vision.capture.connected_clients import Hello, Source
from rover_vision.capture.look_fault import LookFault
from rover_vision.place_of_look import Place


@dataclass(frozen=True)
class CaptureRequest:
    """A request for a picture.

    Attributes:
        purpose: chat or desktop_watch, as the client is told.
        preferred: Ids of the clients to ask first.
        others: Whether any other client that is able may be asked.
        timeout_s: As the client is told; s.
    """

    request_id: str
    source: Source
    purpose: str
    preferred: tuple[str, ...] = ()
    others: bool = True
    timeout_s: float = 5.0


@dataclass(frozen=True)
class CaptureAnswer:
    """A well-formed answer: pictures, or an error. `context`: of the window that was captured."""

    request_id: str
    client_id: str
    pictures: tuple[Picture, ...] = ()
    error: str = ''
    context: Mapping[str, str] = field(default_factory=dict)
    stamp_s: float = 0.0
    place: Place | None = None

    @property
    def seen(self) -> PictureSet:
        """Return its pictures; only for an answer that has some."""
        return PictureSet(self.client_id, self.pictures, self.context, self.stamp_s, self.place)


@dataclass(frozen=True)
class Send:
    """Send the request over this connection, to the client that registered on it.

    `timeout_s`: what is left of the time limit.
    """

    connection: int
    request: CaptureRequest
    hello: Hello
    timeout_s: float


@dataclass(frozen=True)
class Close:
    """Close this connection."""

    connection: int
    code: int


@dataclass(frozen=True)
class Ended:
    """The end of a look: pictures, or the reason why there are none."""

    request_id: str
    outcome: PictureSet | LookFault


@dataclass(frozen=True)
class Late:
    """A picture that arrived after its look had ended."""

    request: CaptureRequest
    seen: PictureSet


Action: TypeAlias = Send | Close | Ended | Late
