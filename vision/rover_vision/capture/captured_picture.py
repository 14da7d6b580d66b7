"""A validated picture, with its client and context."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
