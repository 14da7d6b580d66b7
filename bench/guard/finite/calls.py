"""One call and its lease: `core/{call_states,call_table}.py`.

Answers of the server come late, twice, in any order, or not at all.

Invariants:
- What has ended stays as it ended, whatever comes afterwards.
- A call whose time is over never counts as done, nor does one that was never accepted.
- A call that was cancelled before it was sent is never sent.
- The resource stays with the call until it has ended; nobody else gets it before.
- A call of an action that is to end is told so until its last word.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from bt_executive.core.call_states import TERMINAL, CallInput, CallState
from bt_executive.core.call_table import CallTable
from rover_common.clocks import Now
from rover_common.config.settings import Endpoint

ACTION = Endpoint(kind='action', name='/drive', type='demo/action/Drive')
NOW = Now.at(1.0)
CALL, OTHER, BASE = 'call-1', 'call-2', ('base',)
OF_SERVER = tuple(
    each for each in CallInput if each not in (CallInput.SEND, CallInput.CANCEL, CallInput.EXPIRE)
)
SENT, CANCELLED, EXPIRED, OVER, ASKS = (
    'it is sent',
    'the tool is preempted',
    'its time is over',
    'the tool has ended',
    'another call asks for the base',
)


class OneCall:
    """The call table with one call of an action."""

    def __init__(self) -> None:
        self.table = CallTable()
        self.table.leases.acquire(CALL, BASE)
        self.call_id = self.table.open(
            CALL, '/drive', NOW, 5.0, ACTION, cancellable=True, run_id='run'
        ).server_call_id
        self.was = CallState.REQUESTED
        self.happened: frozenset[str] = frozenset()
        self.tool_over = False

    def moves(self) -> Sequence[str]:
        """See `Machine`."""
        own = [CANCELLED, EXPIRED, OVER, ASKS]
        if self.state is CallState.REQUESTED and CANCELLED not in self.happened:
            own.append(SENT)
        of_server = [f'the server: {each.value}' for each in OF_SERVER]
        return (*own, *(of_server if SENT in self.happened else ()))

    @property
    def state(self) -> CallState:
        """The call's state; the last one after it was cleared."""
        call = self.table.get(self.call_id)
        return call.state if call is not None else self.was

    def do(self, move: str) -> str:
        """See `Machine`."""
        before = self.state
        self.was = before
        fault = self._happen(move)
        self.happened |= {move}
        return fault or self._fault(before)

    def _happen(self, move: str) -> str:
        table, call_id = self.table, self.call_id
        if move == ASKS:
            free = not table.leases.conflicts(OTHER, BASE)
            if free and not (self.tool_over and self.state in TERMINAL):
                return 'the resource stays with its call until that has ended'
        elif move == OVER:
            self.tool_over, self.was = True, self.state
            table.finish_call(CALL)
            table.clear_finished()
        elif table.get(call_id) is None:
            return ''
        elif move == SENT:
            table.apply(call_id, CallInput.SEND)
        elif move == CANCELLED:
            table.cancel(call_id, NOW, 5.0)
        elif move == EXPIRED:
            table.expire(call_id, NOW, 5.0, 'its time is over')
        else:
            table.apply(call_id, CallInput(move.removeprefix('the server: ')))
            self.was = self.state
            table.clear_finished()
        return ''

    def _fault(self, before: CallState) -> str:
        after = self.state
        if before in TERMINAL and after is not before:
            return 'what has ended stays as it ended'
        if after is CallState.SUCCEEDED and before is not after:
            if before is CallState.EXPIRED:
                return 'what comes after the time is over never counts as done'
            if before in (CallState.SENT, CallState.REQUESTED, CallState.CANCEL_WANTED):
                return 'nothing is done that was never accepted'
        call = self.table.get(self.call_id)
        to_end = {CANCELLED, EXPIRED} & self.happened and SENT in self.happened
        if call is not None and to_end and not call.ended and not call.ending:
            return 'a call that is to end is told so until its last word'
        return ''

    def key(self) -> Hashable:
        """See `Machine`."""
        return (
            self.state,
            self.table.get(self.call_id) is None,
            tuple(self.table.leases.holders),
            self.tool_over,
            SENT in self.happened,
            bool({CANCELLED, EXPIRED} & self.happened),
        )
