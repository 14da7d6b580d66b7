"""The pictures of a goal, made small enough for a page, as data URIs."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
import io
from pathlib import Path

from PIL import Image

from bt_executive.recording.formats import PictureEntry
from bt_executive.report.model import GoalReport, Recording

EDGE_PX = 480
QUALITY = 72
MOST_PICTURES = 100  # of the whole page; about 25 kB each


@dataclass(frozen=True)
class Shown:
    """A scored picture. `uri`: empty if it cannot be shown, `why` says why not."""

    number: int
    stamp: float
    score: float
    is_good: bool | None
    uri: str = ''
    why: str = ''

    @property
    def level(self) -> int:
        """The score from 0 to 10, for its colour."""
        return round(max(0.0, min(self.score, 1.0)) * 10)

    @property
    def title(self) -> str:
        """What it says when pointed at."""
        return f'picture {self.number}: score {self.score:.2f}'


def show_pictures(goal: GoalReport, recording: Recording, most: int) -> list[Shown]:
    """The goal's scored pictures; `most` of them with their contents, evenly chosen."""
    entries = [each for each in recording.pictures if goal.covers(each.ts)]
    chosen = _evenly(len(entries), most)
    return [
        _show(entry, index + 1, recording.folder, index in chosen)
        for index, entry in enumerate(entries)
    ]


def fair_shares(wanted: Sequence[int], most: int) -> list[int]:
    """How many pictures each goal may show, so that together they are at most `most`."""
    total = sum(wanted)
    return [each if total <= most else each * most // total for each in wanted]


def _evenly(number: int, most: int) -> set[int]:
    """Indices from the first to the last."""
    if number <= most:
        return set(range(number))
    return {round(each * (number - 1) / max(most - 1, 1)) for each in range(most)}


def _show(entry: PictureEntry, number: int, folder: Path, chosen: bool) -> Shown:
    uri, why = '', ''
    if entry.file is None:
        why = 'not kept: the room for pictures was used up'
    elif not chosen:
        why = f'left out of this page: see {entry.file}'
    else:
        uri, why = _small(folder, entry.file)
    return Shown(number, entry.stamp, entry.score, entry.is_good, uri, why)


def _small(folder: Path, file: str) -> tuple[str, str]:
    """The picture as a data URI, or why there is none. Only files of the folder are read."""
    try:
        path = (folder / file).resolve()
        if folder.resolve() not in path.parents:
            return '', f'{file!r} is not in the run folder'
        with Image.open(path) as image:
            image.draft('RGB', (EDGE_PX, EDGE_PX))
            image.thumbnail((EDGE_PX, EDGE_PX))
            small = io.BytesIO()
            image.convert('RGB').save(small, 'JPEG', quality=QUALITY)
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        return '', f'{file} cannot be shown: {type(error).__name__}'
    return 'data:image/jpeg;base64,' + base64.b64encode(small.getvalue()).decode(), ''


def count_of(goals: Iterable[GoalReport], recording: Recording) -> list[int]:
    """How many pictures each goal has."""
    return [sum(goal.covers(each.ts) for each in recording.pictures) for goal in goals]
