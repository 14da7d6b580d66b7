"""Commands of the mast, followed until the joint states show that they are complete."""

from __future__ import annotations

from collections.abc import Callable, Iterable
import math

from curiosity_adapter.adapter_error_codes import Cause
from curiosity_adapter.base_or_mast_exclusivity import Exclusivity
from curiosity_adapter.mast_state import MastCommand, MastJoints, MastMove
from curiosity_adapter.rover_services import RoverClient, ServiceFuture
from rover_common.clocks import Now
from rover_common.condition_waiter import ConditionWaiter
from rover_common.config.settings import MastSettings
from rover_common.message_order import UNSTAMPED, LatestStamp
from rover_common.reason import Reason


class MastControl:
    """Gives the mast one command at a time. Everything here runs in one thread.

    A command that the rover does not answer is over, and may still begin when a process that
    stood still goes on: it is remembered until its answer comes, that of a later one to the same
    service (which keeps their order), or nobody offers the service any more
    (docs/decisions/0078).

    Args:
        rover: The rover's services.
        exclusivity: Base or mast, never both.
        waiter: Awaits conditions.
        settings: Joints, goals and time limits.
        clocks: Reads the clocks.
        on_change: Called after an answer of the rover changed something.
    """

    def __init__(
        self,
        rover: RoverClient,
        exclusivity: Exclusivity,
        waiter: ConditionWaiter,
        settings: MastSettings,
        clocks: Callable[[], Now],
        on_change: Callable[[], None],
    ) -> None:
        self._rover = rover
        self._exclusivity = exclusivity
        self._waiter = waiter
        self._settings = settings
        self._clocks = clocks
        self._on_change = on_change
        self._joints, self._stamps = MastJoints(settings), LatestStamp()
        self._move: MastMove | None = None
        self._unanswered: dict[MastCommand, ServiceFuture] = {}

    @property
    def joints(self) -> dict[str, float | None]:
        """Latest position of each joint in rad, by its name; None if none was received."""
        return {
            self._settings.tilt_joint: self._joints.tilt,
            self._settings.pan_joint: self._joints.pan,
            self._settings.cameras_joint: self._joints.cameras,
        }

    @property
    def silence(self) -> Reason[Cause] | None:
        """What is wrong if the joints are not known now; None if they are."""
        return self._joints.silence(self._clocks())

    @property
    def joints_age_s(self) -> float:
        """Age of the latest joint states; infinite if none ever came."""
        return self._clocks().steady - self._joints.received_at

    @property
    def moves(self) -> bool:
        """Whether a command is under way, or the joint states show that the mast moves."""
        joints, now = self._joints, self._clocks()
        restless = not joints.silence(now) and joints.still_s() < self._settings.settle_s
        return self._exclusivity.mast_command is not None or restless

    def update_joints(
        self, names: Iterable[str], positions: Iterable[float], stamp: float = UNSTAMPED
    ) -> None:
        """Takes one joint state message; one with an old stamp is ignored."""
        if not self._stamps.advance(stamp):
            return
        if self._joints.update(names, positions, self._clocks()) and self._move:
            self._move.update(self._joints)

    def watch(self) -> None:
        """Updates the state of the mast in the exclusivity."""
        self._exclusivity.mast = self._joints.state(self._clocks())
        for command in [*self._unanswered]:
            if not self._rover.offers(command):
                self._settle(command)

    async def run(self, command: MastCommand) -> Reason[Cause] | None:
        """Carries out a command; returns when it is complete, or with the reason why it is not."""
        reason = self._exclusivity.begin_mast(command)
        if reason:
            return reason
        try:
            return await self._carry_out(command)
        finally:
            self._move = None
            self._exclusivity.mast_ended()

    async def _carry_out(self, command: MastCommand) -> Reason[Cause] | None:
        # A rover without joint states may not have started yet, and would miss the command.
        await self._waiter.until(lambda: self._ready_for(command), self._rover.wait_s)
        if not self._rover.offers(command):
            return self._rover.absence(command)
        silence = self._joints.silence(self._clocks())
        if silence:
            return silence.prefixed(f'{command} was not sent')
        hindrance = self._exclusivity.mast_hindrance()
        if hindrance:
            return hindrance
        move = self._move = MastMove(command, self._settings, self._clocks())
        self._settle(command)  # by this one, which the exclusivity knows to be under way
        answer = self._rover.ask(command, lambda: self._answered(move))
        if not await self._rover.answered(answer):
            self._remember(command, answer)
            return self._rover.silence(command)
        await self._waiter.until(lambda: move.over(self._joints, self._clocks()), math.inf)
        return move.failure

    def _ready_for(self, command: MastCommand) -> bool:
        return (
            self._rover.offers(command)
            and not self._joints.silence(self._clocks())
            and self._exclusivity.mast_hindrance() is None
        )

    def _answered(self, move: MastMove) -> None:
        move.answered(self._clocks())
        self._settle(move.command)
        self._on_change()

    def _remember(self, command: MastCommand, answer: ServiceFuture) -> None:
        if command == 'mast_close':  # of a closed mast, for no other lets the base move: harmless
            self._rover.forget(command, answer)
            return
        self._unanswered[command] = answer
        self._exclusivity.mast_unanswered = command

    def _settle(self, command: MastCommand) -> None:
        """Nothing is open any more of an earlier command without an answer."""
        answer = self._unanswered.pop(command, None)
        if answer is not None:
            self._rover.forget(command, answer)
        self._exclusivity.mast_unanswered = next(iter(self._unanswered), None)
