"""The looks of the watch: when they are due, and on which of them it comments.

- On at boot: the first look after one interval. Switched on later: after 5 s.
- Then every interval. A look that takes longer than that delays the next one.
- Looks that fail are tried ever more seldom; the first one that works ends that.
- While the rover is in SAFE or CHARGE, or pursues a goal, nothing is looked at; when that is over,
  what was missed is done once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from enum import Enum
import time
from typing import Any, Protocol

from rover_common.errors import BtExecutiveError
from rover_common.process.threads import describe_error
from rover_vision.capture.connected_clients import ROVER, Source
from rover_vision.chat.model_prompts_and_answers import Answers, NoAnswerError, with_picture
from rover_vision.episodes.episode_store import NewEpisode, Origin
from rover_vision.look_request_and_result import LookCode, LookRequest, Looks, PictureSet
from rover_vision.place_of_look import Place, is_same_place
from rover_vision.seeing.picture_measurements import (
    Measured,
    UnreadablePictureError,
    changed_share,
    describe,
    measure,
)
from rover_vision.watch.watch_settings import TellWhen, WatchSettings, WatchSettingsStore

HYSTERESIS = 0.05  # of brightness, so that twilight is reported once
AFTER_SWITCHING_ON_S = 5.0
BACKOFF = 2.0
TICK_S = 0.5
EVENT = 'desktop_watch'
MAY_HAVE_BEEN_DRIVEN = 'Something has moved, or the robot has, whose place is not known'
QUESTION = 'What is worth saying about this picture? One or two sentences.'


@dataclass
class WatchCondition:
    """Compares each look with the previous ones at the same client, from the same place.

    Args:
        dark_below: Mean brightness, 0 to 1.
        moved_above: Share of the picture that must differ from the one before.
    """

    dark_below: float
    moved_above: float
    _last: tuple[Measured, Place | None] | None = None
    _dark: bool = False
    _watched: tuple[TellWhen, str] | None = None

    def reset(self) -> None:
        """Forget the previous looks: the watch may have been off since."""
        self._last, self._watched = None, None

    def remark(
        self, when: TellWhen, client_id: str, seen: Measured, place: Place | None = None
    ) -> str | None:
        """Return the comment on this look; None: nothing. The first look has no previous one.

        `place`: where the rover took it; None: unknown, or no camera of the rover.
        """
        before, self._last = self._last, (seen, place)
        if (when, client_id) != self._watched:
            self._watched, self._dark = (when, client_id), False
            before = None
        if when is TellWhen.DARK:
            return self._darkness(seen)
        if when is TellWhen.MOTION:
            is_placed = place is not None or client_id != ROVER
            return self._motion(before, seen, place, is_placed)
        return ''

    def _darkness(self, seen: Measured) -> str | None:
        was_dark = self._dark
        limit = self.dark_below + (HYSTERESIS if was_dark else 0.0)
        self._dark = seen.brightness < limit
        if was_dark or not self._dark:
            return None
        return f'It is dark: brightness {seen.brightness:.2f}, the limit is {self.dark_below:g}.'

    def _motion(
        self,
        before: tuple[Measured, Place | None] | None,
        seen: Measured,
        place: Place | None,
        is_placed: bool,
    ) -> str | None:
        if before is None or not is_same_place(before[1], place):
            return None
        share = changed_share(before[0], seen)
        if share is None or share <= self.moved_above:
            return None
        what = 'Something has moved' if is_placed else MAY_HAVE_BEEN_DRIVEN
        return f'{what}: {share * 100:.0f} % of the picture has changed.'


class Quiet(str, Enum):
    """Why the watch is silent although it is enabled."""

    SAFE = 'the rover is in SAFE'
    CHARGE = 'the rover rests to charge'
    BUSY = 'the rover pursues a goal'
    UNKNOWN = 'no message from the executive'


@dataclass
class WatchSchedule:
    """Call `due` often, and `ended` when the look that was due has ended.

    Args:
        longest_pause_s: Between two looks while they fail; never shorter than the interval.
    """

    longest_pause_s: float
    _enabled: bool | None = None  # None: before the first call of `due`
    _next_at: float = 0.0
    _looking: bool = False
    _failures: int = 0
    _interval_s: float = 0.0

    def due(self, settings: WatchSettings, quiet: Quiet | None, now: float) -> bool:
        """Return whether to look now. `now`: steady seconds."""
        self._follow(settings, now)
        if not settings.enabled or self._looking or quiet is not None or now < self._next_at:
            return False
        self._looking = True
        self._next_at = now + settings.interval_s
        return True

    def ended(self, succeeded: bool, now: float) -> None:
        """Handle the end of a look. `succeeded`: it has a picture, or the client skipped it."""
        self._looking = False
        self._failures = 0 if succeeded else self._failures + 1
        if self._failures:
            factor = BACKOFF ** min(self._failures, 20)
            pause = min(self._interval_s * factor, max(self.longest_pause_s, self._interval_s))
            self._next_at = now + pause

    def _follow(self, settings: WatchSettings, now: float) -> None:
        at_boot, was_on = self._enabled is None, bool(self._enabled)
        changed = settings.interval_s != self._interval_s
        self._enabled, self._interval_s = settings.enabled, float(settings.interval_s)
        if not settings.enabled:
            self._failures = 0
        elif at_boot:
            self._next_at = now + settings.interval_s
        elif not was_on:
            self._next_at = now + AFTER_SWITCHING_ON_S
        elif changed:
            self._next_at = min(self._next_at, now + settings.interval_s)


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
    """Runs in the gateway's loop."""

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
        """Change the settings and store them. A look under way ends if it is not of these.

        Raises:
            EpisodesError: They cannot be stored; nothing has changed.
        """
        self._parts.store.put(settings)
        before, self._settings = self._settings, settings
        self.fault = ''
        self._condition.reset()
        is_as_set = before == replace(settings, interval_s=before.interval_s)
        if self._looking is not None and not is_as_set:
            self._looking.cancel()

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
        except asyncio.CancelledError:
            succeeded = True  # nothing is known against the next one
            raise
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
            self._report_fault(await self._consider(settings.tell_when, source, found))
            return True
        if found.code is LookCode.SKIPPED:
            return True
        self._report_fault(f'The watch sees nothing: {found.sentence}')
        return False

    async def _consider(self, when: TellWhen, source: Source, seen: PictureSet) -> str:
        """Comment on a look, if there is something to say; return a fault, empty: none."""
        loop, workers = asyncio.get_running_loop(), self._parts.workers
        try:
            measured = await loop.run_in_executor(workers, measure, seen.pictures[0])
        except UnreadablePictureError as error:
            return str(error)
        remark = self._condition.remark(when, seen.client_id, measured, seen.place)
        if remark is None:
            return ''
        comment = remark or await self._comment(source, seen, measured)
        data = measured.as_data()
        episode = NewEpisode(seen, Origin.WATCH, source.value, 'watch', '', comment, data)
        fault = ''
        try:
            number = await loop.run_in_executor(workers, self._parts.keep, episode)
        except BtExecutiveError as error:  # a condition is said once: not to lose it
            number, fault = 0, str(error)
        names = (seen.context.get(each, '') for each in ('active_app', 'window_title'))
        title = ' '.join(filter(None, names))
        event = {'system_text': f'[{EVENT}] {title or seen.client_id}', 'message': comment}
        self._parts.listener.event(EVENT, event, number)
        self._parts.listener.comment(comment, number)
        return fault

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
        """Report a fault once, however often it repeats; empty: there is none any more."""
        if fault != self.fault:
            self.fault = fault
            if fault:
                self._parts.listener.warn(fault)
