"""Requests to the rover's services: one start at a time, and stops as long as one is owed.

`OwedStop` keeps when the rover must be stopped, and which answer proves that the stop came last.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import math

from curiosity_adapter.adapter_error_codes import Cause
from curiosity_adapter.motion_guards import MotionGuards
from curiosity_adapter.rover_services import RoverClient, ServiceFuture
from rover_common.config.settings import MotionSettings
from rover_common.reason import Reason


class OwedStop:
    """Decides when a stop is to be sent, and when the rover surely stands still.

    A stop is owed from the beginning: the process that commanded the rover before may have died
    while it was driving.

    Args:
        retry_s: After how long a stop is sent again.
        late_s: How late a request or its answer may come. Later ones count as lost.

    Attributes:
        owed: Whether to send stops until one is answered that surely came last.
        answered_too_early: The latest answer was to a stop that proves nothing: a start may come
            after it.
    """

    def __init__(self, retry_s: float, late_s: float) -> None:
        self._retry_s = retry_s
        self._late_s = late_s
        self._start_open = False
        self._driving = False
        self._start_may_come_until = -math.inf
        self._sent_at: dict[int, float] = {}
        self._next = 0
        self._first_sure = 0
        self._last_sent_at = -math.inf
        self.owed = True
        self.answered_too_early = False

    def owe(self) -> None:
        """The rover must stop."""
        self.owed = True
        self.answered_too_early = False

    def is_precaution(self, now: float) -> bool:
        """Return whether a stop now would end nothing: none is owed, and no start can come."""
        return not (self.owed or self._driving or now < self._start_may_come_until)

    def start_sent(self, now: float) -> None:
        """A start was sent to the rover."""
        self._start_open = self._driving = True
        self._start_may_come_until = now + self._late_s

    def start_settled(self) -> None:
        """The start was answered, or is no longer waited for: only later stops are sure."""
        self._start_open = False
        self._only_later_stops_are_sure()

    def late_start_answered(self) -> None:
        """A start that was given up was answered after all: the rover may be moving.

        The latest start may still be open; then no stop is sure before that one is settled.
        """
        self._only_later_stops_are_sure()
        self.owe()

    def due(self, now: float) -> bool:
        """Return whether a stop is to be sent now, `retry_s` after the latest one.

        One is sent while it is owed, and again until no start can come after it any more.
        """
        wanted = self.owed or (
            not self._driving and self._last_sent_at < self._start_may_come_until
        )
        return wanted and now - self._last_sent_at > self._retry_s

    def rested(self, now: float) -> float:
        """Return how long ago the latest stop was sent, in s."""
        return now - self._last_sent_at

    def unanswered(self, now: float) -> bool:
        """Return whether the rover should stand, and the latest stop has no answer.

        A stop that is not owed counts, too: a late start may have come before it.
        """
        return self.owed or (not self._driving and self._any_unanswered(now))

    def sent(self, now: float) -> int:
        """Takes that a stop was sent; returns its number, for `answered`."""
        number, self._next = self._next, self._next + 1
        fresh = {key: at for key, at in self._sent_at.items() if now - at <= self._late_s}
        self._sent_at = {**fresh, number: now}
        self._last_sent_at = now
        return number

    def answered(self, number: int) -> bool:
        """A stop was answered; True if the rover stands still because of it."""
        self._sent_at = {key: at for key, at in self._sent_at.items() if key > number}
        self.answered_too_early = self._start_open or number < self._first_sure
        if self.answered_too_early:
            return False
        self.owed = self._driving = False
        return True

    def quiet(self, now: float) -> bool:
        """Return whether no stop is owed or unanswered, so that a motion may be requested.

        A stop without an answer is forgotten after `late_s`: its rover is gone.
        """
        return not self.owed and not self._any_unanswered(now)

    def _only_later_stops_are_sure(self) -> None:
        self._first_sure = self._next
        self._last_sent_at = -math.inf

    def _any_unanswered(self, now: float) -> bool:
        return any(now - at <= self._late_s for at in self._sent_at.values())


STOP = 'move_stop'
# With answers still open: a rover that hangs for hours gets requests all the time.
MOST_STOPS = 100
CURRENT_S = 0.25  # how long the last reading of the rover counts: some periods of the adapter
UNPROVEN_STOP_S = 1.0  # a rover that does not stand although its stop was answered is asked again


class MotionRequests:
    """Sends starts and stops, and updates the guards by the rover's answers.

    Args:
        rover: The rover's services.
        guards: Updated when a motion is confirmed or has ended.
        settings: Bounds in s.
        clock: Steady time in s.
        on_change: Called after an answer of the rover changed something.
    """

    def __init__(
        self,
        rover: RoverClient,
        guards: MotionGuards,
        settings: MotionSettings,
        clock: Callable[[], float],
        on_change: Callable[[], None],
    ) -> None:
        self._rover = rover
        self._guards = guards
        self._clock = clock
        self._on_change = on_change
        self._coasting_s = settings.coasting_s
        self._stops = OwedStop(settings.stop_retry_s, settings.service_wait_s)
        self._unproven_since = math.inf  # although no motion is under way
        self._judged_at = -math.inf  # when it was last noted whether the rover stands
        self._open_start: ServiceFuture | None = None
        self._asked_stops: deque[ServiceFuture] = deque()

    @property
    def wait_s(self) -> float:
        """How long to wait for the rover's services and their answers."""
        return self._rover.wait_s

    @property
    def stop_owed(self) -> bool:
        """Whether the rover must be stopped, and no answer proves yet that it was."""
        return self._stops.owed

    @property
    def start_open(self) -> bool:
        """Whether the answer to a start is still waited for."""
        return self._open_start is not None

    def ready_for(self, name: str) -> bool:
        """Return whether a start may be sent: no stop is under way, and one could be sent."""
        return (
            self._stops.quiet(self._clock())
            and self._rover.offers(name)
            and self._rover.offers(STOP)
        )

    def unready(self, name: str) -> Reason[Cause]:
        """Return why a start could not be sent within `wait_s`."""
        missing = STOP if self._rover.offers(name) else name
        lacks = self._rover.silence if self._rover.offers(missing) else self._rover.absence
        return lacks(missing)

    async def start(self, name: str, on_late: Callable[[], None]) -> Reason[Cause] | None:
        """Sends a start; returns when the rover has confirmed it, or why it has not.

        One that is not confirmed in time may still begin: stop the rover then.

        Args:
            name: The motion.
            on_late: Called when the answer comes after it was given up.
        """
        self._stops.start_sent(self._clock())
        answer = self._rover.ask(name, lambda: self._start_answered(answer, on_late))
        self._open_start = answer
        if await self._rover.answered(answer):
            return None
        self._open_start = None
        self._stops.start_settled()
        return self._rover.silence(name)

    def owe_stop(self) -> None:
        """The rover must stop."""
        self._stops.owe()

    def stop_is_precaution(self) -> bool:
        """Return whether a stop can be sent now and would end nothing that was requested.

        Not right after a pause of the adapter itself: its readings of the rover are older.
        """
        now = self._clock()
        is_current = now - self._judged_at <= CURRENT_S
        return is_current and self._rover.offers(STOP) and self._stops.is_precaution(now)

    def send_stop(self) -> None:
        """Sends a stop at once, if the service has a server."""
        if not self._rover.offers(STOP):
            return
        number = self._stops.sent(self._clock())
        self._asked_stops.append(self._rover.ask(STOP, lambda: self._stop_answered(number)))
        if len(self._asked_stops) > MOST_STOPS:
            self._rover.forget(STOP, self._asked_stops.popleft())

    def prove(self, proven: bool) -> None:
        """Takes whether the rover has a motion under way, or is seen to stand."""
        self._judged_at = self._clock()
        since = min(self._unproven_since, self._judged_at)
        self._unproven_since = math.inf if proven else since

    def send_due_stop(self) -> None:
        """Sends a stop if it is time for one, and a velocity of zero while one has no effect.

        That is: no answer, or it was answered and the rover is not seen to stand. In manual mode
        only owed stops are sent, since the rover's own services may be used by hand. Wheels keep
        their last command when the process that serves `move_stop` has died or hangs: a velocity
        of zero reaches them without it. It proves nothing, and the stop stays owed
        (docs/decisions/0076).
        """
        if self._stop_wanted():
            self.send_stop()
        not_sent = self._stop_wanted()  # the service has no server
        if not_sent or self._stops.unanswered(self._clock()) or self._has_no_effect():
            self._rover.publish_zero_velocity()

    def stop_unanswered(self) -> Reason[Cause]:
        """Why it is not known that the rover stands, `wait_s` after a stop was owed."""
        if self._stops.answered_too_early:
            return Reason(
                Cause.SERVICE_SILENT,
                'The rover answered a stop, but a motion that was asked for before it may still '
                'begin: the answer to that is missing, and the stop is sent again',
            )
        if self._rover.offers(STOP):
            return self._rover.silence(STOP).continued('it is asked again until it answers')
        return self._rover.absence(STOP).continued('the stop is sent as soon as it is there')

    def _stop_wanted(self) -> bool:
        now = self._clock()
        wanted = self._stops.owed or not self._guards.manual
        again = self._has_no_effect() and self._stops.rested(now) > UNPROVEN_STOP_S
        return wanted and (self._stops.due(now) or again)

    def _has_no_effect(self) -> bool:
        """Whether the rover should have come to rest by now, and is not seen to stand."""
        overdue = self._clock() - self._unproven_since > self._coasting_s
        return overdue and not self._guards.manual

    def _start_answered(self, answer: ServiceFuture, on_late: Callable[[], None]) -> None:
        if answer is self._open_start:
            self._open_start = None
            self._stops.start_settled()
            self._guards.confirmed()
        else:
            self._stops.late_start_answered()
            on_late()
        self._on_change()

    def _stop_answered(self, number: int) -> None:
        ending = self._stops.owed or self._guards.motion is not None
        if self._stops.answered(number) and ending:
            self._guards.ended()
        self._on_change()
