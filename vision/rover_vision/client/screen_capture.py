"""Takes pictures of a screen."""

from __future__ import annotations

import io
from typing import Protocol

from PIL import Image

from rover_common.errors import BtExecutiveError, UsageError


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
