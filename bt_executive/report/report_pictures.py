"""The pictures of a report: which of them the page contains, shared evenly among goals."""

from __future__ import annotations

import base64
from collections.abc import Sequence
import io
from pathlib import Path

from bt_executive.report.read_and_join_run_folders import RecordedPicture, Recording
from bt_executive.store.run_file_lines_and_damage import read_run_file
from bt_executive.store.run_folder_formats import PictureEntry
from bt_executive.view.goals_of_a_run import GoalStory
from bt_executive.view.page_data_fields_and_json import PagePicture
from bt_executive.view.small_picture import make_small

MAX_PICTURES = 100  # in the page; about 25 kB each


def show_pictures(goals: Sequence[GoalStory], recording: Recording) -> list[PagePicture]:
    """Return all pictures; `MAX_PICTURES` of them with content, shared evenly among goals."""
    entries = [each.entry for each in recording.pictures]
    goal_of = [_goal_of(goals, entry) for entry in entries]
    counts = [goal_of.count(number) for number in range(-1, len(goals))]
    chosen: set[int] = set()
    for number, limit in enumerate(fair_shares(counts, MAX_PICTURES), start=-1):
        own = [index for index, goal in enumerate(goal_of) if goal == number]
        best = max(own, key=lambda index: entries[index].score, default=None)
        chosen |= {own[place] for place in _evenly(len(own), limit)} | (
            {best} if best is not None else set()
        )
    return [_show(each, index in chosen) for index, each in enumerate(recording.pictures)]


def _goal_of(goals: Sequence[GoalStory], entry: PictureEntry) -> int:
    """Return the number of the goal during which a picture was scored; -1: none."""
    covering = (number for number, goal in enumerate(goals) if goal.covers(entry.ts))
    return next(covering, -1)


def fair_shares(counts: Sequence[int], limit: int) -> list[int]:
    """Scale counts down, so that their sum is at most `limit`."""
    total = sum(counts)
    return [count if total <= limit else count * limit // total for count in counts]


def _evenly(number: int, limit: int) -> set[int]:
    """Return up to `limit` indices from the first to the last."""
    if number <= limit:
        return set(range(number))
    return {round(index * (number - 1) / max(limit - 1, 1)) for index in range(limit)}


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
    """Return the picture as a data URI, or why there is none. Reads only files of the folder."""
    try:
        path = (folder / file).resolve()
        if folder.resolve() not in path.parents:
            return '', f'{file!r} is not in the run folder', 1.0
        small = make_small(io.BytesIO(read_run_file(path)))
    except (OSError, ValueError) as error:
        return '', f'{file} cannot be shown: {type(error).__name__}', 1.0
    uri = 'data:image/jpeg;base64,' + base64.b64encode(small.jpeg).decode()
    return uri, '', small.lift
