"""Whether the executive is there: its process, its answers, and how long to wait for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import time
from typing import Protocol

from bt_executive.client.front_end_events import ExecutiveLost, OpenGoals
from bt_executive.client.front_end_ports import ConsolePort
from bt_executive.console.console_output import Display
from bt_executive.console.program_name import own_command
from bt_executive.console.repl import Repl
from bt_executive.launching.supervisor import SupervisorNotice
from rover_common.exit_codes import NOT_REACHED, UNUSABLE
from rover_common.node_names import EXECUTIVE, FRESH

QUIET_S = 2.5  # who waits for the first answer is told that it goes on
# From a start to an executive that answers; measured 4 s, 20 s under load. Starts that are put off
# within this time after it was lost are waited for, later ones are not.
READY_LIMIT_S = 60.0


class Processes(Protocol):
    """What the watch asks of `launching.supervisor.Supervisor`."""

    def watch(self) -> list[SupervisorNotice]:
        """What happened to them since the last call; starts again what is due. Never waits."""


class ExecutiveWatch:
    """Follows the processes, and tells conversation and operator when the executive comes or goes.

    Args:
        patient: Wait for an absent executive without end, as an operator at a terminal can.
        clock: Steady time in s.
        attached: The system is somebody else's, and so are its goals.
    """

    def __init__(
        self,
        supervisor: Processes,
        link: ConsolePort,
        repl: Repl,
        display: Display,
        patient: bool,
        clock: Callable[[], float] = time.monotonic,
        attached: bool = False,
    ) -> None:
        self._supervisor = supervisor
        self._link = link
        self._repl = repl
        self._display = display
        self._patient = patient
        self._clock = clock
        self._attached = attached
        self._readies = 0
        self._reason = 'The executive does not answer.'
        self._told_at = clock()
        self._absent_since: float | None = self._told_at
        self._starts_at = self._told_at
        self._hopeless: int | None = None  # exit code, if the executive will not come back

    def poll(self) -> Iterator[ExecutiveLost]:
        """Looks at the processes; an event if the executive's has ended."""
        self._say_that_it_waits()
        for notice in self._supervisor.watch():
            if not notice.died:
                self._display.say(notice.text)
                continue
            self._display.complain(notice.text)
            if notice.name == EXECUTIVE:
                self._link.handle_executive_death()
                if self._absent_s() < READY_LIMIT_S:
                    self._starts_at = self._clock() + notice.restart_in_s
                if notice.is_final:
                    self._hopeless = UNUSABLE if notice.unusable else NOT_REACHED
                yield ExecutiveLost('The executive ended.')

    def ready(self) -> None:
        """The executive answers."""
        self._absent_since = None
        self._readies += 1
        self._display.say('The executive is ready')
        self._repl.executive_ready()

    def lost(self, reason: str) -> None:
        """The executive does not answer any more."""
        if self._absent_since is None:
            self._absent_since = self._clock()
            self._display.complain('The executive does not answer; waiting until it is back')
        self._reason = reason
        self._repl.executive_lost()

    def found(self, goals: OpenGoals) -> None:
        """The executive that has become ready has these goals from the one before it."""
        if goals.safe_cause:
            self._display.complain(f'SAFE: {goals.safe_cause}; :reset when the cause is gone')
        if goals.others:
            self._repl.goals_resumed()
        if self._attached or self._readies > 1:
            others = () if self._attached else goals.others
            for goal in (*goals.own, *others):
                self._display.say(f'Goal resumed: {goal}')
        else:  # of the last run, or of a client that was faster than this console
            for goal in goals.others:
                self._display.say(f'Open goal: {goal}; :stop ends it, {FRESH} starts without')

    def exit_code(self) -> int | None:
        """How the console ends because of the executive; None: it goes on."""
        code = self._hopeless
        if code is None and self._waited_too_long():
            code = NOT_REACHED
        if code is not None:
            self._repl.give_up(self._reason)
        return code

    def _say_that_it_waits(self) -> None:
        if self._readies or self._patient or self._absent_since is None:
            return
        now = self._clock()
        if now - self._told_at >= QUIET_S:
            self._told_at = now
            self._display.say(f'Waiting for the executive, {now - self._absent_since:.0f} s')

    def _absent_s(self) -> float:
        """How long it has not answered, in s."""
        return 0.0 if self._absent_since is None else self._clock() - self._absent_since

    def _waited_too_long(self) -> bool:
        if self._absent_since is None:
            return False
        now = self._clock()
        if now - max(self._absent_since, self._starts_at) < READY_LIMIT_S:
            return False
        self._display.complain(
            f'The executive did not answer for {self._absent_s():.0f} s. Its log says why; '
            f'`{own_command()} doctor` says what is missing.'
        )
        self._absent_since = now
        return not self._patient
