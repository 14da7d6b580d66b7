"""Colours that also people with a colour vision deficiency tell apart.

Single ones: Okabe and Ito, Color Universal Design, 2008, lightened for a dark ground. Scores:
viridis by van der Walt and Smith (matplotlib, CC0) at eleven places, straight in between; dark
violet is 0, green 0.7, yellow 1.
"""

from __future__ import annotations

from curiosity_viz.markers import Colour

WHITE: Colour = (0.92, 0.92, 0.92, 1.0)
GREY: Colour = (0.6, 0.6, 0.6, 1.0)
ORANGE: Colour = (0.90, 0.62, 0.0, 1.0)
SKY_BLUE: Colour = (0.34, 0.71, 0.91, 1.0)
GREEN: Colour = (0.30, 0.80, 0.62, 1.0)
YELLOW: Colour = (0.94, 0.89, 0.26, 1.0)
VERMILION: Colour = (0.95, 0.45, 0.15, 1.0)
PURPLE: Colour = (0.88, 0.56, 0.75, 1.0)

VIRIDIS = (
    (0.267, 0.005, 0.329),
    (0.283, 0.141, 0.458),
    (0.254, 0.265, 0.530),
    (0.207, 0.372, 0.553),
    (0.164, 0.471, 0.558),
    (0.128, 0.567, 0.551),
    (0.135, 0.659, 0.518),
    (0.267, 0.749, 0.441),
    (0.478, 0.821, 0.318),
    (0.741, 0.873, 0.150),
    (0.993, 0.906, 0.144),
)


def score_colour(score: float) -> Colour:
    """The colour of a score from 0 to 1."""
    place = score * (len(VIRIDIS) - 1)
    low = min(int(place), len(VIRIDIS) - 2)
    part = place - low
    red, green, blue = (
        a + part * (b - a) for a, b in zip(VIRIDIS[low], VIRIDIS[low + 1], strict=True)
    )
    return red, green, blue, 1.0


def faint(colour: Colour, opacity: float) -> Colour:
    """The same colour, seen through."""
    return (*colour[:3], opacity)
