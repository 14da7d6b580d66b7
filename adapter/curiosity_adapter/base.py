"""The base: motions are begun under guards, and ended by a stop that the rover has answered.

A motion counts as under way from before its request is sent until a stop that surely came after
it was answered. One that nobody asked the adapter for counts as well, once it is seen. Everything
here runs in one thread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from curiosity_adapter.causes import Cause
from curiosity_adapter.condition_waiter import Waits
from curiosity_adapter.endings import Ending, EndingCode
from curiosity_adapter.exclusivity import Exclusivity
from curiosity_adapter.limits import Limits
from curiosity_adapter.motion_monitor import PoseWatch
from curiosity_adapter.permission import Permission
from curiosity_adapter.rover import Answer, Rover
from curiosity_adapter.stops import Stops
from rover_common.config.settings import Motion
from rover_common.reason import Reason

STOP = 'move_stop'
# Whose answers are still taken: a rover that hangs for hours is asked again all the time.
MOST_STOPS = 100
STOP_CALLED = Reason(Cause.STOP_CALLED, 'move_stop was called')
UNASKED = 'unasked motion'
NOT_ASKED = Reason(
    Cause.NOT_ASKED_FOR,
    'The rover was stopped: it moves although nobody asked the adapter for it, '
    'and manual mode is off',
)


class Base:
    """Starts and stops motions of the rover.

    Args:
        rover: The rover's services.
        exclusivity: Base or mast, never both.
        permission: Whether an executive permits the motion, or somebody watches over it.
        limits: What no motion may exceed.
        poses: Where the rover is, and whether it moves.
        waits: Where to wait.
        settings: Bounds in s.
        clock: Steady time in s.
        on_change: Called after an answer of the rover changed something.
        on_halt: Called with a sentence when a motion must end although nobody asked for it.
    """

    def __init__(
        self,
        rover: Rover,
        exclusivity: Exclusivity,
        permission: Permission,
        limits: Limits,
        poses: PoseWatch,
        waits: Waits,
        settings: Motion,
        clock: Callable[[], float],
        on_change: Callable[[], None],
        on_halt: Callable[[str], None],
    ) -> None:
        self._rover = rover
        self._exclusivity = exclusivity
        self._permission = permission
        self._limits = limits
        self._poses = poses
        self._waits = waits
        self._clock = clock
        self._on_change = on_change
        self._on_halt = on_halt
        self._settings = settings
        self._stops = Stops(settings.stop_retry_s, settings.service_wait_s)
        self._open_start: Answer | None = None
        self._unwanted: Callable[[], Reason[Cause] | None] = lambda: None
        self._asked_stops: deque[Answer] = deque()
        self._stop_calls = 0
        self._closed: Reason[Cause] | None = None
        # Why the last motion or the journey ended, unless the journey did it.
        self.ended_by: Reason[Cause] | None = None
        self.last_ending: Ending | None = None  # of the last motion that had a permit

    @property
    def at_rest(self) -> bool:
        """Whether no motion is under way and no stop is owed to the rover."""
        return self._exclusivity.motion is None and not self._stops.owed

    @property
    def stands(self) -> bool:
        """Whether nothing is under way, and the rover does not roll as far as is seen."""
        return self.at_rest and not self._exclusivity.moving and not self._exclusivity.rolls

    async def start(
        self,
        name: str,
        journey: str | None = None,
        unwanted: Callable[[], Reason[Cause] | None] = lambda: None,
    ) -> Reason[Cause] | None:
        """Begins a motion; returns when the rover has confirmed it, or why it has not.

        A start may come before its permit: it waits for it a little. A motion that the rover does
        not confirm in time is treated as one that may be under way. One that still waits for the
        rover when `stop` is called does not begin any more.

        Args:
            name: The motion.
            journey: The journey that it is part of.
            unwanted: Why it is not wanted any more. Until the rover has confirmed the motion, it
                is stopped as soon as there is a reason.
        """
        calls = self._stop_calls

        def given_up() -> Reason[Cause] | None:
            return STOP_CALLED if self._stop_calls != calls else unwanted()

        def reason_against() -> Reason[Cause] | None:
            reason = given_up()
            return _not_completed(name, reason) if reason else self.refusal(name, journey)

        if journey is None:
            await self._permitted(name, lambda: given_up() or self.hindrance(name))
        if not await self._waits.until(
            lambda: reason_against() is not None or self._ready_for(name), self._rover.wait_s
        ):
            missing = STOP if self._rover.offers(name) else name
            lacks = self._rover.silence if self._rover.offers(missing) else self._rover.absence
            return lacks(missing)
        reason = reason_against() or self._exclusivity.begin_motion(name, journey)
        if reason:
            return reason
        self.ended_by, self._unwanted = None, unwanted
        if journey is None:
            self._permission.use()
        return await self._confirm(name)

    async def begin_journey(self, name: str) -> Reason[Cause] | None:
        """Keeps the base for the motions of a journey, or says why not."""
        await self._permitted(name, lambda: self._closed)
        reason = self._permission.refusal(name, self._clock())
        reason = reason or self._exclusivity.begin_journey(name)
        if not reason:
            self.ended_by = None
            self._permission.use()
        return reason

    def end_journey(self) -> None:
        """Gives the base back."""
        self._exclusivity.journey_ended()
        self._permission.end()
        self._on_change()

    async def stop(self) -> Reason[Cause] | None:
        """Sends a stop at once; returns when the rover stands still, or why that is not known."""
        self._stop_calls += 1
        self._end(EndingCode.STOP_CALLED, STOP_CALLED)
        return await self.pause()

    async def pause(self) -> Reason[Cause] | None:
        """As `stop`, on behalf of the journey under way, which goes on."""
        self._stops.owe()
        if self._rover.offers(STOP):
            self._send_stop()
        if await self._waits.until(lambda: self.at_rest, self._rover.wait_s):
            return None
        if self._rover.offers(STOP):
            return self._rover.silence(STOP).continued('it is asked again until it answers')
        return self._rover.absence(STOP).continued('the stop is sent as soon as it is there')

    def refusal(self, name: str, journey: str | None = None) -> Reason[Cause] | None:
        """Why the motion, of a journey or by itself, may not begin now; None if it may."""
        return self.hindrance(name, journey) or self._forbidden(name, journey)

    def hindrance(self, name: str, journey: str | None = None) -> Reason[Cause] | None:
        """As `refusal`, whether or not there is a permission for it."""
        if self._closed:
            return self._closed.prefixed('No motion may begin')
        if journey and self.ended_by:
            return self.ended_by.prefixed(f'{journey} was ended')
        return self._exclusivity.motion_refusal(journey) or self._limits.refusal(name)

    def watch(self) -> None:
        """Ends the motion if it must end, and sends the stop that is owed.

        Call it whenever time has passed or something has changed.
        """
        now = self._clock()
        self._see_unasked_motion()
        self._watch_permission(now)
        reason = self._demand() if self._exclusivity.motion else None
        if reason and not self._stops.owed:
            self._halt(reason)
        if self._open_start and self._unwanted():
            self._stops.owe()
        if self._stops.due(now) and self._may_stop():
            self._send_stop()

    def close(self, why: str) -> None:
        """Ends the motion under way and refuses every later one."""
        self._closed = Reason(Cause.ADAPTER_ENDS, why)

    def _see_unasked_motion(self) -> None:
        speed = self._poses.speed()
        if speed is None or self._stops.owed:
            return
        moves = speed >= self._settings.unasked_speed_m_s
        if moves and self._exclusivity.motion is None:
            self._exclusivity.see_motion(UNASKED)
            self._limits.motion_began()
        elif not moves and self._exclusivity.motion == UNASKED:
            self._ended()

    async def _permitted(self, motion: str, hopeless: Callable[[], Reason[Cause] | None]) -> None:
        """Waits until there is a permission, or there is no use in waiting for one."""
        await self._waits.until(
            lambda: (
                hopeless() is not None or self._permission.refusal(motion, self._clock()) is None
            ),
            self._permission.wait_s,
        )

    def _forbidden(self, name: str, journey: str | None) -> Reason[Cause] | None:
        """Why there is no permission for the motion; a journey has its own since it began."""
        now = self._clock()
        if journey is None:
            return self._permission.refusal(name, now)
        return self._permission.withdrawal(journey) or self._permission.silence(journey, now)

    def _watch_permission(self, now: float) -> None:
        """Ends what is under way, a journey between two motions too, when nothing permits it."""
        active = self._exclusivity.journey or self._exclusivity.motion
        if active is None or self.ended_by:
            return
        withdrawn = self._permission.withdrawal(active)
        if withdrawn:
            self._end(EndingCode.WITHDRAWN, withdrawn)
            self._stops.owe()
            return
        silence = self._permission.silence(active, now) if active != UNASKED else None
        if silence:
            self._halt(silence)

    def _demand(self) -> Reason[Cause] | None:
        """Why the motion under way must end although nobody asked for it."""
        motion = self._exclusivity.motion or ''
        if self._closed:
            return self._closed.prefixed(f'{motion} was stopped')
        if motion == UNASKED and not self._permission.manual:
            return NOT_ASKED
        return self._exclusivity.stop_reason() or self._limits.due(motion)

    def _ended(self) -> None:
        self._exclusivity.motion_ended()
        self._limits.motion_ended()
        if self._exclusivity.journey is None:
            self._permission.end()

    def _end(self, code: EndingCode, reason: Reason[Cause]) -> None:
        """Notes why the motion or journey under way ends, unless it is ending already."""
        self.ended_by = self.ended_by or reason
        holder = self._permission.holder
        if holder and (self.last_ending is None or self.last_ending.permit != holder):
            self.last_ending = Ending(holder, code, reason.sentence)

    def _halt(self, reason: Reason[Cause]) -> None:
        self._end(EndingCode.HALTED, reason)
        self.ended_by = reason
        self._stops.owe()
        self._on_halt(reason.sentence)

    def _may_stop(self) -> bool:
        """Whoever drives by hand may use the rover's own services: only owed stops are sent."""
        return self._rover.offers(STOP) and (self._stops.owed or not self._permission.manual)

    def _ready_for(self, name: str) -> bool:
        return (
            self._stops.quiet(self._clock())
            and self._rover.offers(name)
            and self._rover.offers(STOP)
        )

    async def _confirm(self, name: str) -> Reason[Cause] | None:
        self._limits.motion_began()
        self._stops.start_sent(self._clock())
        answer = self._rover.ask(name, lambda: self._start_answered(answer))
        self._open_start = answer
        if not await self._rover.answered(answer):
            self._open_start = None
            self._stops.start_settled()
            self._halt(self._rover.silence(name).continued('the rover was told to stop'))
        return self.ended_by and _not_completed(name, self.ended_by)

    def _start_answered(self, answer: Answer) -> None:
        if answer is self._open_start:
            self._open_start = None
            self._stops.start_settled()
            self._exclusivity.motion_confirmed()
        else:
            self._stops.start_came_late()
            if self._exclusivity.motion:
                late = Reason(Cause.START_CAME_LATE, 'an earlier start came late')
                self._halt(late.prefixed(f'{self._exclusivity.motion} was stopped'))
        self._on_change()

    def _send_stop(self) -> None:
        number = self._stops.sent(self._clock())
        self._asked_stops.append(self._rover.ask(STOP, lambda: self._stop_answered(number)))
        if len(self._asked_stops) > MOST_STOPS:
            self._rover.forget(STOP, self._asked_stops.popleft())

    def _stop_answered(self, number: int) -> None:
        ending = self._stops.owed or self._exclusivity.motion is not None
        if self._stops.answered(number) and ending:
            self._ended()
        self._on_change()


def _not_completed(name: str, reason: Reason[Cause]) -> Reason[Cause]:
    """A motion was asked for and then not wanted any more."""
    return reason.prefixed(f'{name} was not completed')
