"""The inbox: the only queue from the threads of ROS and of the planner into the tick thread.

Callbacks put inputs here and return; the tick drains it. Of telemetry only the latest value is
kept. When too many commands wait, the oldest ones are dropped and counted whose sender is notified
or sends more: never one that was acknowledged. A closed inbox refuses, with the reason, every
input that would need a decision.
"""

from __future__ import annotations

from collections import deque
import threading

from bt_executive.core.call_states import CallInput
from bt_executive.core.inputs import (
    Answered,
    ApprovalGiven,
    Command,
    Input,
    PoseReceived,
    Repeatable,
    ResetRequested,
    ServerCallUpdate,
    Telemetry,
    TopicReceived,
    no_reply,
)

# A closed inbox still takes these: they need no decision, and show that the robot has stopped.
TAKEN_WHEN_CLOSED = Telemetry | ServerCallUpdate


class Inbox:
    """Thread-safe queue. `capacity` bounds the waiting commands; telemetry is kept apart."""

    def __init__(self, capacity: int = 1000) -> None:
        self._capacity = capacity
        self._commands: deque[Command] = deque()
        self._telemetry: dict[type | str, Telemetry] = {}
        self._changed = threading.Condition()
        self._woken = False
        self._dropped = 0
        self._closed = ''

    @property
    def closed(self) -> str:
        """The reason for which it was closed; empty: it is open."""
        return self._closed

    def close(self, reason: str) -> None:
        """Refuses from now on every input that needs a decision. Queued ones are still drained."""
        with self._changed:
            self._closed = self._closed or reason

    def put(self, given: Input) -> str:
        """Queues an input and wakes the tick; a pose alone waits for the next one.

        Returns why it is refused, in which case its `reply` is not called; empty: it is queued.
        """
        with self._changed:
            if self._closed and not isinstance(given, TAKEN_WHEN_CLOSED):
                return self._closed
            if isinstance(given, Telemetry):
                kind = given.topic if isinstance(given, TopicReceived) else type(given)
                self._telemetry[kind] = given
            else:
                self._append(given)
                if len(self._commands) > self._capacity:
                    self._drop_oldest()
            if not isinstance(given, PoseReceived):
                self._wake()
            return ''

    def wake(self) -> None:
        """Ends a wait without an input."""
        with self._changed:
            self._wake()

    def wait(self, timeout_s: float) -> None:
        """Blocks until it is woken, or until the timeout."""
        with self._changed:
            if not self._woken:
                self._changed.wait(timeout_s)
            self._woken = False

    @property
    def dropped(self) -> int:
        """Inputs dropped so far."""
        return self._dropped

    @property
    def depth(self) -> int:
        """Number of waiting commands."""
        return len(self._commands)

    def drain(self) -> list[Input]:
        """Removes and returns all inputs: telemetry first, then commands in order of arrival."""
        with self._changed:
            inputs: list[Input] = [*self._telemetry.values(), *self._commands]
            self._telemetry.clear()
            self._commands.clear()
            return inputs

    def _wake(self) -> None:
        self._woken = True
        self._changed.notify_all()

    def _append(self, given: Command) -> None:
        last = self._commands[-1] if self._commands else None
        if not isinstance(given, Repeatable) or given != last or given.reply is not no_reply:
            self._commands.append(given)

    def _drop_oldest(self) -> None:
        oldest = next(filter(self._may_be_dropped, self._commands), None)
        if oldest is not None:
            self._commands.remove(oldest)
            self._dropped += 1
            if isinstance(oldest, Answered):
                oldest.reply(False, 'The executive is flooded with events; ask again')

    def _may_be_dropped(self, given: Command) -> bool:
        """Return whether an input can be lost: its sender is notified, or an equal one follows."""
        if isinstance(given, ServerCallUpdate):
            return given.happened is CallInput.PROGRESS
        if isinstance(given, Repeatable):
            return given.reply is not no_reply and self._commands.count(given) > 1
        return isinstance(given, (ResetRequested, ApprovalGiven))
