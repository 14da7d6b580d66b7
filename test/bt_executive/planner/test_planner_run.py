from __future__ import annotations

from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.planner.planner_run import CallThrottle

MOVE = Proposal('1', 'move_nudge', {})
REFUSED = ToolResult(False, 'Not available')


def test_holds_back_longer_with_every_failure() -> None:
    backoff, delays = CallThrottle(), []
    for _ in range(9):
        delays.append(backoff.delay(MOVE))
        backoff.record(MOVE, REFUSED)
    assert delays == [0.0, 0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]


def test_a_success_forgives() -> None:
    backoff = CallThrottle()
    for _ in range(5):
        backoff.record(MOVE, REFUSED)
    backoff.record(MOVE, ToolResult(True))
    assert backoff.delay(MOVE) == 0.0


def test_other_tools_and_other_arguments_are_not_held_back() -> None:
    backoff = CallThrottle()
    for _ in range(5):
        backoff.record(MOVE, REFUSED)
    assert backoff.delay(Proposal('2', 'mast_close', {})) == 0.0
    assert backoff.delay(Proposal('3', 'move_nudge', {'duration_s': 2})) == 0.0
