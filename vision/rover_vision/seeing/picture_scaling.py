"""Scales a picture down to the limits of a model."""

from __future__ import annotations

import io

from PIL import Image

from rover_vision.capture.captured_picture import Picture

QUALITY = 88
MOST_BYTES = 3_500_000  # Anthropic accepts 5 MB in base64, the others more


def scaled(picture: Picture, max_edge: int) -> Picture:
    """Return the picture if it is small enough, else a JPEG whose longer side is `max_edge`."""
    fits = max(picture.width, picture.height) <= max_edge and len(picture.data) <= MOST_BYTES
    if fits and picture.format != 'webp':
        return picture
    with Image.open(io.BytesIO(picture.data)) as image:
        smaller = image.convert('RGB')
    smaller.thumbnail((max_edge, max_edge))
    file = io.BytesIO()
    smaller.save(file, 'JPEG', quality=QUALITY)
    return Picture(file.getvalue(), 'jpeg', *smaller.size)
