"""Markers as plain values: shapes, colours, drawable text, and what differs from what is shown.

Lengths in m, in the world frame. Single colours: Okabe and Ito, Color Universal Design, 2008,
lightened for a dark ground. Scores: viridis by van der Walt and Smith (matplotlib, CC0) at eleven
places, straight in between; dark violet is 0, green 0.7, yellow 1.

RViz draws a text marker byte by byte from a font with the glyphs 33 to 166 (rviz_rendering,
movable_text.cpp and liberation_sans.fontdef): every byte of another letter is a wide gap. A text
without any glyph makes it create a vertex buffer of length zero, which ends it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
import re
from typing import Literal
import unicodedata

Point = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Colour = tuple[float, float, float, float]
Key = tuple[str, int]

FARTHEST_M = 1e5  # no rover goes there, and 32-bit floats, which RViz draws with, get coarse
CHUNK = 50  # points of a line in one marker
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
MOST_READ = 400  # characters of a text that are examined, however long it is
UNDRAWN = '~'  # in place of a sentence in letters that RViz lacks, its numbers included
_UNDRAWABLE = re.compile(r'[^\x00-\x7f]+(?:[\x00-\x7f]{1,16}[^\x00-\x7f]+)*')
_SIGNS = str.maketrans({'→': '->', '–': '-', '—': '-', '…': '...', '°': ' deg', '×': 'x'})


@dataclass(frozen=True)
class Marker:
    """One marker; `name`, the namespace in RViz, and `number` together are its identity.

    Attributes:
        colour: Red, green, blue, opacity from 0 to 1.
        size: Edges of a cube or of each of the cubes, diameters of a cylinder or of each ball,
            length, width and height of an arrow; for text the third entry is the height of a
            line, for a line the first one its width.
        at: Middle; of an arrow its tail.
        turned: Rotation as a unit quaternion x, y, z, w.
        text: ASCII, not blank: see `text_marker`.
        points: Of a line, of cubes or balls; of triangles, by threes.
        colours: One for each of the points, or none.
    """

    name: str
    number: int
    shape: Literal['cube', 'cylinder', 'arrow', 'text', 'line', 'cubes', 'balls', 'triangles']
    colour: Colour
    size: Point
    at: Point = (0.0, 0.0, 0.0)
    turned: Quaternion = (0.0, 0.0, 0.0, 1.0)
    text: str = ''
    points: tuple[Point, ...] = ()
    colours: tuple[Colour, ...] = ()

    @property
    def key(self) -> Key:
        """The marker's identity."""
        return self.name, self.number


def text_marker(
    name: str, number: int, text: str, at: Point, height: float, colour: Colour
) -> Marker:
    """Text that faces the camera, centred on `at`."""
    return Marker(name, number, 'text', colour, (0.0, 0.0, height), at=at, text=text)


def line_markers(
    name: str, first: int, points: Sequence[Point], width: float, colour: Colour
) -> list[Marker]:
    """A line in pieces, numbered from `first`: one that grows changes only its last piece."""
    return [
        Marker(
            name,
            first + begin // CHUNK,
            'line',
            colour,
            (width, 0.0, 0.0),
            points=tuple(points[begin : begin + CHUNK + 1]),
        )
        for begin in range(0, len(points) - 1, CHUNK)
    ]


def above(at: Point, height: float) -> Point:
    """A point higher by so many metres."""
    return at[0], at[1], at[2] + height


def is_drawable(*numbers: float) -> bool:
    """Whether all of these coordinates are finite and not out of sight."""
    return all(abs(number) <= FARTHEST_M for number in numbers)


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


def plain(text: str, longest: int) -> str:
    """A text on one line of at most `longest` characters; empty if nothing is left of it."""
    signs = text[:MOST_READ].translate(_SIGNS)
    letters = (
        each for each in unicodedata.normalize('NFKD', signs) if not unicodedata.combining(each)
    )
    line = _UNDRAWABLE.sub(UNDRAWN, ''.join(letters))
    line = ' '.join(re.sub(r'[\x00-\x1f\x7f]', ' ', line).split())
    return line if len(line) <= longest else line[: longest - 3].rstrip() + '...'


@dataclass(frozen=True)
class Changes:
    """What to send. `afresh`: every marker is deleted first, from any publisher."""

    afresh: bool = False
    gone: tuple[Key, ...] = ()
    new: tuple[Marker, ...] = ()

    def __bool__(self) -> bool:
        return self.afresh or bool(self.gone) or bool(self.new)


class MarkerKeeper:
    """Remembers every marker that was sent and not deleted."""

    def __init__(self) -> None:
        self._shown: dict[Key, Marker] = {}

    def all(self, markers: Iterable[Marker]) -> Changes:
        """Everything: for a viewer of which is not known what it shows."""
        self._shown = {marker.key: marker for marker in markers}
        return Changes(afresh=True, new=tuple(self._shown.values()))

    def changes(self, markers: Iterable[Marker]) -> Changes:
        """What to delete, to add and to alter, so that exactly these markers are shown."""
        before, self._shown = self._shown, {marker.key: marker for marker in markers}
        return Changes(
            gone=tuple(key for key in before if key not in self._shown),
            new=tuple(each for key, each in self._shown.items() if before.get(key) != each),
        )
