"""Measurements in a picture without a vision model, and in words: light, contrast, texture, rocks.

These are measurements, and are told as such: a count of rocks is a count of dark or bright blobs
that stand out from the ground.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from rover_vision.look_request_and_result import Picture
from rover_vision.place_of_look import Place

EDGE = 480  # pixels; larger pictures are measured at this size
SMALL = (64, 48)  # of the thumbnail that two looks are compared by
CHANGED_LEVELS = 24  # of 255, beyond which a pixel of the thumbnail has changed
GOOD_LEVEL = 100  # median of a picture in good light, of 255
LARGEST_GAIN = 6.0
SKY_BRIGHTER = 18  # levels by which sky is brighter than the ground below it
SMALLEST_ROCK = 0.0004  # share of the picture
LARGEST_ROCK = 0.12
STANDS_OUT = 22  # levels between a rock and the ground around it
MOST_ROCKS = 200
BRIGHT, DIM, DARK = 0.55, 0.3, 0.12
FLAT = 0.08  # contrast below which nothing can be distinguished
WIDE, NARROW = 0.12, 0.04  # widths of rocks, as shares of the picture
MOST_NAMED = 6


class UnreadablePictureError(ValueError):
    """A picture that OpenCV cannot decode; the text is a sentence."""


@dataclass(frozen=True)
class Rock:
    """Something that stands out from the ground. Place and width as shares of the picture."""

    x: float
    y: float
    width: float


@dataclass(frozen=True)
class Measured:
    """The measurements of a picture. Levels and shares from 0 to 1."""

    brightness: float
    contrast: float
    edges: float
    colour: str
    horizon: float | None  # height of the sky, as a share of the picture; None: no sky
    rocks: tuple[Rock, ...]
    thumbnail: NDArray[np.uint8] = field(repr=False, compare=False)

    def as_data(self) -> dict[str, Any]:
        """Return them as JSON values, rounded."""
        return {
            'brightness': round(self.brightness, 3),
            'contrast': round(self.contrast, 3),
            'edges': round(self.edges, 3),
            'colour': self.colour,
            'horizon': None if self.horizon is None else round(self.horizon, 2),
            'rocks': len(self.rocks),
        }


def measure(picture: Picture) -> Measured:
    """Measure a picture.

    Raises:
        UnreadablePictureError: It cannot be decoded.
    """
    pixels = _decode(picture)
    grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    lit = _lit(grey)
    horizon = _horizon(lit)
    ground = 0 if horizon is None else horizon
    edges = cv2.Canny(grey, 60, 150)
    height = grey.shape[0]
    return Measured(
        brightness=float(grey.mean()) / 255,
        contrast=float(grey.std()) / 128,
        edges=float((edges > 0).mean()),
        colour=_colour(pixels),
        horizon=None if horizon is None else horizon / height,
        rocks=_rocks(lit, ground),
        thumbnail=cv2.resize(grey, SMALL, interpolation=cv2.INTER_AREA),
    )


def changed_share(before: Measured, now: Measured) -> float | None:
    """Return the share by which two pictures differ, regardless of light; None: no comparison."""
    if before.thumbnail.shape != now.thumbnail.shape:
        return None
    difference = now.thumbnail.astype(np.int16) - before.thumbnail.astype(np.int16)
    difference -= np.int16(np.median(difference))  # the light has changed everywhere
    return float((np.abs(difference) > CHANGED_LEVELS).mean())


def _decode(picture: Picture) -> NDArray[np.uint8]:
    pixels = cv2.imdecode(np.frombuffer(picture.data, np.uint8), cv2.IMREAD_COLOR)
    if pixels is None:
        raise UnreadablePictureError('The picture cannot be decoded.')
    scale = EDGE / max(pixels.shape[:2])
    if scale < 1:
        size = (max(1, round(pixels.shape[1] * scale)), max(1, round(pixels.shape[0] * scale)))
        pixels = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    return np.asarray(pixels, np.uint8)


def _lit(grey: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the picture scaled to good light, so that levels mean the same in the dark."""
    middle = max(float(np.median(grey)), 1.0)
    gain = min(max(GOOD_LEVEL / middle, 1.0), LARGEST_GAIN)
    return np.asarray(cv2.convertScaleAbs(grey, alpha=gain), np.uint8)


def _horizon(grey: NDArray[np.uint8]) -> int | None:
    """Return the row where the ground begins: the largest step from bright to dark."""
    rows = grey.mean(axis=1)
    window = max(2, len(rows) // 24)
    if len(rows) < 4 * window:
        return None
    sums = np.concatenate([[0.0], np.cumsum(rows)])
    means = (sums[window:] - sums[:-window]) / window
    steps = means[:-window] - means[window:]
    row = int(np.argmax(steps))
    even = float(grey[: row + 1].std(axis=1).mean()) < 30
    return row + window if steps[row] > SKY_BRIGHTER and even else None


def _rocks(grey: NDArray[np.uint8], top: int) -> tuple[Rock, ...]:
    ground = grey[top:]
    height, width = grey.shape
    if ground.shape[0] < 16 or width < 16:
        return ()
    smooth = cv2.GaussianBlur(ground, (5, 5), 0)
    window = max(31, (width // 6) | 1)
    around = cv2.blur(smooth, (window, window), borderType=cv2.BORDER_REFLECT)
    out = (cv2.absdiff(smooth, around) > STANDS_OUT).astype(np.uint8)
    out = cv2.morphologyEx(out, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    out = cv2.morphologyEx(out, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
    count, _, stats, centres = cv2.connectedComponentsWithStats(out)
    found = []
    for label in range(1, min(count, MOST_ROCKS + 1)):
        _, above, wide, high, area = stats[label]
        share = area / (width * height)
        on_ground = above > 0  # anything at the upper edge is a label, or the horizon
        if on_ground and SMALLEST_ROCK < share < LARGEST_ROCK and 0.2 < wide / high < 6:
            x, y = centres[label]
            found.append(Rock(float(x) / width, float(y + top) / height, float(wide) / width))
    return tuple(sorted(found, key=lambda rock: -rock.width))


def _colour(pixels: NDArray[np.uint8]) -> str:
    blue, green, red = (float(each) for each in pixels.reshape(-1, 3).mean(axis=0))
    if max(red, green, blue) - min(red, green, blue) < 12:
        return 'grey'
    names = {'red': red - max(green, blue), 'green': green - max(red, blue)}
    names['blue'] = blue - max(red, green)
    best = max(names, key=lambda name: names[name])
    return 'reddish brown' if best == 'red' and green > blue else best


def measured_data(picture: Picture) -> dict[str, Any]:
    """Return the measurements of a picture as JSON values."""
    try:
        return measure(picture).as_data()
    except UnreadablePictureError:
        return {}


def describe(measured: Measured, looked_at: str = 'camera', place: Place | None = None) -> str:
    """Return sentences about a picture.

    Args:
        measured: What was measured in it.
        looked_at: camera or desktop, which has no ground.
        place: Where it was taken, whose remembered things are named as such.
    """
    light = f'The picture is {_light(measured.brightness)} (brightness {measured.brightness:.2f})'
    parts = [f'{light}, mostly {measured.colour}.']
    if measured.contrast < FLAT:
        parts.append('It has hardly any contrast: nothing can be distinguished in it.')
    elif looked_at == 'camera':
        sky = measured.horizon
        parts += ['' if sky is None else f'The sky takes the upper {sky * 100:.0f} %.']
        parts += [_rocks_in_words(measured.rocks)]
    else:
        parts.append(f'{measured.edges * 100:.0f} % of it are edges, as of text and windows.')
    parts.append('This was measured, and not seen by a model.')
    parts.append(place.as_text() if place is not None else '')
    return ' '.join(part for part in parts if part)


def _light(brightness: float) -> str:
    if brightness < DARK:
        return 'very dark'
    return 'dark' if brightness < DIM else 'bright' if brightness > BRIGHT else 'fairly lit'


def _rocks_in_words(rocks: tuple[Rock, ...]) -> str:
    if not rocks:
        return 'Nothing stands out from the ground as a rock would.'
    named = Counter(f'{_size(rock)} {_side(rock)}' for rock in rocks[:MOST_NAMED])
    listed = ', '.join(f'{count} {what}' if count > 1 else what for what, count in named.items())
    several = len(rocks) > 1
    more = f', and {len(rocks) - MOST_NAMED} more' if len(rocks) > MOST_NAMED else ''
    return (
        f'{len(rocks)} {"things stand" if several else "thing stands"} out from the ground as '
        f'{"rocks" if several else "a rock"} would: {listed}{more}.'
    )


def _size(rock: Rock) -> str:
    return 'large' if rock.width > WIDE else 'small' if rock.width < NARROW else 'middle-sized'


def _side(rock: Rock) -> str:
    return 'to the left' if rock.x < 0.38 else 'to the right' if rock.x > 0.62 else 'ahead'
