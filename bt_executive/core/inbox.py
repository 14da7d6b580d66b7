"""The inbox: the only way from the threads of ROS and of the planner into the tick thread.

Callbacks put inputs here and return; the tick drains it. Telemetry keeps only its latest value.
When too many commands wait, the oldest of those are dropped and counted whose sender is told so or
sends more: never one that somebody was told is done.
Once it is closed, it refuses with the reason all that would have to be decided.
"""

from __future__ import annotations

from collections import deque
import threading

from bt_executive.core.call_states import CallInput
from bt_executive.core.inputs import (
    ANSWERED,
    REPEATABLE,
    TAKEN_WHEN_CLOSED,
    TELEMETRY,
    ApprovalGiven,
    Command,
    Input,
    PoseReceived,
    ResetRequested,
    ServerCallUpdate,
    Telemetry,
    TopicReceived,
    no_reply,
)


class Inbox:
    """Thread-safe. `capacity` bounds the commands that wait; telemetry is kept apart."""

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
        """Why nothing more is decided; empty: it is open."""
        return self._closed

    def close(self, reason: str) -> None:
        """Refuses from now on what would have to be decided. What was taken is still drained."""
        with self._changed:
            self._closed = self._closed or reason

    def put(self, event: Input) -> str:
        """Takes an event and wakes the tick; a pose alone waits for the next one.

        Returns why it is refused, and its `reply` is not called then; empty: it is taken.
        """
        with self._changed:
            if self._closed and not isinstance(event, TAKEN_WHEN_CLOSED):
                return self._closed
            if isinstance(event, TELEMETRY):
                kind = event.topic if isinstance(event, TopicReceived) else type(event)
                self._telemetry[kind] = event
            else:
                self._append(event)
                if len(self._commands) > self._capacity:
                    self._drop_oldest()
            if not isinstance(event, PoseReceived):
                self._wake()
            return ''

    def wake(self) -> None:
        """Ends a wait without an event: something else has news."""
        with self._changed:
            self._wake()

    def wait(self, timeout_s: float) -> None:
        """Returns when there is news, or after the timeout."""
        with self._changed:
            if not self._woken:
                self._changed.wait(timeout_s)
            self._woken = False

    @property
    def dropped(self) -> int:
        """Events dropped so far."""
        return self._dropped

    @property
    def depth(self) -> int:
        """Commands that wait."""
        return len(self._commands)

    def drain(self) -> list[Input]:
        """Everything since the last drain: telemetry first, then commands in order of arrival."""
        with self._changed:
            events: list[Input] = [*self._telemetry.values(), *self._commands]
            self._telemetry.clear()
            self._commands.clear()
            return events

    def _wake(self) -> None:
        self._woken = True
        self._changed.notify_all()

    def _append(self, event: Command) -> None:
        last = self._commands[-1] if self._commands else None
        if not isinstance(event, REPEATABLE) or event != last or event.reply is not no_reply:
            self._commands.append(event)

    def _drop_oldest(self) -> None:
        victim = next(filter(self._may_be_dropped, self._commands), None)
        if victim is not None:
            self._commands.remove(victim)
            self._dropped += 1
            if isinstance(victim, ANSWERED):
                victim.reply(False, 'The executive is flooded with events; ask again')

    def _may_be_dropped(self, event: Command) -> bool:
        """Whether nobody counts on an event: its sender is told, or the same follows it."""
        if isinstance(event, ServerCallUpdate):
            return event.happened is CallInput.PROGRESS
        if isinstance(event, REPEATABLE):
            return event.reply is not no_reply and self._commands.count(event) > 1
        return isinstance(event, (ResetRequested, ApprovalGiven))
