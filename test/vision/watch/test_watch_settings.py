"""Settings of the watch: by words, within bounds; the database wins over the configuration."""

from __future__ import annotations

from pathlib import Path
import sqlite3

import pytest

from rover_common.config.load import load_config
from rover_vision.watch.watch_settings import (
    TellWhen,
    WatchChange,
    WatchSettings,
    WatchSettingsStore,
    parse_watch_change,
)

DEFAULTS = load_config().vision.watch


def test_until_it_is_set_the_configuration_holds(tmp_path: Path) -> None:
    store = WatchSettingsStore(tmp_path, DEFAULTS)
    assert store.get() == WatchSettings(False, 300, 'rover')
    changed = DEFAULTS.model_copy(update={'enabled': True})
    assert WatchSettingsStore(tmp_path, changed).get().enabled


def test_what_was_set_wins_and_lasts(tmp_path: Path) -> None:
    wanted = WatchSettings(True, 5, 'console-1', TellWhen.DARK)
    store = WatchSettingsStore(tmp_path, DEFAULTS)
    store.put(wanted)
    store.close()
    assert WatchSettingsStore(tmp_path, DEFAULTS).get() == wanted


def test_the_table_is_that_of_the_specification(tmp_path: Path) -> None:
    WatchSettingsStore(tmp_path, DEFAULTS).put(WatchSettings(True, 7, None))
    with sqlite3.connect(tmp_path / 'settings.db') as file:
        row = file.execute(
            'SELECT desktop_watch_enabled, desktop_watch_interval_seconds, '
            'desktop_watch_target_client_id FROM global_settings'
        ).fetchone()
    assert row == (1, 7, None)


NOW = WatchSettings(False, 300, 'rover')


@pytest.mark.parametrize(
    ('words', 'expected'),
    [
        ('watch every 5 s', WatchSettings(True, 5, 'rover')),
        ('Please watch every 2 minutes.', WatchSettings(True, 120, 'rover')),
        ('look every hour', WatchSettings(True, 3600, 'rover')),
        ('5秒ごとに見て', WatchSettings(True, 5, 'rover')),
        ('watch on', WatchSettings(True, 300, 'rover')),
        ('stop watching', NOW),
        ('Tell me when it gets dark', WatchSettings(True, 300, 'rover', TellWhen.DARK)),
        ('let me know if the sky gets dark', WatchSettings(True, 300, 'rover', TellWhen.DARK)),
        ("say when it's too dark, don't move", WatchSettings(True, 300, 'rover', TellWhen.DARK)),
        ('let me know when something moves', WatchSettings(True, 300, 'rover', TellWhen.MOTION)),
        ('暗くなったら教えて', WatchSettings(True, 300, 'rover', TellWhen.DARK)),
        (
            "Tell me when something moves, otherwise don't say anything",
            WatchSettings(True, 300, 'rover', TellWhen.MOTION),
        ),
    ],
)
def test_words_about_the_watch(words: str, expected: WatchSettings) -> None:
    change = parse_watch_change(words)
    assert change is not None
    assert change.applied(NOW) == expected


@pytest.mark.parametrize(
    'words',
    [
        "Don't tell me when it gets dark",
        'I do not want you to let me know if something moves',
        'do not watch every 5 s',
        'stop telling me when something moves',
        '暗くなったら教えなくていい',
    ],
)
def test_a_watch_that_is_not_wanted_is_switched_off(words: str) -> None:
    """It was switched on, or the words did nothing."""
    assert parse_watch_change(words) == WatchChange(enabled=False)


@pytest.mark.parametrize(
    'words',
    [
        *('What is in front of you? Look.', 'Is it dark?', 'drive every day', 'watch out!', ''),
        *('look if there is a dark rock', 'Tell me once more what the dark rock is'),
        *('Why did you look when it was dark?', "don't stop watching"),
        *("Don't tell me what you see", '教えないで'),
    ],
)
def test_words_about_something_else(words: str) -> None:
    assert parse_watch_change(words) is None


@pytest.mark.parametrize(
    'change',
    [WatchChange(interval_s=0), WatchChange(interval_s=10**6), WatchChange(target='x' * 201)],
)
def test_what_cannot_be_set_is_one_sentence(change: WatchChange) -> None:
    with pytest.raises(ValueError, match=r'\.$'):
        change.applied(NOW)


def test_what_is_left_out_stays() -> None:
    settings = WatchSettings(True, 7, 'console-1', TellWhen.DARK)
    assert WatchChange().applied(settings) == settings
    assert WatchChange(target='').applied(settings).target is None
