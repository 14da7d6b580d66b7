"""Delays a call that keeps failing, so that a model cannot repeat it at once."""

from __future__ import annotations

from bt_executive.core.executive_ports import Proposal, ToolResult

FIRST_DELAY_S = 0.5
LONGEST_DELAY_S = 8.0


class CallThrottle:
    """Counts the failures in a row of each call (a tool with its arguments).

    The first failure causes no delay: the next call usually follows the refusal's remedy.
    """

    def __init__(self) -> None:
        self._failures: dict[str, int] = {}

    def record(self, proposal: Proposal, result: ToolResult) -> None:
        """Record the result of a call."""
        key = _key(proposal)
        self._failures[key] = 0 if result.ok else self._failures.get(key, 0) + 1

    def delay(self, proposal: Proposal) -> float:
        """Return the delay of a call in s: 0, 0, 0.5, 1, 2, 4, then always 8."""
        failures = self._failures.get(_key(proposal), 0)
        if failures < 2:
            return 0.0
        return min(FIRST_DELAY_S * 2.0 ** min(failures - 2, 10), LONGEST_DELAY_S)


def _key(proposal: Proposal) -> str:
    return f'{proposal.tool} {proposal.arguments!r}'
