"""The tools that read the ROS graph: nodes, topics, services, and one message of a topic."""

from __future__ import annotations

from bt_executive.core.error_codes import CallError
from bt_executive.core.executive_ports import Reading, ToolResult
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.leaf import Status
from bt_executive.tree.behaviours.tools.internal import InternalTool
from bt_executive.tree.context import Context


class ReadGraph(InternalTool):
    """RUNNING until the graph was read, for the skill's timeout at most; then TIMED_OUT."""

    def __init__(self, name: str, context: Context, tool: Tool) -> None:
        super().__init__(name, context, tool)
        self._graph = context.ports.graph
        self._reading: Reading[ToolResult] | None = None
        self._asked = context.now

    def initialise(self) -> None:
        """Asks; the answer comes from another thread."""
        self._asked = self.context.now
        self._reading = self._graph.read(self.tool.name, str(self.argument('topic') or ''))

    def update(self) -> Status:
        """Looks for the answer."""
        result = self._reading.result if self._reading else None
        if result is None:
            seconds = self.tool.skill.timeout_s
            if self.context.now.since(self._asked) < seconds:
                return self.running('reading')
            return self.failed(CallError.TIMED_OUT, f'Nothing came within {seconds:g} s')
        if not result.ok:
            return self.failed(CallError.FAILED, result.error_reason)
        return self.done('read', **result.data)

    def terminate(self, _new_status: Status) -> None:
        """A reading that goes on is ended; its late answer goes nowhere."""
        if self._reading:
            self._reading.end()
        self._reading = None
