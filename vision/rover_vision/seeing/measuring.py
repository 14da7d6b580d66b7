"""Measurements as they are kept; a picture that cannot be measured has none."""

from __future__ import annotations

from typing import Any

from rover_vision.capture.captured_picture import Picture
from rover_vision.seeing.picture_measurements import UnreadablePictureError, measure


def measured_data(picture: Picture) -> dict[str, Any]:
    """The measurements of a picture as JSON values."""
    try:
        return measure(picture).as_data()
    except UnreadablePictureError:
        return {}
