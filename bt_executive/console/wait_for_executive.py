"""Watches the executive: its process, whether it answers, and how long to wait for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import time
from typing import Protocol

from bt_executive.client.front_end_events import ExecutiveLost, OpenGoals
from bt_executive.client.front_end_ports import ConsolePort
from bt_executive.console.console_line_order_goals_and_exit import Repl
from bt_executive.console.console_output import Display
from bt_executive.console.program_name import own_command
from bt_executive.launching.supervisor import SupervisorNotice
from rover_common.process.process_end import NOT_REACHED, UNUSABLE
from rover_common.ros.node_topic_and_enclave_names import EXECUTIVE, FRESH

QUIET_S = 2.5  # between two messages while the first answer is awaited
# From a start until the executive answers; measured 4 s, 20 s under load. Delayed restarts within
# this time after it was lost are waited for, later ones are not.
READY_TIMEOUT_S = 60.0


class Processes(Protocol):
    """The port to `launching.supervisor.Supervisor`."""

    def watch(self) -> list[SupervisorNotice]:
        """Restarts processes that are due; returns deaths and restarts since the last call."""


class ExecutiveWatch:
    """Watches the processes, and reports to conversation and operator if the executive answers.

    Args:
        patient: Whether to wait for an absent executive for ever, as at a terminal.
        clock: Steady time in s.
        attached: Whether the system was started by another process.
    """

    def __init__(
        self,
        supervisor: Processes,
        client: ConsolePort,
        repl: Repl,
        display: Display,
        patient: bool,
        clock: Callable[[], float] = time.monotonic,
        attached: bool = False,
    ) -> None:
        self._supervisor = supervisor
        self._client = client
        self._repl = repl
        self._display = display
        self._patient = patient
        self._clock = clock
        self._attached = attached
        self._ready_count = 0
        self._reason = 'The executive does not answer.'
        self._reported_at = clock()
        self._absent_since: float | None = self._reported_at
        self._starts_at = self._reported_at
        self._final_exit_code: int | None = None  # exit code, if the executive will not come back

    def poll(self) -> Iterator[ExecutiveLost]:
        """Checks the processes; yields an event if the executive's has ended."""
        self._report_waiting()
        for notice in self._supervisor.watch():
            if not notice.died:
                self._display.info(notice.text)
                continue
            self._display.error(notice.text)
            if notice.name == EXECUTIVE:
                self._client.handle_executive_death()
                if self._absent_s() < READY_TIMEOUT_S:
                    self._starts_at = self._clock() + notice.restart_in_s
                if notice.is_final:
                    self._final_exit_code = UNUSABLE if notice.unusable else NOT_REACHED
                yield ExecutiveLost('The executive ended.')

    def handle_ready(self) -> None:
        """Reports that the executive answers."""
        self._absent_since = None
        self._ready_count += 1
        self._display.info('The executive is ready')
        self._repl.handle_executive_ready()

    def handle_lost(self, reason: str) -> None:
        """Reports that the executive no longer answers."""
        if self._absent_since is None:
            self._absent_since = self._clock()
            self._display.error('The executive does not answer; waiting until it is back')
        self._reason = reason
        self._repl.handle_executive_lost()

    def report_open_goals(self, goals: OpenGoals) -> None:
        """Reports the goals of an executive that has just become ready, and notes its question."""
        if goals.question:
            self._repl.handle_question(goals.question)
        if goals.safe_cause:
            self._display.error(f'SAFE: {goals.safe_cause}; :reset when the cause is gone')
        if goals.others:
            self._repl.note_resumed_goals()
        if self._attached or self._ready_count > 1:
            others = () if self._attached else goals.others
            for goal in (*goals.own, *others):
                self._display.info(f'Goal resumed: {goal}')
        else:  # of the previous run, or of a client that was faster than this console
            for goal in goals.others:
                self._display.info(f'Open goal: {goal}; :stop ends it, {FRESH} starts without')

    def exit_code(self) -> int | None:
        """Return the exit code if the executive is given up; None: the console goes on."""
        code = self._final_exit_code
        if code is None and self._waited_too_long():
            code = NOT_REACHED
        if code is not None:
            self._repl.give_up(self._reason)
        return code

    def _report_waiting(self) -> None:
        if self._ready_count or self._patient or self._absent_since is None:
            return
        now = self._clock()
        if now - self._reported_at >= QUIET_S:
            self._reported_at = now
            self._display.info(f'Waiting for the executive, {now - self._absent_since:.0f} s')

    def _absent_s(self) -> float:
        """Return how long the executive has not answered, in s."""
        return 0.0 if self._absent_since is None else self._clock() - self._absent_since

    def _waited_too_long(self) -> bool:
        if self._absent_since is None:
            return False
        now = self._clock()
        if now - max(self._absent_since, self._starts_at) < READY_TIMEOUT_S:
            return False
        self._display.error(
            f'The executive did not answer for {self._absent_s():.0f} s. Its log says why; '
            f'`{own_command()} doctor` says what is missing.'
        )
        self._absent_since = now
        return not self._patient
