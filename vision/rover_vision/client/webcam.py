"""Takes pictures with a webcam, through OpenCV."""

from __future__ import annotations

import re

import cv2
from PIL import Image

from rover_common.errors import UsageError
from rover_vision.client.screen_capture import CaptureFailedError, png_of

WARM_UP = 3  # dropped pictures: the first ones are often dark


class WebcamCapture:
    """Opens the device for each picture, so that others can use it and its light is off.

    Args:
        device: Its number, or its file such as /dev/video0.
        size: Width and height that are asked for, pixels; None: as the device likes.
        max_edge: Larger pictures are made smaller.

    Raises:
        UsageError: The device cannot be opened.
    """

    def __init__(self, device: str, size: tuple[int, int] | None, max_edge: int) -> None:
        self._device: int | str = int(device) if re.fullmatch('[0-9]{1,4}', device) else device
        self._size, self._max_edge = size, max_edge
        opened = self._open()
        works = opened.isOpened()
        opened.release()
        if not works:
            raise UsageError(
                f'The camera {device!r} cannot be opened: give another number or file with '
                '--camera, or leave it out.'
            )

    def __call__(self) -> bytes:
        """See `rover_vision.client.screen_capture.Capture`."""
        opened = self._open()
        try:
            for _ in range(WARM_UP):
                opened.grab()
            ok, pixels = opened.read()
        finally:
            opened.release()
        if not ok:
            raise CaptureFailedError('capture failed: the camera gives no picture')
        return png_of(Image.fromarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2RGB)), self._max_edge)

    def _open(self) -> cv2.VideoCapture:
        opened = cv2.VideoCapture(self._device)
        if self._size is not None:
            opened.set(cv2.CAP_PROP_FRAME_WIDTH, self._size[0])
            opened.set(cv2.CAP_PROP_FRAME_HEIGHT, self._size[1])
        return opened
