"""The port by which a conversation and the watch look, through the tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rover_vision.capture.captured_picture import PictureSet
from rover_vision.capture.connected_clients import Source
from rover_vision.capture.look_fault import LookFault


@dataclass(frozen=True)
class LookRequest:
    """A request for a look.

    Attributes:
        source: Of the picture.
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
