"""A look: its request, the pictures that it returns, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol, TypeAlias

from rover_common.reason import Reason
from rover_vision.capture.connected_clients import Source
from rover_vision.place_of_look import Place


@dataclass(frozen=True)
class Picture:
    """An encoded picture. `format` and the size in pixels are those of its content."""

    data: bytes = field(repr=False)
    format: str  # png, jpeg or webp
    width: int
    height: int

    @property
    def media_type(self) -> str:
        """Return the media type, such as image/png."""
        return f'image/{self.format}'


@dataclass(frozen=True)
class PictureSet:
    """The pictures of a client's answer, at least one, with the captured window if any.

    `stamp_s`: ROS time of the picture; 0: unknown. `place`: where the rover took it; None:
    unknown, as with every client but the rover's camera.
    """

    client_id: str
    pictures: tuple[Picture, ...]
    context: Mapping[str, str] = field(default_factory=dict)
    stamp_s: float = 0.0
    place: Place | None = None


class LookCode(str, Enum):
    """Reasons for a look without a picture."""

    NO_CLIENT = 'NO_CLIENT'
    TIMED_OUT = 'TIMED_OUT'
    CLIENT_ERROR = 'CLIENT_ERROR'
    SKIPPED = 'SKIPPED'
    BAD_ANSWER = 'BAD_ANSWER'
    CANCELLED = 'CANCELLED'
    REFUSED = 'REFUSED'  # by the tree


LookFault: TypeAlias = Reason[LookCode]


@dataclass(frozen=True)
class LookRequest:
    """A request for a look.

    Attributes:
        question: About the picture; may be empty.
        purpose: chat or desktop_watch.
        target: The client to look at; empty: any that can.
        only_target: Whether no other client may be asked.
    """

    source: Source
    question: str
    purpose: str
    target: str = ''
    only_target: bool = False


class Looks(Protocol):
    """Executes looks that the tree allows."""

    async def look(self, request: LookRequest) -> PictureSet | LookFault:
        """Return the pictures, or why there are none. Never raises."""
