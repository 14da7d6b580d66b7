"""A picture made small enough for a page, and how much brighter it must be shown to be seen."""

from __future__ import annotations

from dataclasses import dataclass
import io

from PIL import Image

EDGE_PX = 480
QUALITY = 72
DARK = 60.0  # mean of a picture's greys, 0 to 255, below which it is lifted
SHOWN = 100.0  # the mean that it is lifted to
BRIGHTEST = 250.0  # what its brightest part may become
LONGEST_LIFT = 12.0
BRIGHT_PART = 0.99  # of the pixels are darker than the brightest part


@dataclass(frozen=True)
class SmallPicture:
    """A JPEG. `lift`: the factor of brightness for display; 1: it is bright enough."""

    jpeg: bytes
    lift: float


def make_small(file: str | io.BytesIO, edge_px: int = EDGE_PX) -> SmallPicture:
    """Makes a picture small.

    Raises:
        OSError: It cannot be read.
        ValueError: The same, or it is larger than a picture can be.
    """
    try:
        with Image.open(file) as image:
            image.draft('RGB', (edge_px, edge_px))
            image.thumbnail((edge_px, edge_px))
            shown = image.convert('RGB')
    except Image.DecompressionBombError as error:
        raise ValueError(str(error)) from None
    small = io.BytesIO()
    shown.save(small, 'JPEG', quality=QUALITY)
    return SmallPicture(small.getvalue(), lift_of(shown))


def lift_of(image: Image.Image) -> float:
    """The factor that makes a dark picture readable, without whitening what is bright in it."""
    counts = image.convert('L').histogram()
    total = sum(counts) or 1
    mean = sum(grey * count for grey, count in enumerate(counts)) / total
    if mean >= DARK:
        return 1.0
    below, bright = 0, 255
    for grey, count in enumerate(counts):
        below += count
        if below >= BRIGHT_PART * total:
            bright = grey
            break
    lift = min(SHOWN / max(mean, 1.0), BRIGHTEST / max(bright, 1), LONGEST_LIFT)
    return round(max(lift, 1.0), 1)
