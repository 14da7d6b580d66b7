"""The watch: capture, summary, comment, episode, event; and what becomes of failures."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from fakes.common import ManualClock
from public_client import png

from rover_common.config.load import load_config
from rover_vision.capture.connected_clients import Source
from rover_vision.episodes.episode_store import NewEpisode, Origin
from rover_vision.look_request_and_result import (
    LookCode,
    LookFault,
    LookRequest,
    Picture,
    PictureSet,
)
from rover_vision.watch.watch_looks import (
    EVENT,
    Quiet,
    Watch,
    WatchCondition,
    WatchParts,
    WatchSchedule,
)
from rover_vision.watch.watch_settings import TellWhen, WatchSettings, WatchSettingsStore

DAY, NIGHT = Picture(png(colour=200), 'png', 32, 24), Picture(png(colour=9), 'png', 32, 24)
WINDOW = {'active_app': 'code', 'window_title': 'plan'}
BLIND = LookFault(LookCode.REFUSED, 'Mast is closed.')


class Stage:
    """A watch over looks that are known beforehand; the last one goes on."""

    def __init__(self, folder: Path, *found: PictureSet | LookFault) -> None:
        self.found = list(found)
        self.orders: list[LookRequest] = []
        self.episodes: list[NewEpisode] = []
        self.events: list[tuple[str, Mapping[str, Any], int]] = []
        self.said: list[str] = []
        self.warned: list[str] = []
        self.why_quiet: Quiet | None = None
        self.breaks: Exception | None = None
        self.clock = ManualClock()
        store = WatchSettingsStore(folder, load_config().vision.watch)
        parts = WatchParts(
            store, self, None, self._keep, self, lambda: self.why_quiet, ThreadPoolExecutor(1)
        )
        self.watch = Watch(parts, WatchSchedule(60.0), WatchCondition(0.25, 0.02), self.clock)

    async def look(self, order: LookRequest) -> PictureSet | LookFault:
        self.orders.append(order)
        if self.breaks:
            raise self.breaks
        return self.found.pop(0) if len(self.found) > 1 else self.found[0]

    def _keep(self, episode: NewEpisode) -> int:
        self.episodes.append(episode)
        return len(self.episodes)

    def event(self, kind: str, data: Mapping[str, Any], number: int) -> None:
        self.events.append((kind, data, number))

    def comment(self, text: str, episode: int) -> None:
        self.said.append(text)

    def warn(self, text: str) -> None:
        self.warned.append(text)

    def run(self, settings: WatchSettings, seconds: int) -> None:
        """Switches the watch and lets time pass."""

        async def play() -> None:
            self.watch.step()
            self.watch.set(settings)
            for _ in range(seconds):
                self.clock.now += 1.0
                self.watch.step()
                if self.watch._looking is not None:
                    await self.watch._looking

        asyncio.run(play())


def test_a_look_becomes_a_comment_an_episode_and_an_event(tmp_path: Path) -> None:
    stage = Stage(tmp_path, PictureSet('console-1', (DAY,), WINDOW))
    stage.run(WatchSettings(True, 10, 'console-1'), 6)
    (order,) = stage.orders
    assert (order.source, order.target, order.only_target) == (Source.DESKTOP, 'console-1', True)
    (episode,) = stage.episodes
    assert (episode.origin, episode.client_id) == (Origin.WATCH, 'console-1')
    assert episode.measured['brightness'] > 0.7
    assert stage.said == [episode.answer]
    data = {'system_text': f'[{EVENT}] code plan', 'message': episode.answer}
    assert stage.events == [(EVENT, data, 1)]


def test_the_rover_is_looked_at_with_its_camera(tmp_path: Path) -> None:
    stage = Stage(tmp_path, PictureSet('rover', (DAY,)))
    stage.run(WatchSettings(True, 10, 'rover'), 16)
    assert [order.source for order in stage.orders] == [Source.CAMERA] * 2


def test_darkness_is_told_when_it_comes_and_nothing_before(tmp_path: Path) -> None:
    stage = Stage(tmp_path, *(PictureSet('rover', (each,)) for each in (DAY, DAY, NIGHT, NIGHT)))
    stage.run(WatchSettings(True, 1, 'rover', TellWhen.DARK), 10)
    assert len(stage.orders) >= 4
    (said,) = stage.said
    assert said.startswith('It is dark')
    assert len(stage.episodes) == 1


def test_a_fault_is_told_once_and_tried_ever_more_seldom(tmp_path: Path) -> None:
    stage = Stage(tmp_path, BLIND)
    stage.run(WatchSettings(True, 1, 'rover'), 40)
    assert stage.warned == ['The watch sees nothing: Mast is closed.']
    assert 4 <= len(stage.orders) <= 6
    assert stage.watch.fault == stage.warned[0]
    assert stage.episodes == []


def test_a_fault_of_its_own_is_told_and_the_watch_goes_on(tmp_path: Path) -> None:
    stage = Stage(tmp_path, PictureSet('rover', (DAY,)))
    stage.breaks = ZeroDivisionError('by zero')
    stage.run(WatchSettings(True, 1, 'rover'), 20)
    assert stage.warned == ['The watch has a fault of its own: ZeroDivisionError: by zero']
    stage.breaks = None
    stage.run(WatchSettings(True, 1, 'rover'), 20)
    assert stage.episodes


def test_a_client_that_does_not_want_to_is_no_fault(tmp_path: Path) -> None:
    stage = Stage(tmp_path, LookFault(LookCode.SKIPPED, 'capture skipped (idle)'))
    stage.run(WatchSettings(True, 10, 'console-1'), 26)
    assert (len(stage.orders), stage.warned) == (3, [])


def test_nobody_to_look_at_is_told_and_nobody_is_asked(tmp_path: Path) -> None:
    stage = Stage(tmp_path, BLIND)
    stage.run(WatchSettings(True, 5, None), 20)
    assert (len(stage.warned), stage.orders) == (1, [])


def test_it_is_never_in_the_way(tmp_path: Path) -> None:
    stage = Stage(tmp_path, PictureSet('rover', (DAY,)))
    stage.why_quiet = Quiet.BUSY
    stage.run(WatchSettings(True, 1, 'rover'), 20)
    assert stage.orders == []


def test_it_goes_on_after_a_restart_as_it_was_set(tmp_path: Path) -> None:
    Stage(tmp_path, BLIND).run(WatchSettings(True, 5, 'rover'), 1)
    again = Stage(tmp_path, PictureSet('rover', (DAY,)))
    assert again.watch.settings == WatchSettings(True, 5, 'rover')
