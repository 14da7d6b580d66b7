"""The executive, which kills itself with SIGKILL at one point: BENCH_DIES_AT says where.

    send:N            before the Nth request goes out, of those that must not be made twice (or of
                      BENCH_DIES_ON): what had to be on disk before it is there
    sent:N            after it has gone out, before anybody can have answered
    EDGE:N            after the Nth transition of the call table of that name, such as
                      `sent accept:1`, before the tree or the journal knows of it
    EDGE:N:durable    the same, once it is on disk

BENCH_DIES_ON names the server whose calls have these edges; empty: any. For edges that a healthy
machine does not have, what is needed goes wrong here: before `requested cancel` and the like the
disk hangs, and `cancel wanted fail` is a request that could not be sent after all.

Only the bench has these points: nothing of them is in the executive itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import os
import signal
import sys
import time
from typing import Any

from bt_executive.core.call_states import CallInput, CallState
from bt_executive.core.call_table import CallTable
from bt_executive.core.executive_ports import Json
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import ServerCallUpdate
from bt_executive.core.store_port import Durability, Entry, Store
from bt_executive.ros import executive_node, run_store
from bt_executive.ros.robot_calls import RosRobot
from bt_executive.store.store_lock_and_previous_run import StartedRun, start_store
from bt_executive.tree.persistent_state import PersistentState
from bt_executive.tree.resume_from_checkpoints import resume
from rover_common.clocks import Now
from rover_common.config.settings import Endpoint

VARIABLE, SERVER_VARIABLE = 'BENCH_DIES_AT', 'BENCH_DIES_ON'
ONCE = ('/adapter/move_forward', '/adapter/turn_left', '/adapter/turn_right')
OUT_S = 0.02  # until a request has left this process
WRITTEN_S = 10.0


class Fate:
    """Where this process dies."""

    def __init__(self, text: str, server: str = '') -> None:
        self.point, number, *rest = [*text.split(':'), '1']
        self._left = int(number)
        self.durable = rest[:1] == ['durable']
        self.server = server
        before, _, happened = self.point.partition(' ')
        waits = before == CallState.REQUESTED.value and happened != CallInput.SEND.value
        self.needs_hanging_disk = waits
        self.cannot_send = self.point == f'{CallState.CANCEL_WANTED.value} {CallInput.FAIL.value}'

    def meets(self, point: str, server: str = '') -> bool:
        """Whether it is this time."""
        is_it = point == self.point and self.server in ('', server)
        self._left -= is_it
        return is_it and self._left == 0


FATE = Fate(os.environ.get(VARIABLE, ':0'), os.environ.get(SERVER_VARIABLE, ''))


def die() -> None:
    """As by kill -9."""
    os.kill(os.getpid(), signal.SIGKILL)


class DyingRobot(RosRobot):
    """Dies before or after a request."""

    def __init__(self, node: Any, inbox: Inbox, *rest: Any) -> None:
        super().__init__(node, inbox, *rest)
        self._answers = inbox

    def send(
        self, server_call_id: str, endpoint: Endpoint, arguments: Json, goal_id: str = ''
    ) -> None:
        """See `Robot.send`."""
        counts = endpoint.name in (*ONCE, FATE.server) or endpoint.kind == 'action'
        if counts and FATE.meets('send', endpoint.name):
            die()
        if FATE.cannot_send and endpoint.kind == 'action':
            return
        super().send(server_call_id, endpoint, arguments, goal_id)
        if counts and FATE.meets('sent', endpoint.name):
            time.sleep(OUT_S)
            die()

    def cancel(self, server_call_id: str) -> None:
        """See `Robot.cancel`."""
        if FATE.cannot_send:
            self._answers.put(ServerCallUpdate(server_call_id, CallInput.FAIL, reason='not sent'))
        super().cancel(server_call_id)


class DyingCallTable(CallTable):
    """Exit at a transition, before anything of it leaves the process."""

    def apply(
        self,
        server_call_id: str,
        happened: CallInput,
        fields: Mapping[str, Any] | None = None,
        reason: str = '',
    ) -> bool:
        """See `CallTable.apply`."""
        before = self.get(server_call_id)
        changed = super().apply(server_call_id, happened, fields, reason)
        if not changed or before is None or FATE.durable:
            return changed
        if FATE.meets(f'{before.state.value} {happened.value}', before.label):
            die()
        return changed


class DyingStore:
    """Dies once a transition is on disk."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._states: dict[str, str] = {}
        self.fault, self.close, self.record = store.fault, store.close, store.record

    @property
    def latest(self) -> int:
        """See `Store.latest`."""
        return self._store.latest

    def durable(self, ticket: int) -> Durability:
        """See `Store.durable`."""
        return Durability.WAITING if FATE.needs_hanging_disk else self._store.durable(ticket)

    def put(self, now: Now, parts: Mapping[str, Any], entries: Sequence[Entry] = ()) -> int:
        """See `Store.put`."""
        ticket = self._store.put(now, parts, entries)
        for call in (entry.value for entry in entries if entry.kind == 'CALL'):
            before = self._states.get(call['session_id'], CallState.REQUESTED.value)
            self._states[call['session_id']] = call['state']
            if FATE.durable and FATE.meets(f'{before} {call["happened"]}', call['label']):
                self._die_once_written(ticket)
        return ticket

    def _die_once_written(self, ticket: int) -> None:
        deadline = time.monotonic() + WRITTEN_S
        while self._store.durable(ticket) is Durability.WAITING and time.monotonic() < deadline:
            time.sleep(0.001)
        die()


def _start_dying(*arguments: Any) -> StartedRun:
    """See `start_store`."""
    started = start_store(*arguments)
    return StartedRun(DyingStore(started.store), started.run, started.saved)


def _resume_dying(*arguments: Any) -> PersistentState:
    """See `resume`; the executive that dies is the first one and resumes nothing."""
    state = resume(*arguments)
    state.calls = DyingCallTable()
    return state


if __name__ == '__main__':
    vars(executive_node).update(RosRobot=DyingRobot, resume=_resume_dying)
    vars(run_store)['start_store'] = _start_dying
    sys.argv[0] = executive_node.__file__ or sys.argv[0]
    executive_node.main()
