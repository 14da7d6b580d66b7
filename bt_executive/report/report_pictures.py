"""The scored pictures of a run, made small enough for a page, as data URIs."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path

from bt_executive.report.recording_data import RecordedPicture, Recording
from bt_executive.store.run_folder_formats import PictureEntry
from bt_executive.view.goal_story import GoalStory
from bt_executive.view.page_data import PagePicture
from bt_executive.view.small_picture import make_small

MOST_PICTURES = 100  # of the whole page; about 25 kB each


def show_pictures(goals: Sequence[GoalStory], recording: Recording) -> list[PagePicture]:
    """All pictures; `MOST_PICTURES` with their contents, shared evenly among the goals."""
    entries = [each.entry for each in recording.pictures]
    goal_of = [_goal_of(goals, entry) for entry in entries]
    counts = [goal_of.count(number) for number in range(-1, len(goals))]
    chosen: set[int] = set()
    for number, most in enumerate(fair_shares(counts, MOST_PICTURES), start=-1):
        own = [index for index, goal in enumerate(goal_of) if goal == number]
        best = max(own, key=lambda index: entries[index].score, default=None)
        chosen |= {own[place] for place in _evenly(len(own), most)} | (
            {best} if best is not None else set()
        )
    return [_show(each, index in chosen) for index, each in enumerate(recording.pictures)]


def _goal_of(goals: Sequence[GoalStory], entry: PictureEntry) -> int:
    """The number of the goal during which a picture was scored; -1 if during none."""
    covering = (number for number, goal in enumerate(goals) if goal.covers(entry.ts))
    return next(covering, -1)


def fair_shares(wanted: Sequence[int], most: int) -> list[int]:
    """How much each may have, so that together they have at most `most`."""
    total = sum(wanted)
    return [each if total <= most else each * most // total for each in wanted]


def _evenly(number: int, most: int) -> set[int]:
    """Indices from the first to the last."""
    if number <= most:
        return set(range(number))
    return {round(each * (number - 1) / max(most - 1, 1)) for each in range(most)}


def _show(picture: RecordedPicture, chosen: bool) -> PagePicture:
    entry = picture.entry
    src, why, lift = '', '', 1.0
    if entry.file is None:
        why = 'not kept: the room for pictures was used up'
    elif not chosen:
        why = f'left out of this page: see {entry.file}'
    else:
        src, why, lift = _small(picture.folder, entry.file)
    return PagePicture(
        entry.stamp, entry.ts, entry.score, entry.is_good, src, why, lift, entry.words
    )


def _small(folder: Path, file: str) -> tuple[str, str, float]:
    """The picture as a data URI, or why there is none. Only files of the folder are read."""
    try:
        path = (folder / file).resolve()
        if folder.resolve() not in path.parents:
            return '', f'{file!r} is not in the run folder', 1.0
        small = make_small(str(path))
    except (OSError, ValueError) as error:
        return '', f'{file} cannot be shown: {type(error).__name__}', 1.0
    uri = 'data:image/jpeg;base64,' + base64.b64encode(small.jpeg).decode()
    return uri, '', small.lift
