"""Requests to the rover's services: one start at a time, and stops as long as one is owed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
import math

from curiosity_adapter.adapter_error_codes import Cause
from curiosity_adapter.motion_guards import MotionGuards
from curiosity_adapter.owed_stop import OwedStop
from curiosity_adapter.rover_services import RoverClient, ServiceFuture
from rover_common.config.settings import MotionSettings
from rover_common.reason import Reason

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
