"""The executive, which kills itself with SIGKILL at one point: BENCH_DIES_AT says where.

    send:N            before the Nth request goes out, of those that must not be made twice: what
                      had to be on disk before it is there
    sent:N            after it has gone out, before anybody can have answered
    EDGE:N            after the Nth transition of the call table of that name, such as
                      `sent accept:1`, before it is handed to the journal
    EDGE:N:durable    the same, once it is on disk

Only the bench has these points: nothing of them is in the executive itself.
"""

from __future__ import annotations

from collections.abc import Callable
import os
from pathlib import Path
import signal
import sys
import time

from bt_executive.core.calls import CallState
from bt_executive.core.journal import Durability, Journal
from bt_executive.core.journal_records import CallChanged, LifeBegan, Record
from bt_executive.core.ports import Json
from bt_executive.journal.start import Started, start_journal
from bt_executive.ros import executive_node, life
from bt_executive.ros.robot import RosRobot
from rover_common.clocks import Now
from rover_common.config.settings import Endpoint, JournalSettings

VARIABLE = 'BENCH_DIES_AT'
ONCE = ('/adapter/move_forward', '/adapter/turn_left', '/adapter/turn_right')
OUT_S = 0.02  # until a request has left this process
WRITTEN_S = 10.0


class Fate:
    """Where this process dies."""

    def __init__(self, text: str) -> None:
        self.point, number, *rest = [*text.split(':'), '1']
        self._left = int(number)
        self.durable = rest[:1] == ['durable']

    def meets(self, point: str) -> bool:
        """Whether it is this time."""
        self._left -= point == self.point
        return point == self.point and self._left == 0


FATE = Fate(os.environ.get(VARIABLE, ':0'))


def die() -> None:
    """As by kill -9."""
    os.kill(os.getpid(), signal.SIGKILL)


class DyingRobot(RosRobot):
    """Dies before or after a request."""

    def send(
        self, session_id: str, endpoint: Endpoint, arguments: Json, goal_id: str = ''
    ) -> None:
        """See `Robot.send`."""
        counts = endpoint.name in ONCE or endpoint.kind == 'action'
        if counts and FATE.meets('send'):
            die()
        super().send(session_id, endpoint, arguments, goal_id)
        if counts and FATE.meets('sent'):
            time.sleep(OUT_S)
            die()


class DyingJournal:
    """Dies at a transition of the call table."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._states: dict[str, str] = {}
        self.durable, self.fault, self.close = journal.durable, journal.fault, journal.close

    def put(self, now: Now, record: Record) -> int:
        """See `Journal.put`."""
        dies = False
        if isinstance(record, CallChanged):
            before = self._states.get(record.session_id, CallState.REQUESTED.value)
            self._states[record.session_id] = record.state
            dies = FATE.meets(f'{before} {record.happened}')
        if dies and not FATE.durable:
            die()
        ticket = self._journal.put(now, record)
        if dies:
            deadline = time.monotonic() + WRITTEN_S
            while self.durable(ticket) is Durability.WAITING and time.monotonic() < deadline:
                time.sleep(0.001)
            die()
        return ticket


def start_dying(
    path: Path, settings: JournalSettings, began: LifeBegan, now: Now, wake: Callable[[], None]
) -> Started:
    """See `start_journal`."""
    started = start_journal(path, settings, began, now, wake)
    return Started(DyingJournal(started.journal), started.life, started.past)


if __name__ == '__main__':
    vars(executive_node)['RosRobot'] = DyingRobot
    vars(life)['start_journal'] = start_dying
    sys.argv[0] = executive_node.__file__ or sys.argv[0]
    executive_node.main()
