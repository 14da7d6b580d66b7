"""Commands of the mast, carried out until the joints say that they are complete."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bt_executive.settings import Mast
from curiosity_adapter.exclusivity import Exclusivity
from curiosity_adapter.mast import MastCommand, MastJoints, MastMove
from curiosity_adapter.rover import Rover
from curiosity_adapter.waits import Waits


class MastControl:
    """Gives the mast one command at a time. Everything here runs in one thread.

    Args:
        rover: The rover's services.
        exclusivity: Base or mast, never both.
        waits: Where to wait.
        settings: Joints, goals and time limits.
        clock: Steady time in s.
        on_change: Called after an answer of the rover changed something.
    """

    def __init__(
        self,
        rover: Rover,
        exclusivity: Exclusivity,
        waits: Waits,
        settings: Mast,
        clock: Callable[[], float],
        on_change: Callable[[], None],
    ) -> None:
        self._rover = rover
        self._exclusivity = exclusivity
        self._waits = waits
        self._settings = settings
        self._clock = clock
        self._on_change = on_change
        self._joints = MastJoints(settings)
        self._move: MastMove | None = None

    def take_joints(self, names: Iterable[str], positions: Iterable[float]) -> None:
        """Takes one joint state message."""
        if self._joints.take(names, positions, self._clock()) and self._move:
            self._move.look(self._joints)

    def watch(self) -> None:
        """Tells the exclusivity where the mast is now."""
        self._exclusivity.mast = self._joints.state(self._clock())

    async def run(self, command: MastCommand) -> str:
        """Carries out a command; returns when it is complete. Gives a reason if it is not."""
        reason = self._exclusivity.begin_mast(command)
        if reason:
            return reason
        try:
            return await self._carry_out(command)
        finally:
            self._move = None
            self._exclusivity.mast_ended()

    async def _carry_out(self, command: MastCommand) -> str:
        # A rover that tells no joint states may not be there yet, and would miss the command.
        await self._waits.until(
            lambda: self._rover.offers(command) and not self._joints.silence(self._clock()),
            self._rover.wait_s,
        )
        if not self._rover.offers(command):
            return self._rover.absence(command)
        silence = self._joints.silence(self._clock())
        if silence:
            return f'{command} was not sent: {silence}'
        move = self._move = MastMove(command, self._settings, self._clock())
        answer = self._rover.ask(command, lambda: self._answered(move))
        if not await self._rover.answered(answer):
            self._rover.forget(command, answer)
            return self._rover.silence(command)
        if await self._waits.until(
            lambda: move.complete(self._joints, self._clock()), move.left_s(self._clock())
        ):
            return ''
        return move.failure(self._joints, self._clock())

    def _answered(self, move: MastMove) -> None:
        move.answered(self._clock())
        self._on_change()
