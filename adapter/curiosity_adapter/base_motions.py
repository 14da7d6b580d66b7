"""The base: starts motions under guards, and ends them by a stop that the rover has answered.

A motion counts as under way from before its request is sent until the rover has answered a stop
that surely came after it. One that was not requested from the adapter counts as well, once it is
seen. Everything here runs in one thread.
"""

from __future__ import annotations

from collections.abc import Callable

from curiosity_adapter.adapter_error_codes import GAPS, Cause
from curiosity_adapter.motion_guards import MotionGuards
from curiosity_adapter.start_and_stop_requests import MotionRequests
from gates.permit_rules import PERMIT_WAIT_S
from rover_common.adapter_status import Ending
from rover_common.condition_waiter import ConditionWaiter
from rover_common.permit import EndingCode, PermitId
from rover_common.reason import Reason, sentence_of

MOTIONS = ('move_forward', 'turn_left', 'turn_right')  # keys of topics.yaml, section adapter
PROOF_S = 1.5  # steady; within it a stop that was answered is seen to have an effect

STOP_CALLED = Reason(Cause.STOP_CALLED, 'move_stop was called')
START_CAME_LATE = Reason(Cause.START_CAME_LATE, 'an earlier start came late')


class Base:
    """Starts and stops motions of the rover.

    Args:
        requests: Sends starts and stops to the rover.
        guards: The guards of every motion.
        waiter: Awaits conditions.
        on_halt: Called with a sentence when a motion must end although nobody requested it.
    """

    def __init__(
        self,
        requests: MotionRequests,
        guards: MotionGuards,
        waiter: ConditionWaiter,
        on_halt: Callable[[str], None],
    ) -> None:
        self._requests = requests
        self._guards = guards
        self._waiter = waiter
        self._on_halt = on_halt
        self._unwanted: Callable[[], Reason[Cause] | None] = lambda: None
        self._stop_calls = 0
        self._seen_to_stand = False  # by the latest `watch`
        self._closed: Reason[Cause] | None = None
        # Why the last motion or navigation goal ended, unless its sender ended it.
        self.ended_by: Reason[Cause] | None = None
        self.last_ending: Ending | None = None  # of the last motion that had a permit

    @property
    def at_rest(self) -> bool:
        """Whether no motion is under way and no stop is owed to the rover."""
        return self._guards.motion is None and not self.stop_owed

    @property
    def stop_owed(self) -> bool:
        """Whether the rover must be stopped, and no answer proves yet that it was."""
        return self._requests.stop_owed

    @property
    def wait_s(self) -> float:
        """How long to wait for the rover's services and their answers."""
        return self._requests.wait_s

    @property
    def stands(self) -> bool | None:
        """Whether nothing is under way, and the rover does not move; None: not known."""
        stands = self._guards.base_stands
        return self.at_rest if stands else stands

    @property
    def doubt(self) -> str:
        """Why it is not known whether the rover stands; empty if it is known."""
        return sentence_of(self._guards.doubt)

    async def start(
        self,
        name: str,
        navigation_goal: str | None = None,
        unwanted: Callable[[], Reason[Cause] | None] = lambda: None,
        not_yet: Callable[[], Reason[Cause] | None] = lambda: None,
    ) -> Reason[Cause] | None:
        """Starts a motion; returns when the rover has confirmed it, or why it has not.

        A start that comes before its permit waits for it briefly, as it does for a rover that
        still rolls, whoever drove it. A motion that the rover does not confirm in time is treated
        as one that may be under way. One that still waits for the rover when `stop` is called is
        not started any more.

        Args:
            name: The motion.
            navigation_goal: The navigation goal that it is part of.
            unwanted: Returns why it is not wanted any more. Until the rover has confirmed the
                motion, it is stopped as soon as there is a reason.
            not_yet: Returns why it may not begin at this moment; this is waited out.
        """
        given_up = self._stopped_or(unwanted)

        def reason_against() -> Reason[Cause] | None:
            reason = given_up()
            return _not_completed(name, reason) if reason else self.refusal(name, navigation_goal)

        def not_now() -> Reason[Cause] | None:
            return not_yet() or self._guards.still_rolling(navigation_goal)

        def may_begin() -> bool:
            return self._requests.ready_for(name) and not not_now()

        def settled() -> bool:
            return reason_against() is not None or may_begin()

        if navigation_goal is None:
            await self._permitted(name, lambda: given_up() or self.hindrance(name))
        reason = reason_against()
        # Other coroutines run during a wait and may send a stop: check again.
        while not (reason or may_begin()):
            if not await self._waiter.until(settled, self._requests.wait_s):
                return not_now() or self._requests.unready(name)
            reason = reason_against() or not_now()
        reason = reason or self._guards.begin(name, navigation_goal)
        if reason:
            return reason
        self.ended_by, self._unwanted = None, unwanted
        return await self._confirm(name)

    async def begin_navigation(
        self, name: str, named: PermitId, unwanted: Callable[[], Reason[Cause] | None]
    ) -> Reason[Cause] | None:
        """Reserves the base for the motions of a navigation goal, or returns why not.

        Args:
            name: The navigation goal.
            named: The permit under which it was requested; it is waited for briefly.
            unwanted: Returns why it is not wanted any more. A `stop` meanwhile is a reason, too.
        """
        given_up = self._stopped_or(unwanted)

        def reason_against() -> Reason[Cause] | None:
            refusals = [self.hindrance(motion) for motion in MOTIONS]
            return given_up() or (refusals[0] if all(refusals) else None)

        def not_permitted() -> Reason[Cause] | None:
            return self._guards.navigation_not_permitted(name, named)

        await self._waiter.until(
            lambda: reason_against() is not None or not_permitted() is None, PERMIT_WAIT_S
        )
        reason = reason_against() or self._guards.begin_navigation(name, named)
        if not reason:
            self.ended_by = None
        return reason

    def end_navigation(self) -> None:
        """Releases the base."""
        self._guards.end_navigation()

    async def stop(self) -> Reason[Cause] | None:
        """Sends a stop at once; returns when the rover stands still, or why that is not known.

        An answer of the rover's service is no proof: the standstill is measured, where possible.
        """
        self._stop_calls += 1
        self._end(EndingCode.STOP_CALLED, STOP_CALLED)
        self.call_off()
        if await self._waiter.until(
            lambda: self.at_rest, self._requests.wait_s
        ) and await self._waiter.until(lambda: self.stands is True, PROOF_S):
            return None  # it stood after this stop, also if another one was requested since
        return None if self.stands else self.not_at_rest()

    def call_off(self) -> None:
        """Sends a stop at once for the navigation goal under way, which may go on.

        If the rover is seen to stand and no start can come, the stop is a precaution, and no
        answer to it is required.
        """
        rests = self.stands is True and self._seen_to_stand
        if not (rests and self._requests.stop_is_precaution()):
            self._requests.owe_stop()
        self._requests.send_stop()

    def not_at_rest(self) -> Reason[Cause]:
        """Why it is not known that the rover stands, `wait_s` after a stop was sent."""
        if self.stop_owed:
            return self._requests.stop_unanswered()
        doubt, active = self._guards.doubt, self._guards.active
        if doubt and not active:
            return doubt.continued('the stop is sent again and again')
        what = f'{active} is under way' if active else 'the rover still moves'
        return Reason(Cause.MOVE_IN_PROGRESS, f'{what}, although every stop was answered')

    def silence_before(self) -> Reason[Cause] | None:
        """Why nothing may begin now for lack of heartbeats; None if they arrive."""
        return self._guards.silence_before()

    def halt(self, reason: Reason[Cause]) -> None:
        """Ends the motion and the navigation goal under way although nobody requested it."""
        self._end(EndingCode.GAP if reason.code in GAPS else EndingCode.HALTED, reason)
        self.ended_by = reason
        self._requests.owe_stop()
        self._on_halt(reason.sentence)

    def refusal(self, name: str, navigation_goal: str | None = None) -> Reason[Cause] | None:
        """Why the motion, of a navigation goal or by itself, may not begin now; None if it may."""
        return self.hindrance(name, navigation_goal) or self._guards.not_permitted(
            name, navigation_goal
        )

    def hindrance(self, name: str, navigation_goal: str | None = None) -> Reason[Cause] | None:
        """As `refusal`, but regardless of permission."""
        if self._closed:
            return self._closed.prefixed('No motion may begin')
        if navigation_goal and self.ended_by:
            return self.ended_by.prefixed(f'{navigation_goal} was ended')
        return self._guards.hindrance(name, navigation_goal)

    def watch(self, moves: bool | None, stands: bool) -> None:
        """Ends the motion if it must end, and sends the stop that is owed.

        To be called whenever time has passed or something has changed.

        Args:
            moves: Whether the rover is seen to move; None if that is not known.
            stands: Whether it is seen to stand at this moment.
        """
        self._seen_to_stand = stands and moves is False
        if moves is not None and not self._requests.stop_owed:
            self._guards.see(moves)
        self._watch_permission()
        reason = self._stop_reason() if self._guards.motion else None
        if reason and not self._requests.stop_owed:
            self.halt(reason)
        if self._requests.start_open and self._unwanted():
            self._requests.owe_stop()
        self._requests.prove(self._guards.motion is not None or stands)
        self._requests.send_due_stop()

    def close(self, why: str) -> None:
        """Ends the motion under way and refuses every later one."""
        self._closed = Reason(Cause.ADAPTER_ENDS, why)
        if self._guards.active:
            self.halt(self._closed.prefixed(f'{self._guards.active} was stopped'))

    def _stopped_or(
        self, unwanted: Callable[[], Reason[Cause] | None]
    ) -> Callable[[], Reason[Cause] | None]:
        """Return what says why a request is given up: `stop` was called, or it is not wanted."""
        calls = self._stop_calls
        return lambda: STOP_CALLED if self._stop_calls != calls else unwanted()

    async def _permitted(self, motion: str, hopeless: Callable[[], Reason[Cause] | None]) -> None:
        """Waits until there is a permission, or waiting for one is useless."""
        await self._waiter.until(
            lambda: hopeless() is not None or self._guards.not_permitted(motion) is None,
            PERMIT_WAIT_S,
        )

    def _watch_permission(self) -> None:
        """Ends a motion, or a navigation goal between two motions, that has no permit any more."""
        active = self._guards.active
        if active is None or self.ended_by:
            return
        withdrawn = self._guards.withdrawal(active)
        if withdrawn:
            self._end(EndingCode.WITHDRAWN, withdrawn)
            self._requests.owe_stop()
            return
        silence = self._guards.silence(active)
        if silence:
            self.halt(silence)

    def _stop_reason(self) -> Reason[Cause] | None:
        """Why the motion under way must end although nobody requested it."""
        if self._closed:
            return self._closed.prefixed(f'{self._guards.motion} was stopped')
        return self._guards.stop_reason()

    def _end(self, code: EndingCode, reason: Reason[Cause]) -> None:
        """Notes why the motion or navigation goal under way ends, unless it is ending already."""
        self.ended_by = self.ended_by or reason
        holder = self._guards.holder
        if holder and (self.last_ending is None or self.last_ending.permit != holder):
            self.last_ending = Ending(holder, code.value, reason.sentence)

    async def _confirm(self, name: str) -> Reason[Cause] | None:
        unconfirmed = await self._requests.start(name, self._end_late_start)
        if unconfirmed:
            self.halt(unconfirmed.continued('the rover was asked to stop'))
        return self.ended_by and _not_completed(name, self.ended_by)

    def _end_late_start(self) -> None:
        """Ends the motion under way after a start that was given up was answered."""
        motion = self._guards.motion
        if motion:
            self.halt(START_CAME_LATE.prefixed(f'{motion} was stopped'))


def _not_completed(name: str, reason: Reason[Cause]) -> Reason[Cause]:
    """Return the reason with the motion that was requested and then given up."""
    return reason.prefixed(f'{name} was not completed')
