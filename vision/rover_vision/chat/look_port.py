"""What a conversation and the watch need to look: one look, through the tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rover_vision.capture.captured_picture import Seen
from rover_vision.capture.connected_clients import Source
from rover_vision.capture.look_fault import LookFault


@dataclass(frozen=True)
class LookOrder:
    """A look that is wanted.

    Attributes:
        purpose: chat or desktop_watch.
        target: The client to look at; empty: whoever can.
        only_target: Whether nobody else may be asked.
    """

    source: Source
    question: str
    purpose: str
    target: str = ''
    only_target: bool = False


class Looks(Protocol):
    """Looks, if the tree allows it."""

    async def look(self, order: LookOrder) -> Seen | LookFault:
        """What was seen, or why nothing was. Never raises."""
