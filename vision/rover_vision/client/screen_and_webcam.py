"""Takes pictures of a screen, or with a webcam."""

from __future__ import annotations

import io
import re
from typing import Any, Protocol

from PIL import Image

from rover_common.errors import BtExecutiveError, UsageError

WARM_UP = 3  # dropped pictures: the first ones are often dark


class CaptureFailedError(BtExecutiveError):
    """No picture could be taken; the text is sent to the gateway."""


class Capture(Protocol):
    """Takes one picture."""

    def __call__(self) -> bytes:
        """Return a PNG.

        Raises:
            CaptureFailedError: No picture could be taken.
        """


class ScreenCapture:
    """Takes pictures of a screen. `number`: 1 is the first, 0: all together.

    Raises:
        UsageError: There is no such screen.
    """

    def __init__(self, number: int, max_edge: int) -> None:
        import mss  # of the extra [vision]

        self._make = mss.mss
        self._number, self._max_edge = number, max_edge
        try:
            with self._make() as screens:
                known = len(screens.monitors)
        except Exception as error:  # mss raises what the display's library does
            raise UsageError(
                f'The screen cannot be captured ({error}): start this in a desktop session, or '
                'leave it out with --no-screen.'
            ) from None
        if not 0 <= number < known:
            raise UsageError(f'There is no screen {number}: give 0 (all) to {known - 1}.')

    def __call__(self) -> bytes:
        """See `Capture`."""
        try:
            with self._make() as screens:
                shot = screens.grab(screens.monitors[self._number])
        except Exception as error:
            raise CaptureFailedError(f'capture failed: {error}') from None
        return png_of(Image.frombytes('RGB', shot.size, shot.bgra, 'raw', 'BGRX'), self._max_edge)


def png_of(image: Image.Image, max_edge: int) -> bytes:
    """Return the picture as a PNG whose longer side is at most `max_edge` pixels."""
    image.thumbnail((max_edge, max_edge))
    file = io.BytesIO()
    image.save(file, 'PNG')
    return file.getvalue()


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
        import cv2  # takes a while, and only who has a webcam needs it

        self._cv2 = cv2
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
        """See `Capture`."""
        opened = self._open()
        try:
            for _ in range(WARM_UP):
                opened.grab()
            ok, pixels = opened.read()
        finally:
            opened.release()
        if not ok:
            raise CaptureFailedError('capture failed: the camera gives no picture')
        return png_of(
            Image.fromarray(self._cv2.cvtColor(pixels, self._cv2.COLOR_BGR2RGB)), self._max_edge
        )

    def _open(self) -> Any:
        opened = self._cv2.VideoCapture(self._device)
        if self._size is not None:
            opened.set(self._cv2.CAP_PROP_FRAME_WIDTH, self._size[0])
            opened.set(self._cv2.CAP_PROP_FRAME_HEIGHT, self._size[1])
        return opened
