"""What goes to a client that is asked for a picture, and what comes back or of it."""

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
    """A picture that is wanted.

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
        """What it shows; only of an answer with pictures."""
        return PictureSet(self.client_id, self.pictures, self.context, self.stamp_s, self.place)


@dataclass(frozen=True)
class Send:
    """Send the request over this connection, to the client that said hello on it.

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
    """The look is over: with what was seen, or with the reason why nothing was."""

    request_id: str
    outcome: PictureSet | LookFault


@dataclass(frozen=True)
class Late:
    """The picture of a look that had ended without one."""

    request: CaptureRequest
    seen: PictureSet


Action: TypeAlias = Send | Close | Ended | Late
