"""The watch: when it looks, on what it comments, and what becomes of failures."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
import io
from itertools import pairwise
from pathlib import Path
from typing import Any

from fakes.common import ManualClock
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from public_client import png
import pytest

from rover_common.config.load import load_config
from rover_common.errors import EpisodesError
from rover_vision.capture.connected_clients import Source
from rover_vision.episodes.episode_store import NewEpisode, Origin
from rover_vision.look_request_and_result import (
    LookCode,
    LookFault,
    LookRequest,
    Picture,
    PictureSet,
)
from rover_vision.place_of_look import Place, Remembered
from rover_vision.watch.watch_looks import (
    AFTER_SWITCHING_ON_S,
    EVENT,
    MAY_HAVE_BEEN_DRIVEN,
    Quiet,
    Watch,
    WatchCondition,
    WatchParts,
    WatchSchedule,
)
from rover_vision.watch.watch_settings import TellWhen, WatchSettings, WatchSettingsStore


def half_lit_png() -> bytes:
    image, file = Image.new('L', (32, 24), 9), io.BytesIO()
    image.paste(60, (0, 0, 16, 24))
    image.save(file, 'PNG')
    return file.getvalue()


DAY, NIGHT = Picture(png(colour=200), 'png', 32, 24), Picture(png(colour=9), 'png', 32, 24)
LIT_HALF = Picture(half_lit_png(), 'png', 32, 24)
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
        self.waits: asyncio.Event | None = None
        self.full = ''
        self.clock = ManualClock()
        store = WatchSettingsStore(folder, load_config().vision.watch)
        parts = WatchParts(
            store, self, None, self._keep, self, lambda: self.why_quiet, ThreadPoolExecutor(1)
        )
        self.watch = Watch(parts, WatchSchedule(60.0), WatchCondition(0.25, 0.02), self.clock)

    async def look(self, order: LookRequest) -> PictureSet | LookFault:
        self.orders.append(order)
        if self.waits:
            await self.waits.wait()
        if self.breaks:
            raise self.breaks
        return self.found.pop(0) if len(self.found) > 1 else self.found[0]

    def _keep(self, episode: NewEpisode) -> int:
        if self.full:
            raise EpisodesError(self.full)
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
    assert (episode.origin, episode.seen.client_id) == (Origin.WATCH, 'console-1')
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


@pytest.mark.parametrize(
    ('when', 'says'), [(TellWhen.DARK, ['It is dark'] * 2), (TellWhen.MOTION, [])]
)
def test_another_client_is_compared_with_itself_alone(
    tmp_path: Path, when: TellWhen, says: list[str]
) -> None:
    stage = Stage(tmp_path, PictureSet('rover', (NIGHT,)))
    stage.run(WatchSettings(True, 1, 'rover', when), 8)
    stage.found = [PictureSet('console-1', (LIT_HALF,))]
    stage.run(WatchSettings(True, 1, 'console-1', when), 8)
    assert [said.partition(':')[0] for said in stage.said] == says


HERE = Place(1.0, 2.0, 3.14)


@pytest.mark.parametrize(
    ('then', 'now', 'told'),
    [
        (
            *(HERE, Place(1.02, 2.0, -3.14, (Remembered('object_1', 'Bishop', 4.0),))),
            'Something has moved',
        ),
        (None, None, MAY_HAVE_BEEN_DRIVEN),
        (HERE, Place(1.5, 2.0, 3.14), ''),
        (HERE, Place(1.0, 2.0, 2.9), ''),
        (HERE, None, ''),
        (None, HERE, ''),
    ],
)
def test_a_rover_that_was_driven_sees_no_motion_by_that(
    tmp_path: Path, then: Place | None, now: Place | None, told: str
) -> None:
    before = PictureSet('rover', (DAY,), place=then)
    stage = Stage(tmp_path, before, PictureSet('rover', (LIT_HALF,), place=now))
    stage.run(WatchSettings(True, 1, 'rover', TellWhen.MOTION), 7)
    assert len(stage.orders) >= 2
    assert [said.partition(':')[0] for said in stage.said] == [told] * bool(told)


def test_what_was_seen_before_the_watch_was_off_counts_no_more(tmp_path: Path) -> None:
    """The second evening was silent, and what had changed meanwhile had "moved"."""
    stage = Stage(tmp_path, PictureSet('rover', (NIGHT,)))
    dark = WatchSettings(True, 1, 'rover', TellWhen.DARK)
    for settings in (dark, replace(dark, enabled=False), dark):
        stage.run(settings, 8)
    assert [said.partition(':')[0] for said in stage.said] == ['It is dark'] * 2
    stage.run(replace(dark, tell_when=TellWhen.MOTION), 8)
    stage.run(replace(dark, enabled=False), 1)
    stage.found = [PictureSet('rover', (LIT_HALF,))]
    stage.run(replace(dark, tell_when=TellWhen.MOTION), 8)
    assert len(stage.said) == 2


@pytest.mark.parametrize(
    ('change', 'is_ended'),
    [
        ({'enabled': False}, True),
        ({'target': 'console-1'}, True),
        ({'tell_when': TellWhen.DARK}, True),
        ({'interval_s': 2}, False),
    ],
)
def test_a_look_under_way_ends_if_the_watch_is_set_otherwise(
    tmp_path: Path, change: dict[str, Any], is_ended: bool
) -> None:
    """It showed the screen, and commented on it, after the watch had been switched off."""
    stage = Stage(tmp_path, PictureSet('rover', (DAY,)))
    settings = WatchSettings(True, 1, 'rover')

    async def play() -> None:
        stage.waits = asyncio.Event()
        stage.watch.set(settings)
        stage.watch.step()
        stage.clock.now += AFTER_SWITCHING_ON_S
        stage.watch.step()
        await asyncio.sleep(0)
        assert len(stage.orders) == 1
        stage.watch.set(replace(settings, **change))
        stage.waits.set()
        assert stage.watch._looking is not None
        await asyncio.wait([stage.watch._looking])
        assert stage.watch._looking.cancelled() is is_ended
        stage.watch.set(settings)
        for _ in range(2):  # at once, as after a look that has succeeded
            stage.clock.now += AFTER_SWITCHING_ON_S
            stage.watch.step()
        await stage.watch._looking

    asyncio.run(play())
    assert len(stage.orders) == 2
    assert len(stage.said) == (1 if is_ended else 2)


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


def test_on_a_full_disk_darkness_is_told_all_the_same(tmp_path: Path) -> None:
    stage = Stage(tmp_path, PictureSet('rover', (NIGHT,), {}))
    stage.full = 'The episode could not be kept (disk full).'
    stage.run(WatchSettings(True, 5, 'rover', TellWhen.DARK), 6)
    (said,) = stage.said
    assert said.startswith('It is dark')
    assert [(data['message'], number) for _, data, number in stage.events] == [(said, 0)]
    assert stage.warned == [stage.full]


def test_a_full_disk_is_told_once(tmp_path: Path) -> None:
    stage = Stage(tmp_path, PictureSet('rover', (DAY,), {}))
    stage.full = 'The episode could not be kept (disk full).'
    stage.run(WatchSettings(True, 5, 'rover'), 21)
    assert len(stage.said) > 1
    assert stage.warned == [stage.full]


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


ON = WatchSettings(True, 60, 'rover')
OFF = replace(ON, enabled=False)


def looks(
    schedule: WatchSchedule,
    settings: WatchSettings,
    since: int,
    until: int,
    well: bool = True,
    quiet: Quiet | None = None,
) -> list[int]:
    """The seconds at which it looks; each look ends at once."""
    at = []
    for now in range(since, until):
        if schedule.due(settings, quiet, float(now)):
            at.append(now)
            schedule.ended(well, float(now))
    return at


def test_on_at_boot_the_first_look_is_after_one_interval() -> None:
    assert looks(WatchSchedule(900.0), ON, 0, 200) == [60, 120, 180]


def test_switched_on_it_looks_after_five_seconds() -> None:
    schedule = WatchSchedule(900.0)
    assert looks(schedule, OFF, 0, 10) == []
    assert looks(schedule, ON, 10, 100) == [10 + int(AFTER_SWITCHING_ON_S), 75]
    assert looks(schedule, OFF, 100, 200) == []
    assert looks(schedule, ON, 200, 210) == [205]


def test_looks_that_fail_are_tried_ever_more_seldom_and_not_for_ever() -> None:
    schedule = WatchSchedule(400.0)
    assert looks(schedule, ON, 0, 1700, well=False) == [60, 180, 420, 820, 1220, 1620]
    assert looks(schedule, ON, 1700, 2200) == [2020, 2080, 2140]


def test_it_does_not_begin_while_it_looks() -> None:
    schedule = WatchSchedule(900.0)
    schedule.due(ON, None, 0.0)
    assert schedule.due(ON, None, 60.0)
    assert not schedule.due(ON, None, 130.0)
    schedule.ended(True, 130.0)
    assert schedule.due(ON, None, 130.0)


@pytest.mark.parametrize('quiet', list(Quiet))
def test_it_is_silent_and_does_once_what_was_missed(quiet: Quiet) -> None:
    schedule = WatchSchedule(900.0)
    assert looks(schedule, ON, 0, 200, quiet=quiet) == []
    assert looks(schedule, ON, 200, 300) == [200, 260]


def test_a_shorter_interval_holds_at_once() -> None:
    schedule = WatchSchedule(900.0)
    assert looks(schedule, ON, 0, 10) == []
    assert looks(schedule, replace(ON, interval_s=5), 10, 27) == [15, 20, 25]


@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from([1, 5, 60]), st.booleans(), st.integers(1, 40)),
        max_size=30,
    )
)
@pytest.mark.slow
def test_two_looks_are_never_closer_than_the_interval(
    phases: list[tuple[bool, int, bool, int]],
) -> None:
    schedule, now = WatchSchedule(900.0), 0
    for enabled, interval_s, well, length in phases:
        settings = WatchSettings(enabled, interval_s, 'rover')
        at = looks(schedule, settings, now, now + length, well)
        assert enabled or not at
        assert all(b - a >= interval_s for a, b in pairwise(at))
        now += length
