"""Settings of the watch: of the configuration until they are changed, then of the database."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
import sqlite3
import threading

from rover_common.config.settings import WatchDefaults
from rover_common.errors import EpisodesError
from rover_vision.vision_database import open_database
from rover_vision.vision_folder import SETTINGS_FILE

APPLICATION_ID = int.from_bytes(b'btes', 'big')
FORMAT = 0  # version of the schema


class TellWhen(str, Enum):
    """On what the watch comments."""

    ALWAYS = 'always'
    DARK = 'dark'
    MOTION = 'motion'


@dataclass(frozen=True)
class WatchSettings:
    """Settings of the watch. `target`: the client to look at; None: none."""

    enabled: bool
    interval_s: int
    target: str | None
    tell_when: TellWhen = TellWhen.ALWAYS

    def __str__(self) -> str:
        if not self.enabled:
            return 'The watch is off.'
        when = {
            TellWhen.ALWAYS: 'and says what it sees',
            TellWhen.DARK: 'and tells when it gets dark',
            TellWhen.MOTION: 'and tells when something moves',
        }[self.tell_when]
        where = f'at {self.target}' if self.target else 'at nobody: no client is named'
        return f'The watch is on: it looks {where} every {self.interval_s} s {when}.'


class WatchSettingsStore:
    """The settings in settings.db. May be used from any thread.

    Args:
        folder: Of settings.db.
        defaults: What holds until somebody sets the watch.

    Raises:
        EpisodesError: The file cannot be used.
    """

    def __init__(self, folder: Path, defaults: WatchDefaults) -> None:
        self._lock = threading.Lock()
        self._connection = open_database(
            folder / SETTINGS_FILE, APPLICATION_ID, FORMAT, 'watch/schema.sql'
        )
        self._defaults = defaults

    def get(self) -> WatchSettings:
        """Return the current settings.

        Raises:
            EpisodesError: The file cannot be read.
        """
        try:
            with self._lock:
                row = self._connection.execute(
                    'SELECT desktop_watch_enabled, desktop_watch_interval_seconds, '
                    'desktop_watch_target_client_id FROM global_settings'
                ).fetchone()
                condition = self._connection.execute(
                    'SELECT tell_when FROM watch_condition'
                ).fetchone()
        except sqlite3.Error as error:
            raise EpisodesError(f'{SETTINGS_FILE} cannot be read ({error}).') from None
        given = self._defaults
        if row is None:
            row = (given.enabled, given.interval_s, given.target)
        known = {each.value for each in TellWhen}
        when = condition[0] if condition and condition[0] in known else TellWhen.ALWAYS.value
        return WatchSettings(bool(row[0]), max(1, int(row[1])), row[2] or None, TellWhen(when))

    def put(self, settings: WatchSettings) -> None:
        """Store settings.

        Raises:
            EpisodesError: The file cannot be written.
        """
        try:
            with self._lock:
                self._connection.execute('BEGIN IMMEDIATE')
                self._connection.execute(
                    'INSERT OR REPLACE INTO global_settings VALUES (1, ?, ?, ?)',
                    (int(settings.enabled), settings.interval_s, settings.target),
                )
                self._connection.execute(
                    'INSERT OR REPLACE INTO watch_condition VALUES (1, ?)',
                    (settings.tell_when.value,),
                )
                self._connection.execute('COMMIT')
        except sqlite3.Error as error:
            if self._connection.in_transaction:
                self._connection.execute('ROLLBACK')
            raise EpisodesError(f'{SETTINGS_FILE} cannot be written ({error}).') from None

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
