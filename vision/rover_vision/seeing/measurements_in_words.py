"""Measurements of a picture as text, which says that they are measurements."""

from __future__ import annotations

from collections import Counter

from rover_vision.place_of_look import Place
from rover_vision.seeing.picture_measurements import Measured, Rock

BRIGHT, DIM, DARK = 0.55, 0.3, 0.12
FLAT = 0.08  # contrast below which nothing can be distinguished
LARGE, SMALL = 0.12, 0.04  # widths of rocks, as shares of the picture
MOST_NAMED = 6


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
        parts += [_horizon(measured.horizon), _rocks(measured.rocks)]
    else:
        parts.append(f'{measured.edges * 100:.0f} % of it are edges, as of text and windows.')
    parts.append('This was measured; no model that sees is configured.')
    parts.append(place.as_text() if place is not None else '')
    return ' '.join(part for part in parts if part)


def _light(brightness: float) -> str:
    if brightness < DARK:
        return 'very dark'
    return 'dark' if brightness < DIM else 'bright' if brightness > BRIGHT else 'fairly lit'


def _horizon(horizon: float | None) -> str:
    return '' if horizon is None else f'The sky takes the upper {horizon * 100:.0f} %.'


def _rocks(rocks: tuple[Rock, ...]) -> str:
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
    return 'large' if rock.width > LARGE else 'small' if rock.width < SMALL else 'middle-sized'


def _side(rock: Rock) -> str:
    return 'to the left' if rock.x < 0.38 else 'to the right' if rock.x > 0.62 else 'ahead'
