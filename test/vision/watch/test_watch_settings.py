"""The watch's settings: the configuration is the default, the database wins and lasts."""

from __future__ import annotations

from pathlib import Path
import sqlite3

from rover_common.config.load import load_config
from rover_vision.watch.watch_settings import TellWhen, WatchSettings, WatchSettingsStore

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
