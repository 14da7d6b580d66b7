"""Looks again and again: capture, summary, comment, episode, event."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
import time
from typing import Any, Protocol

from rover_common.errors import BtExecutiveError
from rover_common.process.threads import describe_error
from rover_vision.capture.captured_picture import Seen
from rover_vision.capture.connected_clients import ROVER, Source
from rover_vision.capture.look_fault import LookCode
from rover_vision.chat.look_port import LookOrder, Looks
from rover_vision.chat.look_prompts import with_picture
from rover_vision.chat.model_answers import Answers, NoAnswerError
from rover_vision.episodes.episode import NewEpisode, Origin
from rover_vision.seeing.measurements_in_words import describe
from rover_vision.seeing.picture_measurements import Measured, UnreadablePictureError, measure
from rover_vision.watch.comment_conditions import WatchCondition
from rover_vision.watch.watch_schedule import Quiet, WatchSchedule
from rover_vision.watch.watch_settings import TellWhen, WatchSettings, WatchSettingsStore

TICK_S = 0.5
EVENT = 'desktop_watch'
QUESTION = 'What is worth saying about this picture? One or two sentences.'


class Teller(Protocol):
    """Who hears of the watch."""

    def event(self, kind: str, data: Mapping[str, Any], number: int) -> None:
        """An event for clients; `number` is that of the episode."""

    def say(self, text: str, episode: int) -> None:
        """A sentence for the operator."""

    def warn(self, text: str) -> None:
        """Something does not work."""


@dataclass(frozen=True)
class WatchParts:
    """What the watch works with. `keep` may block; `quiet`: why to be silent, None: no reason."""

    store: WatchSettingsStore
    looks: Looks
    answers: Answers | None  # None: no model that sees
    keep: Callable[[NewEpisode], int]
    teller: Teller
    quiet: Callable[[], Quiet | None]
    workers: Executor


class Watch:
    """Runs in the gateway's loop.

    Args:
        parts: What it works with.
        schedule: When it looks.
        condition: At what it says something.
        clock: Steady seconds.
    """

    def __init__(
        self,
        parts: WatchParts,
        schedule: WatchSchedule,
        condition: WatchCondition,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._parts = parts
        self._schedule = schedule
        self._condition = condition
        self._clock = clock
        self._settings = parts.store.get()
        self._looking: asyncio.Task[None] | None = None
        self.fault = ''  # why the last look failed; empty if it did not

    @property
    def settings(self) -> WatchSettings:
        """How it is set."""
        return self._settings

    def set(self, settings: WatchSettings) -> None:
        """Sets it, and keeps that.

        Raises:
            EpisodesError: It cannot be kept; nothing has changed.
        """
        self._parts.store.put(settings)
        self._settings = settings
        self.fault = ''

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            self.step()
            await asyncio.sleep(TICK_S)

    def step(self) -> None:
        """Looks whether it is time."""
        settings = self._settings
        if self._schedule.due(settings, self._parts.quiet(), self._clock()):
            self._looking = asyncio.get_running_loop().create_task(self._look(settings))

    async def _look(self, settings: WatchSettings) -> None:
        well = False
        try:
            well = await self._look_once(settings)
        except BtExecutiveError as error:
            self._complain(str(error))
        except Exception as error:  # the next look may go well, and somebody has to know
            self._complain(f'The watch has a fault of its own: {describe_error(error)}')
        finally:
            self._schedule.ended(well, self._clock())

    async def _look_once(self, settings: WatchSettings) -> bool:
        if settings.target is None:
            self._complain('The watch is on, but no client is named that it looks at.')
            return True
        source = Source.CAMERA if settings.target == ROVER else Source.DESKTOP
        order = LookOrder(source, '', EVENT, settings.target, only_target=True)
        found = await self._parts.looks.look(order)
        if isinstance(found, Seen):
            self.fault = ''
            await self._consider(settings.tell_when, source, found)
            return True
        if found.code is LookCode.SKIPPED:
            return True
        self._complain(f'The watch sees nothing: {found.sentence}')
        return False

    async def _consider(self, when: TellWhen, source: Source, seen: Seen) -> None:
        loop, workers = asyncio.get_running_loop(), self._parts.workers
        try:
            measured = await loop.run_in_executor(workers, measure, seen.pictures[0])
        except UnreadablePictureError as error:
            self._complain(str(error))
            return
        remark = self._condition.remark(when, measured)
        if remark is None:
            return
        comment = remark or await self._comment(source, seen, measured)
        episode = _episode(source, seen, measured, comment)
        number = await loop.run_in_executor(workers, self._parts.keep, episode)
        names = (seen.context.get(each, '') for each in ('active_app', 'window_title'))
        where = ' '.join(filter(None, names))
        data = {'system_text': f'[{EVENT}] {where or seen.client_id}', 'message': comment}
        self._parts.teller.event(EVENT, data, number)
        self._parts.teller.say(comment, number)

    async def _comment(self, source: Source, seen: Seen, measured: Measured) -> str:
        told = describe(measured, source.value, seen.place)
        if self._parts.answers is None or not self._parts.answers.sees:
            return told
        try:
            messages = with_picture(QUESTION, (), seen, source.value)
            return await self._parts.answers.ask(messages, seen.pictures)
        except NoAnswerError as error:
            return f'{told} (The model could not be asked: {error})'

    def _complain(self, why: str) -> None:
        """Tells a fault once, however often it comes in a row."""
        if why != self.fault:
            self.fault = why
            self._parts.teller.warn(why)


def _episode(source: Source, seen: Seen, measured: Measured, comment: str) -> NewEpisode:
    return NewEpisode.of(
        seen,
        Origin.WATCH,
        source.value,
        asked_by='watch',
        measured=measured.as_data(),
        answer=comment,
    )
