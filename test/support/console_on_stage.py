"""`bt-executive up` with a pretended executive, for tests of its screen: a program of its own.

Goals end at once. Some do more: `hostile` shows escape sequences, `flood` shows 300 events,
`approval` lets a request wait, `lose` loses the executive, `crash` makes the console fail.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
import sys
import time
from typing import Any

from fakes.console import FakeConsolePort

from bt_executive.client.front_end_events import (
    ClientEvent,
    ExecutiveLost,
    ExecutiveReady,
    GoalEnded,
    PendingApprovals,
    ServiceReply,
    StateReceived,
    StreamedText,
)
from bt_executive.client.front_end_requests import ApprovalAnswer, GoalRequest, ToolRequest
from bt_executive.client.tree_fold import TreeNode
from bt_executive.console.console_start import RunOptions, run_up
from bt_executive.core.state import BrainState
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.trace_event import TraceEvent

HOSTILE = '\x1b]0;owned\x07\x1b[2Jhostile\x1b[31m words \u202eesrever'
REQUEST = {'id': 'ask-0a1b2c-1', 'tool': 'move_nudge', 'arguments': {}, 'risk': 'Moves the rover'}
TREE = TreeNode(
    'Executive',
    'running',
    children=(TreeNode('Stay safe', 'failure'), TreeNode('Idle', 'running', 'waiting for a goal')),
)


class PretendedExecutive(FakeConsolePort):
    """Answers at once."""

    def __init__(
        self, _config: Config, put: Callable[[ClientEvent], None], _arguments: Sequence[str]
    ) -> None:
        super().__init__()
        self._put = put

    def watch(self) -> None:
        self._put(ExecutiveReady())
        self._put(StateReceived(BrainState(), 0.0))
        self._put(TREE)

    def start(self, ticket: int, request: GoalRequest | ToolRequest) -> None:
        words = request.text if isinstance(request, GoalRequest) else request.name
        if words == 'crash':
            raise RuntimeError('the console fails')
        if words == 'lose':
            self._put(ExecutiveLost('The executive is gone.'))
            self._put(GoalEnded(ticket, 'failed', 'The executive is gone.'))
            return
        self._trace(f'New goal: {words}')
        if words == 'hostile':
            self._trace(HOSTILE)
            self._put(StreamedText('text', HOSTILE))
        if words == 'approval':
            entry = {**REQUEST, 'expires_at': time.time() + 60.0}
            self._put(PendingApprovals((entry,), time.time()))
        if words == 'flood':
            for number in range(300):
                self._trace(f'event {number}')
        self._put(GoalEnded(ticket, 'reached', f'done with {words}'))
        self._trace('ended', goal_ended={})

    def call_service(self, service: str) -> None:
        self._put(ServiceReply(service, True, f'{service}: ok'))

    def resolve(self, answer: ApprovalAnswer) -> None:
        self._put(PendingApprovals((), time.time()))
        self._put(ServiceReply('resolve_approval', True, f'{answer.action} {answer.request_id}'))

    def close(self) -> None:
        """Nothing to leave."""

    def _trace(self, message: str, **data: Any) -> None:
        self._put(TraceEvent('1', time.time(), 'OBSERVE', message, data=data))


if __name__ == '__main__':
    folder = Path(sys.argv[1])
    options = RunOptions(load_config(), (), folder)
    sys.exit(run_up(options, PretendedExecutive, plain='--plain' in sys.argv))
