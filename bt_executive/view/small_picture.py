"""Scales pictures down for a page, and computes the brightness for display."""

from __future__ import annotations

from dataclasses import dataclass
import io

from PIL import Image

EDGE_PX = 480
FORMATS = ('JPEG', 'PNG', 'WEBP')  # for some others, Pillow starts programs such as Ghostscript
QUALITY = 72
DARK_MEAN = 60.0  # mean grey, 0 to 255, below which a picture is brightened
LIFTED_MEAN = 100.0  # mean grey after brightening
BRIGHTEST = 250.0  # limit for the brightest part
MAX_LIFT = 12.0
BRIGHT_PART = 0.99  # of the pixels are darker than the brightest part


@dataclass(frozen=True)
class SmallPicture:
    """A JPEG. `lift`: factor of brightness for display; 1: unchanged."""

    jpeg: bytes
    lift: float


def make_small(file: str | io.BytesIO, edge_px: int = EDGE_PX) -> SmallPicture:
    """Scales a picture down.

    Raises:
        OSError: It cannot be read.
        ValueError: It cannot be read, or it is too large.
    """
    try:
        with Image.open(file, formats=FORMATS) as image:
            image.draft('RGB', (edge_px, edge_px))
            image.thumbnail((edge_px, edge_px))
            shown = image.convert('RGB')
    except (Image.DecompressionBombError, SyntaxError) as error:  # the latter of a broken PNG
        raise ValueError(str(error)) from None
    small = io.BytesIO()
    shown.save(small, 'JPEG', quality=QUALITY)
    return SmallPicture(small.getvalue(), lift_of(shown))


def lift_of(image: Image.Image) -> float:
    """Return the factor that makes a dark picture visible without saturating bright parts."""
    counts = image.convert('L').histogram()
    total = sum(counts) or 1
    mean = sum(grey * count for grey, count in enumerate(counts)) / total
    if mean >= DARK_MEAN:
        return 1.0
    below, bright = 0, 255
    for grey, count in enumerate(counts):
        below += count
        if below >= BRIGHT_PART * total:
            bright = grey
            break
    lift = min(LIFTED_MEAN / max(mean, 1.0), BRIGHTEST / max(bright, 1), MAX_LIFT)
    return round(max(lift, 1.0), 1)
