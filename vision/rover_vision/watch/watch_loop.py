"""The loop of the watch: capture, summary, comment, episode, event."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
import time
from typing import Any, Protocol

from rover_common.errors import BtExecutiveError
from rover_common.process.threads import describe_error
from rover_vision.capture.captured_picture import PictureSet
from rover_vision.capture.connected_clients import ROVER, Source
from rover_vision.capture.look_fault import LookCode
from rover_vision.chat.look_port import LookRequest, Looks
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


class WatchListener(Protocol):
    """Receives the events of the watch."""

    def event(self, kind: str, data: Mapping[str, Any], number: int) -> None:
        """Publish an event to clients; `number`: of the episode."""

    def comment(self, text: str, episode: int) -> None:
        """Publish a comment for the operator."""

    def warn(self, text: str) -> None:
        """Publish a fault."""


@dataclass(frozen=True)
class WatchParts:
    """Collaborators of the watch. `keep` may block; `quiet`: why to be silent; None: no reason."""

    store: WatchSettingsStore
    looks: Looks
    answers: Answers | None  # None: no vision model
    keep: Callable[[NewEpisode], int]
    listener: WatchListener
    quiet: Callable[[], Quiet | None]
    workers: Executor


class Watch:
    """Runs in the gateway's loop.

    Args:
        parts: Its collaborators.
        schedule: When to look.
        condition: On what to comment.
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
        self.fault = ''  # of the last look; empty: none

    @property
    def settings(self) -> WatchSettings:
        """Return the settings."""
        return self._settings

    def set(self, settings: WatchSettings) -> None:
        """Change the settings and store them.

        Raises:
            EpisodesError: They cannot be stored; nothing has changed.
        """
        self._parts.store.put(settings)
        self._settings = settings
        self.fault = ''

    async def run(self) -> None:
        """Run until it is cancelled."""
        while True:
            self.step()
            await asyncio.sleep(TICK_S)

    def step(self) -> None:
        """Start a look if it is due."""
        settings = self._settings
        if self._schedule.due(settings, self._parts.quiet(), self._clock()):
            self._looking = asyncio.get_running_loop().create_task(self._look(settings))

    async def _look(self, settings: WatchSettings) -> None:
        succeeded = False
        try:
            succeeded = await self._look_once(settings)
        except BtExecutiveError as error:
            self._report_fault(str(error))
        except Exception as error:  # reported, and the next look may succeed
            self._report_fault(f'The watch has a fault of its own: {describe_error(error)}')
        finally:
            self._schedule.ended(succeeded, self._clock())

    async def _look_once(self, settings: WatchSettings) -> bool:
        if settings.target is None:
            self._report_fault('The watch is on, but no client is named that it looks at.')
            return True
        source = Source.CAMERA if settings.target == ROVER else Source.DESKTOP
        request = LookRequest(source, '', EVENT, settings.target, only_target=True)
        found = await self._parts.looks.look(request)
        if isinstance(found, PictureSet):
            self.fault = ''
            await self._consider(settings.tell_when, source, found)
            return True
        if found.code is LookCode.SKIPPED:
            return True
        self._report_fault(f'The watch sees nothing: {found.sentence}')
        return False

    async def _consider(self, when: TellWhen, source: Source, seen: PictureSet) -> None:
        loop, workers = asyncio.get_running_loop(), self._parts.workers
        try:
            measured = await loop.run_in_executor(workers, measure, seen.pictures[0])
        except UnreadablePictureError as error:
            self._report_fault(str(error))
            return
        remark = self._condition.remark(when, measured)
        if remark is None:
            return
        comment = remark or await self._comment(source, seen, measured)
        episode = _episode(source, seen, measured, comment)
        number = await loop.run_in_executor(workers, self._parts.keep, episode)
        names = (seen.context.get(each, '') for each in ('active_app', 'window_title'))
        title = ' '.join(filter(None, names))
        data = {'system_text': f'[{EVENT}] {title or seen.client_id}', 'message': comment}
        self._parts.listener.event(EVENT, data, number)
        self._parts.listener.comment(comment, number)

    async def _comment(self, source: Source, seen: PictureSet, measured: Measured) -> str:
        measurements = describe(measured, source.value, seen.place)
        if self._parts.answers is None or not self._parts.answers.sees:
            return measurements
        try:
            messages = with_picture(QUESTION, (), seen, source.value)
            return await self._parts.answers.ask(messages, seen.pictures)
        except NoAnswerError as error:
            return f'{measurements} (The model could not be asked: {error})'

    def _report_fault(self, fault: str) -> None:
        """Report a fault once, however often it repeats."""
        if fault != self.fault:
            self.fault = fault
            self._parts.listener.warn(fault)


def _episode(source: Source, seen: PictureSet, measured: Measured, comment: str) -> NewEpisode:
    return NewEpisode.of(
        seen,
        Origin.WATCH,
        source.value,
        asked_by='watch',
        measured=measured.as_data(),
        answer=comment,
    )
