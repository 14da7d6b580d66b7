"""The port GraphReader where there is no ROS graph: in tests of the tree and in replays."""

from __future__ import annotations

from bt_executive.core.ports import GraphReading, ToolResult


class NoGraph:
    """Every reading fails at once."""

    def read(self, what: str, topic: str) -> GraphReading:  # noqa: ARG002 - the port's signature
        """A reading that has ended."""
        return GraphReading(ToolResult(ok=False, error_reason='There is no ROS graph here'))
