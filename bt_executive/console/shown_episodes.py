"""The output of `:episodes` and `bt-executive episodes`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import datetime
import math
import os
from pathlib import Path

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from rover_common.config.settings import Config
from rover_common.errors import EpisodesError, UsageError
from rover_common.text_sanitizing import one_line
from rover_vision.episodes.episode_store import Episode, EpisodeReader
from rover_vision.vision_folder import vision_folder

SHOWN = 10  # at the console
LONGEST = 200
DONE = 0


def print_episodes(folder: Path, words: str, last: int, number: int) -> int:
    """Prints the latest episodes with these words, or the whole one of a number other than 0.

    Returns the exit code.

    Raises:
        EpisodesError: There are no episodes, or they cannot be read.
        UsageError: There is no episode of that number.
    """
    if last < 1:
        raise UsageError(f'--last is {last}: give 1 or more.')
    console = Console(highlight=False)
    with closing(EpisodeReader(folder)) as reader:
        if number:
            episode = reader.one(number)
            if episode is None:
                raise UsageError(f'There is no episode {number}.')
            console.print(_whole(episode, reader), soft_wrap=True)
        else:
            found = reader.search(words, last)
            console.print(_table(found, words), soft_wrap=not console.is_terminal)
    return DONE


def episodes_page(config: Config, namespace: str, words: str) -> RenderableType:
    """Return a table of the latest episodes, or of those with these words."""
    try:
        with closing(EpisodeReader(vision_folder(config, os.environ, namespace))) as reader:
            return _table(reader.search(words, SHOWN), words)
    except EpisodesError as error:
        return Text(str(error))


def _table(episodes: Sequence[Episode], words: str) -> RenderableType:
    if not episodes:
        return Text(f'No episode has the words {words!r:.80}.' if words else 'No episodes yet.')
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 0))
    for episode in reversed(episodes):
        question = f'“{one_line(episode.question)}” ' if episode.question else ''
        table.add_row(
            Text(str(episode.number), 'dim'),
            Text(f'{datetime.fromtimestamp(episode.system_s):%m-%d %H:%M:%S}', 'dim'),
            Text(episode.origin, 'cyan'),
            Text(f'{question}{one_line(episode.answer) or "(came too late)"}'[:LONGEST]),
            Text(_where(episode), 'dim'),
        )
    return table


def _whole(episode: Episode, reader: EpisodeReader) -> Text:
    when = datetime.fromtimestamp(episode.system_s)
    lines = {
        'episode': f'{episode.number} ({episode.origin})',
        'when': f'{when:%Y-%m-%d %H:%M:%S}',
        'looked at': f'{episode.looked_at}, shown by {episode.client_id}',
        'asked by': episode.asked_by,
        'question': episode.question,
        'answer': episode.answer,
        'measured': ', '.join(f'{key} {value}' for key, value in episode.measured.items()),
        'window': ', '.join(episode.context.values()),
        'place': _where(episode),
        'memory': ', '.join(_remembered(episode)),
        'picture': str(reader.picture_path(episode)) if episode.picture else 'not kept any more',
    }
    return Text('\n'.join(f'{key:<10}{one_line(value)}' for key, value in lines.items() if value))


def _where(episode: Episode) -> str:
    """Return the pose of the rover; empty if it is unknown."""
    place = episode.place
    if not place:
        return ''
    return f'x {place["x"]:.1f}, y {place["y"]:.1f} m, {math.degrees(place["yaw"]):.0f}°'


def _remembered(episode: Episode) -> Iterator[str]:
    """Yield the remembered places in that direction, with their ids."""
    for place in episode.place.get('remembered', ()):
        yield f'{place["name"]} at {place["away_m"]:.1f} m ({place["place_id"]})'
