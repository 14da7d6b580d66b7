from __future__ import annotations

from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.planner.tool_throttle import CallThrottle

MOVE = Proposal('1', 'move_nudge', {})
REFUSED = ToolResult(False, 'Not available')


def test_holds_back_longer_with_every_failure() -> None:
    throttle, delays = CallThrottle(), []
    for _ in range(9):
        delays.append(throttle.delay(MOVE))
        throttle.record(MOVE, REFUSED)
    assert delays == [0.0, 0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]


def test_a_success_forgives() -> None:
    throttle = CallThrottle()
    for _ in range(5):
        throttle.record(MOVE, REFUSED)
    throttle.record(MOVE, ToolResult(True))
    assert throttle.delay(MOVE) == 0.0


def test_other_tools_and_other_arguments_are_not_held_back() -> None:
    throttle = CallThrottle()
    for _ in range(5):
        throttle.record(MOVE, REFUSED)
    assert throttle.delay(Proposal('2', 'mast_close', {})) == 0.0
    assert throttle.delay(Proposal('3', 'move_nudge', {'duration_s': 2})) == 0.0
