"""A picture that was checked, and who took it in which surroundings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rover_vision.place_of_look import Place


@dataclass(frozen=True)
class Picture:
    """One encoded picture. `format` and the size in pixels are those of its content."""

    data: bytes = field(repr=False)
    format: str  # png, jpeg or webp
    width: int
    height: int

    @property
    def media_type(self) -> str:
        """Such as image/png."""
        return f'image/{self.format}'


@dataclass(frozen=True)
class PictureSet:
    """What a client answered: at least one picture, and the window that it shows if any.

    `stamp_s`: ROS time of the picture; 0 if its client does not tell. `place`: where the rover
    took it; None if that is not known, as with every client but the rover's camera.
    """

    client_id: str
    pictures: tuple[Picture, ...]
    context: Mapping[str, str] = field(default_factory=dict)
    stamp_s: float = 0.0
    place: Place | None = None
