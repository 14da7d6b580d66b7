"""/api/settings in the form of the public protocol: a full replacement, or nothing."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from rover_vision.capture.client_protocol import WireError
from rover_vision.gateway.settings_and_episodes import BadSettingsError, WatchResource
from rover_vision.watch.watch_settings import WatchSettings


class OnlySettings:
    """A watch that keeps what is set."""

    def __init__(self) -> None:
        self.settings = WatchSettings(False, 300, 'rover')

    def set(self, settings: WatchSettings) -> None:
        self.settings = settings


def put(changes: dict[str, Any], leave_out: str = '') -> WatchSettings:
    watch: Any = OnlySettings()
    resource = WatchResource(watch)
    shown = dict(asyncio.run(resource.get())) | changes
    shown.pop(leave_out, None)
    answer = asyncio.run(resource.put(json.dumps(shown).encode()))
    assert answer == asyncio.run(resource.get())
    settings: WatchSettings = watch.settings
    return settings


def test_what_is_shown_can_be_put_back() -> None:
    assert put({}) == WatchSettings(False, 300, 'rover')


def test_a_page_sets_the_watch() -> None:
    changes = {
        'desktop_watch_enabled': True,
        'desktop_watch_interval_seconds': 5,
        'desktop_watch_target_client_id': 'console-1',
    }
    assert put(changes) == WatchSettings(True, 5, 'console-1')
    assert put({'desktop_watch_target_client_id': None}).target is None


@pytest.mark.parametrize(
    ('changes', 'leave_out', 'error'),
    [
        ({}, 'desktop_watch_enabled', WireError),
        ({}, 'llm_preset', WireError),
        ({'desktop_watch_interval_seconds': 0}, '', WireError),
        ({'desktop_watch_enabled': 'yes'}, '', WireError),
        ({'active_llm_preset_id': 'other'}, '', BadSettingsError),
        ({'memory_enabled': False}, '', BadSettingsError),
    ],
)
def test_what_cannot_be_set_changes_nothing(
    changes: dict[str, Any], leave_out: str, error: type[WireError]
) -> None:
    with pytest.raises(error):
        put(changes, leave_out)
