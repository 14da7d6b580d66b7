"""Wait until it is measured that a tool has done its work, where no server says so."""

from __future__ import annotations

from bt_executive.core.error_codes import CallError
from bt_executive.core.executive_ports import ToolResult
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.leaf import Leaf, Status
from bt_executive.tree.confirmation import why_not_confirmed
from bt_executive.tree.context_roles import ToolAccess
from rover_common.replace import replace


class AwaitPostcondition(Leaf[ToolAccess]):
    """SUCCESS when the postcondition holds; FAILURE when it does not within the tool's time."""

    def __init__(self, name: str, context: ToolAccess, tool: Tool) -> None:
        super().__init__(name, context)
        self._tool = tool
        self._until = 0.0

    def initialise(self) -> None:
        """The time begins when the message is out."""
        self._until = self.context.now.steady + self._tool.skill.timeout_s

    def update(self) -> Status:
        """Compares what is known of the robot."""
        context, tool = self.context, self._tool
        missing = why_not_confirmed(context, tool, {}, ToolResult(ok=True))
        if not missing:
            parts = context.state.robot.parts
            seen = {field: parts.get(field) for field in tool.skill.postcondition}
            published = context.round.result or ToolResult(ok=True)
            result = replace(published, data={**published.data, **seen})
            context.round = replace(context.round, result=result)
            return self.success('seen')
        if context.now.steady < self._until:
            context.wake_at(steady=self._until)
            return self.running(f'published; {missing}')
        reason = f'Published, but after {tool.skill.timeout_s:g} s {missing}'
        context.fail(CallError.TIMED_OUT.value, reason)
        return self.failure(reason)
