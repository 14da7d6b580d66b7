"""Stores episodes in SQLite, and their pictures as files beside it.

Pictures are bounded by number and size, episodes by number: the oldest go first, pictures before
the words about them. A picture is on disk before its episode names it. All methods may be called
from any thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
import json
import os
from pathlib import Path
import re
import sqlite3
import threading
import time
from typing import Any

from pydantic import TypeAdapter, ValidationError

from rover_common.config.settings import EpisodeSettings
from rover_common.errors import EpisodesError
from rover_common.json_values import read_json_object
from rover_vision.look_request_and_result import Picture, PictureSet
from rover_vision.place_of_look import Place
from rover_vision.vision_folder import EPISODES_FILE, PICTURES, open_database, open_for_reading

APPLICATION_ID = int.from_bytes(b'btev', 'big')
FORMAT = 1  # version of the schema
MEGABYTE = 1_000_000
LARGEST = 2**63 - 1  # number of SQLite
LATEST_S = 1e11  # Unix s; no calendar has what is later
SHORTEST_WORD = 3  # of the index; shorter words are searched row by row
_OWN_NAME = re.compile(r'([0-9]{8}|[1-9][0-9]{8,17})\.(?:png|jpeg|webp)(\.new)?')
_COLUMNS = (
    'episode, origin, looked_at, client_id, asked_by, system_s, stamp_s, question, answer, '
    'measured, context, place, picture, format, width, height'
)
_TEXTS = ('question', 'answer', 'context', 'place')
_JSON = ('measured', 'context', 'place')
_NAMES = ('number', *_COLUMNS.split(', ')[1:])


class Origin(str, Enum):
    """The purpose of a look."""

    CHAT = 'chat'
    WATCH = 'desktop_watch'
    GOAL = 'goal'
    LATE = 'late'


@dataclass(frozen=True)
class NewEpisode:
    """An episode that is to be stored, of the first picture of a look.

    Attributes:
        looked_at: camera or desktop.
        asked_by: The client or node that wanted it.
        system_s: Time of day, Unix s.
    """

    seen: PictureSet
    origin: Origin
    looked_at: str
    asked_by: str = ''
    question: str = ''
    answer: str = ''
    measured: Mapping[str, Any] = field(default_factory=dict)
    system_s: float = field(default_factory=time.time)

    @property
    def picture(self) -> Picture:
        """Return the stored picture."""
        return self.seen.pictures[0]


@dataclass(frozen=True)
class Episode:
    """A stored episode.

    `picture`: its file; empty if it is not there any more. `place`: as `Place.as_data`; empty: not
    known.
    """

    number: int
    origin: str
    looked_at: str
    client_id: str
    asked_by: str
    system_s: float
    stamp_s: float
    question: str
    answer: str
    measured: Mapping[str, Any]
    context: Mapping[str, str]
    place: Mapping[str, Any]
    picture: str
    format: str
    width: int
    height: int


_EPISODE, _PLACE = TypeAdapter(Episode), TypeAdapter(Place)


class EpisodeReader:
    """Reads the episodes of a folder.

    Raises:
        EpisodesError: There are none, or they cannot be read.
    """

    def __init__(self, folder: Path, connection: sqlite3.Connection | None = None) -> None:
        self._folder = folder
        path = folder / EPISODES_FILE
        if connection is None and not path.is_file():
            raise EpisodesError(
                f'There are no episodes in {str(folder)!r}: nothing was looked at so far, or '
                'vision.folder names another folder.'
            )
        self._connection = connection or open_for_reading(path, APPLICATION_ID, FORMAT)

    def search(self, words: str, most: int) -> list[Episode]:
        """Return the latest episodes with all of these words, the newest first."""
        clauses, values = [], []
        for word in words.replace('\0', ' ').split():  # SQLite's texts end at NUL
            if len(word) >= SHORTEST_WORD:
                clauses.append('episode IN (SELECT rowid FROM episode_words(?))')
                values.append('"' + word.replace('"', '""') + '"')
            else:
                clauses.append('(' + ' OR '.join(f'instr(lower({t}), ?)' for t in _TEXTS) + ')')
                values += [word.lower()] * len(_TEXTS)
        where = f'WHERE {" AND ".join(clauses)} ' if clauses else ''
        return self._select(f'{where}ORDER BY episode DESC LIMIT ?', (*values, min(most, LARGEST)))

    def one(self, number: int) -> Episode | None:
        """Return an episode by its number; None: there is none."""
        if not 0 < number <= LARGEST:
            return None
        return next(iter(self._select('WHERE episode = ?', (number,))), None)

    def picture(self, number: int) -> Picture | None:
        """Return its picture; None: it is deleted."""
        episode = self.one(number)
        if episode is None or not episode.picture:
            return None
        try:
            data = self.picture_path(episode).read_bytes()
        except OSError:
            return None
        return Picture(data, episode.format, episode.width, episode.height)

    def picture_path(self, episode: Episode) -> Path:
        """Return the path of its picture."""
        return self._folder / PICTURES / episode.picture

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _select(self, rest: str, values: Sequence[object]) -> list[Episode]:
        try:
            rows = self._connection.execute(f'SELECT {_COLUMNS} FROM episodes {rest}', values)
            return [self._episode(row) for row in rows.fetchall()]
        except sqlite3.Error as error:
            raise EpisodesError(
                f'The episodes in {str(self._folder)!r} cannot be read ({error}).'
            ) from None

    def _episode(self, row: Sequence[object]) -> Episode:
        try:
            return _episode(row)
        except ValueError as error:
            raise EpisodesError(
                f'Episode {row[0]} in {str(self._folder / EPISODES_FILE)!r} is damaged '
                f'({_reason(error)}): move the file away, or delete this row of it.'
            ) from None


class EpisodeStore:
    """Writes and reads the episodes of a folder.

    Raises:
        EpisodesError: The folder cannot be used.
    """

    def __init__(self, folder: Path, settings: EpisodeSettings) -> None:
        self._folder = folder
        self._pictures = folder / PICTURES
        self._settings = settings
        self._lock = threading.Lock()
        self._connection = open_database(
            folder / EPISODES_FILE, APPLICATION_ID, FORMAT, 'episodes/schema.sql'
        )
        self._reader = EpisodeReader(folder, self._connection)
        try:
            self._pictures.mkdir(mode=0o700, exist_ok=True)
            with self._writing():
                self._remove_orphans()
        except (sqlite3.Error, OSError) as error:
            reason = getattr(error, 'strerror', error)
            raise EpisodesError(f'{str(folder)!r} cannot be used ({reason}).') from None

    def add(self, new: NewEpisode) -> int:
        """Store an episode; return its number.

        Raises:
            EpisodesError: It could not be kept.
        """
        try:
            with self._lock, self._writing():
                number = self._insert(new)
                self._make_room()
        except (sqlite3.Error, OSError) as error:
            raise EpisodesError(f'The episode could not be kept ({error}).') from None
        return number

    def search(self, words: str, most: int) -> list[Episode]:
        """Return the latest episodes with all of these words."""
        with self._lock:
            return self._reader.search(words, most)

    def picture(self, number: int) -> Picture | None:
        """Return the picture of an episode; None: it is deleted."""
        with self._lock:
            return self._reader.picture(number)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Let no other process write: the name of a picture is the number of its episode."""
        self._connection.execute('BEGIN IMMEDIATE')
        try:
            yield
            self._connection.execute('COMMIT')
        finally:
            if self._connection.in_transaction:
                self._connection.execute('ROLLBACK')

    def _insert(self, new: NewEpisode) -> int:
        last = self._last_number() or 0
        keeps = self._settings.max_pictures > 0
        name = f'{last + 1:08d}.{new.picture.format}' if keeps else ''
        if keeps:
            _write_whole(self._pictures / name, new.picture.data)
        seen, picture = new.seen, new.picture
        found = self._connection.execute(
            'INSERT INTO episodes (system_s, stamp_s, origin, looked_at, client_id, asked_by, '
            'question, answer, measured, context, place, picture, format, width, height, bytes) '
            f'VALUES ({", ".join("?" * 16)})',
            (
                *(new.system_s, seen.stamp_s, new.origin.value, new.looked_at, seen.client_id),
                *(new.asked_by, new.question, new.answer, _json(new.measured)),
                *(_json(seen.context), _json(seen.place.as_data() if seen.place else {}), name),
                *(picture.format, picture.width, picture.height, len(picture.data)),
            ),
        )
        return int(found.lastrowid or 0)

    def _make_room(self) -> None:
        for name in list(self._too_many_pictures()):
            (self._pictures / name).unlink(missing_ok=True)
            self._connection.execute("UPDATE episodes SET picture = '' WHERE picture = ?", (name,))
        self._connection.execute(
            'DELETE FROM episodes WHERE episode <= (SELECT max(episode) FROM episodes) - ?',
            (self._settings.max_episodes,),
        )

    def _too_many_pictures(self) -> Iterator[str]:
        """Return the names of the oldest pictures beyond the limits of number and size."""
        number, size = 0, 0
        rows = self._connection.execute(
            'SELECT picture, bytes, episode <= (SELECT max(episode) FROM episodes) - ? '
            "FROM episodes WHERE picture <> '' ORDER BY episode DESC",
            (self._settings.max_episodes,),
        ).fetchall()
        for name, length, is_old in rows:
            number, size = number + 1, size + length
            too_much = size > self._settings.max_mb * MEGABYTE
            if is_old or number > self._settings.max_pictures or too_much:
                yield name

    def _last_number(self) -> int | None:
        """Return the number of the last episode that was ever added; None: the file is new."""
        (last,) = self._connection.execute(
            "SELECT max(seq) FROM sqlite_sequence WHERE name = 'episodes'"
        ).fetchone()
        return None if last is None else int(last)

    def _remove_orphans(self) -> None:
        """Remove what a crash has left: pictures that are not whole or came before their episode.

        Beside a new file nothing is removed, since another one may still know the pictures: its
        numbers begin above theirs.
        """
        last = self._last_number()
        found = [
            (path, int(own[1]), own[2] is not None)
            for path in self._pictures.iterdir()
            if (own := _OWN_NAME.fullmatch(path.name))
        ]
        if last is None:
            self._connection.execute(
                "INSERT INTO sqlite_sequence (name, seq) VALUES ('episodes', ?)",
                (max((number for _, number, _ in found), default=0),),
            )
            return
        for path, number, is_part in found:
            if number > last or is_part:
                path.unlink(missing_ok=True)


def _write_whole(path: Path, data: bytes) -> None:
    new = path.with_name(f'{path.name}.new')
    new.write_bytes(data)
    new.chmod(0o600)
    os.replace(new, path)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _episode(row: Sequence[object]) -> Episode:
    values = dict(zip(_NAMES, row, strict=True))
    values |= {name: read_json_object(str(values[name])) for name in _JSON}
    episode = _EPISODE.validate_python(values)
    if not 0.0 <= episode.system_s <= LATEST_S:
        raise ValueError(f'its time {episode.system_s:g} is none')
    if episode.place:
        _PLACE.validate_python(episode.place)
    return episode


def _reason(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    return f'{".".join(map(str, first["loc"]))}: {first["msg"]}'
