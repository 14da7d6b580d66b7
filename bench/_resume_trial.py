"""One goal, one kill, two executives; and what must not be afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
import time

from bt_executive_interfaces.msg import GoalEnd

from bench._driven_system import JOURNAL, DrivenSystem, StandIn
from bt_executive.core.store_port import GOAL
from bt_executive.launching.supervisor import FIRST_DELAY_S
from bt_executive.report.read_and_join_run_folders import read_recording
from bt_executive.ros.goal_validation_ends_and_keepalives import LATEST_ENDS
from bt_executive.store.sqlite_opening_and_faults import find_damage, open_for_reading
from bt_executive.store.store_rows import read_entries, read_parts
from bt_executive.view.goals_of_a_run import read_goals

ENDED_WITHIN_S = 240.0
DYING = 'bench._dying_executive'
STEPS = ('DECIDE', 'ACT', 'RESULT', 'ERROR')  # in the trace, of a goal


class ResumeTrial:
    """One robot and one journal.

    Args:
        folder: Of the run.
        nodes: Those that are started.
        settings: Overrides of the configuration.
        point: Where the executive kills itself (`_dying_executive.py`); empty: nowhere.
        server: On whose calls it does; empty: on any.
        config: The folder of the configuration; None: the shipped one.

    Attributes:
        ends: Messages of ~/goal_ends.
    """

    def __init__(
        self,
        folder: Path,
        nodes: Sequence[str],
        settings: Sequence[str],
        point: str = '',
        server: str = '',
        config: Path | None = None,
    ) -> None:
        self.folder = folder
        self.journal = folder / JOURNAL
        self.goal = ''
        self.ends: list[GoalEnd] = []
        dies = {'BENCH_DIES_AT': point or ':0', 'BENCH_DIES_ON': server}
        stand_ins = {'executive': StandIn(DYING, dies)} if point else {}
        self.system = DrivenSystem(folder, nodes, settings, stand_ins, config)
        self.system.listen(GoalEnd, 'executive/goal_ends', self._ended, LATEST_ENDS)

    @property
    def is_alive(self) -> bool:
        """Whether the executive is."""
        return self.system.is_alive('executive')

    def start_again(self) -> float:
        """Starts the executive as the supervisor does; returns the time of day of it."""
        self.system.wait(FIRST_DELAY_S)
        at = time.time()
        self.system.start('executive', usual=True)
        return at

    def until_ended(self) -> None:
        """Waits for the goal's end."""
        self.system.until(lambda: self.ends, 'the end of the goal', ENDED_WITHIN_S)

    def received_after(self, start: float, taken_up: bool) -> float | None:
        """Seconds until the goal was taken up, or until its next step; by the latest process."""
        for event in read_recording(self.folder).processes[-1]:
            if event.ts < start:
                return None  # the latest process has not written yet
            is_it = 'lives' in (event.data or {})
            if is_it if taken_up else event.kind in STEPS:
                return event.ts - start
        return None

    def faults(self, kills: int, in_time: int | None = None) -> Iterator[str]:
        """Faults by the journal and the run folder, after so many kills.

        in_time: How many of them came before the goal's end; None: all. A process that begins
        after the end is not waited for.
        """
        with closing(open_for_reading(self.journal)) as connection:
            yield from (f'integrity: {each}' for each in find_damage(connection))
            damaged: list[str] = []
            entries = list(read_entries(connection, on_damage=damaged.append))
            read_parts(connection, damaged.append)
            yield from (f'damaged row: {each}' for each in damaged)
            calls = [each.value for each in entries if each.kind == 'CALL']
            sent = Counter(call['session_id'] for call in calls if call['happened'] == 'send')
            ended = Counter(each.goal_id for each in entries if each.goal_end is not None)
            processes = sum(each.kind == 'RUN' for each in entries)
        yield from (f'{call} was sent {n} times' for call, n in sent.items() if n > 1)
        if ended[self.goal] != 1:
            yield f'the goal ended {ended[self.goal]} times'
        if len({repr(end) for end in self.ends if end.task_id == self.goal}) != 1:
            yield f'told as its end: {self.ends}'
        yield from self._report_faults(processes, kills, kills if in_time is None else in_time)

    def unjustified(
        self, asked: Mapping[str, int], repeatable: Collection[str] = (), kills: int = 0
    ) -> Iterator[str]:
        """Requests without a call in the journal that a guard has allowed.

        What may be asked for twice does not wait for the disk (docs/decisions/0034): each kill may
        have come between such a request and its row.

        Args:
            asked: Label of the server → number of requests.
            repeatable: Labels of the servers whose calls are idempotent.
            kills: How many there were.
        """
        with closing(open_for_reading(self.journal)) as connection:
            calls = [each.value for each in read_entries(connection, "kind = 'CALL'")]
        begun = [call for call in calls if call['happened'] == 'open']
        spare = kills
        for label, count in asked.items():
            opened = [call for call in begun if call['label'] == label]
            missing = max(0, count - len(opened))
            if label in repeatable:
                spare -= missing
            if missing and (label not in repeatable or spare < 0):
                yield f'{label}: {count} requests, {len(opened)} calls in the journal'
            yield from (
                f'{label}: no verdict allowed {call["server_call_id"]}'
                for call in opened
                if not call['allowed']
            )

    def nothing_is_open(self) -> bool:
        """Whether no goal, call or lease is open in the journal."""
        with closing(open_for_reading(self.journal)) as connection:
            parts = read_parts(connection)
        goals = [name for name in parts if name.startswith(GOAL)]
        still = [parts[name].value for name in ('calls', 'leases') if name in parts]
        return not goals and not any(still)

    def _report_faults(self, processes: int, kills: int, in_time: int) -> Iterator[str]:
        recording = read_recording(self.folder)
        goals = read_goals(recording.processes)
        # The trace is written behind the tick: a process that was killed at once may have no line,
        # and one that was killed while it began is in neither.
        at_least = 2 if in_time else 1
        if not at_least <= processes <= 1 + kills or len(recording.processes) > processes:
            yield f'{processes} processes in the journal, {len(recording.processes)} in the trace'
        if len(goals) != 1 or goals[0].outcome != self.ends[0].outcome:
            yield f'the report has {[(goal.text, goal.outcome) for goal in goals]}'

    def _ended(self, message: GoalEnd) -> None:
        self.ends.append(message)
