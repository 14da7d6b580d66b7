"""Validates pictures of clients, by their content and not by their label.

The size is read from the header, so that a small file of a huge picture costs nothing; then the
picture must go on to its end. Nothing is decoded here, while a client waits: whoever measures or
scales the picture does that, and a picture that cannot be decoded ends its look then.
"""

from __future__ import annotations

import base64
import binascii
import io
import re
import warnings

from PIL import Image

from rover_common.config.settings.vision import VisionLimits
from rover_vision.look_request_and_result import Picture

MEGABYTE = 1_000_000
FORMATS = ('PNG', 'JPEG', 'WEBP')
_DATA_URI = re.compile(r'\s*data:[^,]{0,200};base64,', re.IGNORECASE)
_URL_SAFE = str.maketrans('-_', '+/')
_SCAN_OF_JPEG, _END_OF_JPEG = b'\xff\xda', b'\xff\xd9'
_RIFF_HEADER = 8  # bytes, which the length in it does not count


class PictureError(ValueError):
    """Not a usable picture; the text is part of a sentence that says why."""


def picture_from_uri(uri: str, limits: VisionLimits) -> Picture:
    """Return the picture of a data URI.

    Raises:
        PictureError: It is no data URI in base64, or no picture that may be used.
    """
    head = _DATA_URI.match(uri)
    if head is None:
        raise PictureError('it is not a data URI in base64')
    text = uri[head.end() :]
    max_bytes = _max_bytes(limits)
    if len(text) * 3 // 4 > max_bytes * 2:  # white space may be in it
        raise PictureError(f'it has more than {max_bytes} bytes')
    try:
        return check_picture(_decode(text), limits)
    except (binascii.Error, UnicodeEncodeError):
        raise PictureError('its base64 is damaged') from None


def check_picture(data: bytes, limits: VisionLimits) -> Picture:
    """Return the picture in these bytes.

    Raises:
        PictureError: It is too large, damaged, or neither PNG, JPEG nor WebP.
    """
    if len(data) > (max_bytes := _max_bytes(limits)):
        raise PictureError(f'it has {len(data)} bytes, allowed are {max_bytes}')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', Image.DecompressionBombWarning)  # our limit is stricter
        try:
            image = Image.open(io.BytesIO(data), formats=FORMATS)
        except Image.DecompressionBombError:
            raise PictureError(f'it has far more than {limits.max_pixels} pixels') from None
        except Exception:  # Pillow passes any exception of its parsers
            raise PictureError('it is neither PNG, JPEG nor WebP') from None
        _check_size(image, limits)
        return _checked(image, data)


def _max_bytes(limits: VisionLimits) -> int:
    return int(limits.max_picture_mb * MEGABYTE)


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:  # white space in it, another alphabet, or no padding
        plain = ''.join(text.split()).translate(_URL_SAFE).rstrip('=')
        return base64.b64decode(plain + '=' * (-len(plain) % 4), validate=True)


def _check_size(image: Image.Image, limits: VisionLimits) -> None:
    width, height = image.size
    if width < 1 or height < 1:
        raise PictureError('it has no pixels')
    if width * height > limits.max_pixels or max(width, height) > limits.max_edge:
        raise PictureError(
            f'it is {width} x {height} pixels, allowed are {limits.max_pixels} in all and '
            f'{limits.max_edge} along an edge'
        )


def _checked(image: Image.Image, data: bytes) -> Picture:
    (width, height), name = image.size, image.format or ''
    try:
        whole = _is_whole(image, name, data)
    except Exception:
        whole = False
    if not whole:
        raise PictureError(f'its {name} data is damaged or cut off')
    return Picture(data, name.lower(), width, height)


def _is_whole(image: Image.Image, name: str, data: bytes) -> bool:
    """Return whether a picture is complete, as far as its format shows without decoding."""
    if name == 'JPEG':
        return data.rfind(_END_OF_JPEG) > data.find(_SCAN_OF_JPEG) > 0
    if name == 'WEBP':
        return len(data) >= int.from_bytes(data[4:8], 'little') + _RIFF_HEADER
    image.verify()  # the checksum of each part of a PNG, up to the last one
    return True
