"""From the camera's JPEG to the scored one: decode, darken, write the score, encode."""

from __future__ import annotations

import cv2
import numpy as np

from curiosity_sim.array_types import Pixels

# Size of the letters at this width of the picture; other widths scale with it.
REFERENCE_WIDTH = 800
FONT = cv2.FONT_HERSHEY_SIMPLEX
WHITE, BLACK = (255, 255, 255), (0, 0, 0)


class PictureError(ValueError):
    """A picture that cannot be read or written. The text has the reason."""


def decode(data: bytes) -> Pixels:
    """Blue, green, red rows of a compressed picture (JPEG, PNG or what OpenCV knows).

    Raises:
        PictureError: The bytes are not a whole picture.
    """
    if not data:
        raise PictureError('it has 0 bytes')
    try:
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error as error:
        raise PictureError(f'OpenCV says: {error.err}') from error
    if picture is None:
        raise PictureError(f'its {len(data)} bytes are no picture that OpenCV can read')
    return np.asarray(picture, np.uint8)


def darken(picture: Pixels, gain: float) -> Pixels:
    """Every value times `gain` (0 to 1), rounded."""
    return np.asarray(cv2.convertScaleAbs(picture, alpha=gain), np.uint8)


def write_score(picture: Pixels, text: str) -> None:
    """Writes a line into the picture's upper left corner, white on black at any brightness."""
    scale = max(picture.shape[1] / REFERENCE_WIDTH, 0.4)
    thick = max(round(2 * scale), 1)
    (width, height), below = cv2.getTextSize(text, FONT, scale, thick)
    margin = round(10 * scale)
    corner = (width + 2 * margin, height + below + 2 * margin)
    cv2.rectangle(picture, (0, 0), corner, BLACK, cv2.FILLED)
    cv2.putText(picture, text, (margin, margin + height), FONT, scale, WHITE, thick, cv2.LINE_AA)


def encode(picture: Pixels, quality: int) -> bytes:
    """A JPEG of the picture; quality from 1 to 100.

    Raises:
        PictureError: OpenCV cannot write it.
    """
    try:
        done, data = cv2.imencode('.jpg', picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    except cv2.error as error:
        raise PictureError(f'OpenCV says: {error.err}') from error
    if not done:
        raise PictureError(f'OpenCV cannot write a JPEG of shape {picture.shape}')
    return bytes(data.tobytes())
