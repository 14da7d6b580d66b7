"""Settings of the watch, and changes of them: by a service, a page, or an operator's words.

They are those of the configuration until they are changed, then those of the database.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
import re
import sqlite3
import threading

from rover_common.config.settings import WatchDefaults
from rover_common.errors import EpisodesError
from rover_common.text_sanitizing import incoming_text
from rover_vision.vision_folder import SETTINGS_FILE, open_database

APPLICATION_ID = int.from_bytes(b'btes', 'big')
FORMAT = 0  # version of the schema
LONGEST_INTERVAL_S = 7 * 86_400
LONGEST_TARGET = 200
_UNITS = {'s': 1, 'sec': 1, 'second': 1, 'm': 60, 'min': 60, 'minute': 60, 'h': 3600, 'hour': 3600}
_EVERY = re.compile(r'\bevery\s+(\d{1,6})?\s*(seconds?|secs?|minutes?|mins?|hours?|[smh])\b', re.I)
_EVERY_JA = re.compile(r'(\d{1,6})\s*(秒|分)(?:ごと|おき|間隔)')
_OFF = re.compile(
    r'\b(?:stop|end|quit|no more)\s+(?:the\s+)?watch(?:ing)?\b|\bwatch\s+off\b'
    r'|監視(?:を)?(?:やめ|止め|停止|オフ)',
    re.I,
)
_ON = re.compile(
    r'\b(?:start|begin)\s+(?:to\s+)?watch(?:ing)?\b|^\s*watch(?:\s+on)?[.!]?\s*$'
    r'|監視(?:を)?(?:始|開始|オン)',
    re.I,
)
_DARK = re.compile(
    r'\b(?:when|once|if|as soon as)\s+'
    r'(?:it(?:[\'’]s|\s+is)|(?:it|everything|the\s+\w+)\s+(?:gets|becomes|turns|grows))'
    r'\s+(?:\w+\s+)?dark\b|暗くなったら',
    re.I,
)
_MOTION = re.compile(
    r'\b(?:when|once|if|as soon as)\b.*\b(?:moves?|moving|motion)\b|動いたら', re.I
)
_NEGATED = r'(?:don[\'’]?t|do\s+not|never|needn[\'’]?t|need\s+not|no\s+need\s+to|no\s+longer)'
_NOT = re.compile(
    rf'\b(?:{_NEGATED}\s+(?:(?:ever|please|want\s+you\s+to|have\s+to|need\s+to)\s+)?'
    r'(?:watch|tell\s+me|let\s+me\s+know|say|look)|stop\s+(?:telling|letting|saying|looking))\b'
    r'|(?:教え|知らせ|見|監視し)(?:ない|なく)',
    re.I,
)
_NOT_OFF = re.compile(rf'\b{_NEGATED}\s+(?:stop|end|quit)\b', re.I)
_ABOUT = re.compile(r'\b(?:watch|tell me|let me know|say|look)\b|監視|教えて|知らせて|見て', re.I)


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


@dataclass(frozen=True)
class WatchChange:
    """A change of settings; None: unchanged. An empty `target`: no client."""

    enabled: bool | None = None
    interval_s: int | None = None
    target: str | None = None
    tell_when: TellWhen | None = None

    def applied(self, settings: WatchSettings) -> WatchSettings:
        """Return the settings with this change.

        Raises:
            ValueError: A value is invalid; the text is a sentence.
        """
        if self.interval_s is not None and not 1 <= self.interval_s <= LONGEST_INTERVAL_S:
            raise ValueError(
                f'The watch cannot look every {self.interval_s} s: give 1 to {LONGEST_INTERVAL_S}.'
            )
        if self.target is not None and len(self.target) > LONGEST_TARGET:
            raise ValueError(f'The id of a client has at most {LONGEST_TARGET} characters.')
        changed = settings
        if self.enabled is not None:
            changed = replace(changed, enabled=self.enabled)
        if self.interval_s is not None:
            changed = replace(changed, interval_s=self.interval_s)
        if self.target is not None:
            changed = replace(changed, target=incoming_text(self.target) or None)
        if self.tell_when is not None:
            changed = replace(changed, tell_when=self.tell_when)
        return changed


def parse_watch_change(words: str) -> WatchChange | None:
    """Return the change that an operator's text asks for; None: it is not about the watch."""
    if len(words) > 200:
        return None
    if _OFF.search(words):
        return None if _NOT_OFF.search(words) else WatchChange(enabled=False)
    when = _condition(words)
    interval_s = _interval(words)
    has_occasion = when is not None or interval_s is not None
    asked, denied = _ABOUT.search(words), _NOT.search(words)
    if denied and not (asked and asked.start() < denied.start()):  # tell me when …, else don't
        return WatchChange(enabled=False) if has_occasion else None
    if asked and has_occasion:
        return WatchChange(True, interval_s, None, when or TellWhen.ALWAYS)
    return WatchChange(True, None, None, TellWhen.ALWAYS) if _ON.search(words) else None


def _condition(words: str) -> TellWhen | None:
    if _DARK.search(words):
        return TellWhen.DARK
    return TellWhen.MOTION if _MOTION.search(words) else None


def _interval(words: str) -> int | None:
    found = _EVERY.search(words)
    if found:
        return int(found[1] or 1) * _UNITS[found[2].lower().rstrip('s') or 's']
    found = _EVERY_JA.search(words)
    return int(found[1]) * (60 if found[2] == '分' else 1) if found else None
