"""The base: motions are begun under guards, and ended by a stop that the rover has answered.

A motion counts as under way from before its request is sent until a stop that surely came after
it was answered. Everything here runs in one thread.
"""

from __future__ import annotations

from collections.abc import Callable

from bt_executive.settings import Motion
from curiosity_adapter.deadman import Deadman
from curiosity_adapter.exclusivity import Exclusivity
from curiosity_adapter.rover import Answer, Rover
from curiosity_adapter.stops import Stops
from curiosity_adapter.waits import Waits

STOP = 'move_stop'


class Base:
    """Starts and stops motions of the rover.

    Args:
        rover: The rover's services.
        exclusivity: Base or mast, never both.
        deadman: When a motion must end by itself.
        waits: Where to wait.
        settings: Bounds in s.
        clock: Steady time in s.
        on_change: Called after an answer of the rover changed something.
        on_halt: Called with the reason when a motion must end although nobody asked for it.
    """

    def __init__(
        self,
        rover: Rover,
        exclusivity: Exclusivity,
        deadman: Deadman,
        waits: Waits,
        settings: Motion,
        clock: Callable[[], float],
        on_change: Callable[[], None],
        on_halt: Callable[[str], None],
    ) -> None:
        self._rover = rover
        self._exclusivity = exclusivity
        self._deadman = deadman
        self._waits = waits
        self._clock = clock
        self._on_change = on_change
        self._on_halt = on_halt
        self._stops = Stops(settings.stop_retry_s, settings.service_wait_s)
        self._open_start: Answer | None = None
        self._cause = ''
        self._closed = ''

    @property
    def at_rest(self) -> bool:
        """Whether no motion is under way and no stop is owed to the rover."""
        return self._exclusivity.motion is None and not self._stops.owed

    async def start(self, name: str) -> str:
        """Begins a motion; returns when the rover has confirmed it. Gives a reason if not.

        A motion that the rover does not confirm in time is treated as one that may be under way.
        """
        if not await self._waits.until(
            lambda: bool(self._refusal()) or self._ready_for(name), self._rover.wait_s
        ):
            missing = STOP if self._rover.offers(name) else name
            lacks = self._rover.silence if self._rover.offers(missing) else self._rover.absence
            return lacks(missing)
        reason = self._refusal() or self._exclusivity.begin_motion(name)
        return reason or await self._confirm(name)

    async def stop(self) -> str:
        """Sends a stop at once; returns when the rover stands still. Gives a reason if not."""
        self._cause = self._cause or 'move_stop was called'
        self._stops.owe()
        if self._rover.offers(STOP):
            self._send_stop()
        if await self._waits.until(lambda: self.at_rest, self._rover.wait_s):
            return ''
        if self._rover.offers(STOP):
            return f'{self._rover.silence(STOP)}; it is asked again until it answers'
        return f'{self._rover.absence(STOP)}; the stop is sent as soon as it is there'

    def watch(self) -> None:
        """Ends the motion if deadman or mast demand it, and sends the stop that is owed.

        Call it whenever time has passed or something has changed.
        """
        now = self._clock()
        reason = self._demand(now) if self._exclusivity.motion else ''
        if reason and not self._stops.owed:
            self._halt(reason)
        if self._stops.due(now) and self._rover.offers(STOP):
            self._send_stop()

    def close(self, reason: str) -> None:
        """Ends the motion under way and refuses every later one."""
        self._closed = reason

    def _demand(self, now: float) -> str:
        """Why the motion under way must end although nobody asked for it."""
        if self._closed:
            return f'{self._exclusivity.motion} was stopped: {self._closed}'
        return self._deadman.due(now) or self._exclusivity.stop_reason()

    def _halt(self, reason: str) -> None:
        self._cause = reason
        self._stops.owe()
        self._on_halt(reason)

    def _refusal(self) -> str:
        if self._closed:
            return f'No motion may begin: {self._closed}'
        return self._deadman.refusal(self._clock()) or self._exclusivity.motion_refusal()

    def _ready_for(self, name: str) -> bool:
        return (
            self._stops.quiet(self._clock())
            and self._rover.offers(name)
            and self._rover.offers(STOP)
        )

    async def _confirm(self, name: str) -> str:
        self._cause = ''
        self._deadman.motion_started(name, self._clock())
        self._stops.start_sent()
        answer = self._rover.ask(name, lambda: self._start_answered(answer))
        self._open_start = answer
        if not await self._rover.answered(answer):
            reason = self._rover.silence(name)
            self._open_start = None
            self._stops.start_settled()
            self._halt(f'{reason}; the rover was told to stop')
        return self._cause and f'{name} was not completed: {self._cause}'

    def _start_answered(self, answer: Answer) -> None:
        if answer is self._open_start:
            self._open_start = None
            self._stops.start_settled()
        else:
            self._stops.start_came_late()
            if self._exclusivity.motion:
                self._halt(f'{self._exclusivity.motion} was stopped: an earlier start came late')
        self._on_change()

    def _send_stop(self) -> None:
        number = self._stops.sent(self._clock())
        self._rover.ask(STOP, lambda: self._stop_answered(number))

    def _stop_answered(self, number: int) -> None:
        if self._stops.answered(number):
            self._exclusivity.motion_ended()
            self._deadman.motion_stopped()
        self._on_change()
