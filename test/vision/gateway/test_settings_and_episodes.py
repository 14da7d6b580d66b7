"""/api/settings: a full replacement, or nothing; /api/episodes: whatever number or words come."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
import json
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from fakes.vision import FakeChat, FakeResource
import httpx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from public_client import png
import pytest

from rover_common.config.load import load_config
from rover_vision.capture.client_protocol import WireError
from rover_vision.capture.looks_in_event_loop import Captures
from rover_vision.episodes.episode_store import EpisodeReader, EpisodeStore, NewEpisode, Origin
from rover_vision.gateway.client_sockets_and_rover_camera import Events
from rover_vision.gateway.gateway_routes import Parts, make_app
from rover_vision.gateway.settings_and_episodes import (
    BadSettingsError,
    StoredEpisodes,
    WatchResource,
)
from rover_vision.look_request_and_result import Picture, PictureSet
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


TOKEN = 'a token for tests'
HUGE = ('9' * 20, '9' * 5000, str(2**63), '1' + '0' * 400)
ODD = ('-1', '1.0', '1e3', 'nan', 'inf', '²', '١', '0x1', 'one', ' 1', '1 ', "1'--", '%00', '+1')


class Door:
    """The gateway without a socket, and its one episode."""

    def __init__(self, folder: Path) -> None:
        vision = load_config().vision
        self.store = EpisodeStore(folder, vision.episodes)
        seen = PictureSet('console-1', (Picture(png(), 'png', 1, 1),))
        self.store.add(
            NewEpisode(seen, Origin.CHAT, 'desktop', asked_by='a', measured={}, answer='!')
        )
        self.workers = ThreadPoolExecutor(1)
        captures = Captures(1.0)
        events = Events(captures, vision.dialect, 1)
        episodes = StoredEpisodes(self.store, self.workers)
        parts = Parts(vision, TOKEN, captures, events, FakeChat(), FakeResource(), episodes)
        self.app = make_app(parts)

    def get(self, path: str) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(cast('Any', self.app))
            headers = {'authorization': f'bearer {TOKEN}'}
            url = 'http://127.0.0.1'
            async with httpx.AsyncClient(
                transport=transport, base_url=url, headers=headers
            ) as client:
                return await client.get(path)

        return asyncio.run(ask())

    def close(self) -> None:
        self.workers.shutdown()
        self.store.close()


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    made = Door(tmp_path)
    yield made
    made.close()


def test_the_number_of_an_episode_has_its_picture(door: Door) -> None:
    for given_ in ('1', '01'):
        assert door.get(f'/api/episodes/{given_}/picture').content == png()


@pytest.mark.parametrize('number', [*HUGE, *ODD, '0', '2', str(2**63 - 1)])
def test_what_is_no_number_of_an_episode_is_not_found(door: Door, number: str) -> None:
    answer = door.get(f'/api/episodes/{quote(number)}/picture')
    assert answer.status_code == 404
    assert 'pisode' in answer.json()['detail']


@pytest.mark.parametrize('last', [*HUGE, *ODD, '0', '1001', ''])
def test_what_is_no_number_of_episodes_is_refused(door: Door, last: str) -> None:
    answer = door.get(f'/api/episodes?last={quote(last)}')
    assert answer.status_code == 422
    assert answer.json()['detail'].startswith('last must be a number from 1 to 1000')


@pytest.mark.slow
@given(st.text(max_size=600))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_words_are_searched_or_refused(door: Door, words: str) -> None:
    answer = door.get(f'/api/episodes?q={quote(words, errors="replace")}')
    assert answer.status_code == (200 if len(words) <= 500 else 422)


@pytest.mark.parametrize('number', [-1, 0, 2**63, 10**30])
def test_a_reader_has_no_episode_of_a_number_that_none_has(tmp_path: Path, number: int) -> None:
    door = Door(tmp_path)
    reader = EpisodeReader(tmp_path)
    assert reader.one(number) is None
    assert len(reader.search('', 10**30)) == 1
    reader.close()
    door.close()
