"""The tool `wait`: time passes, and nothing else is done."""

from __future__ import annotations

from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.leaf import Status
from bt_executive.tree.behaviours.tools.internal import InternalTool
from bt_executive.tree.context_roles import RoundAccess


class Wait(InternalTool):
    """RUNNING for the proposed seconds of the robot's time; the schema bounds them.

    Ticks and guards go on.
    """

    def __init__(self, name: str, context: RoundAccess, tool: Tool) -> None:
        super().__init__(name, context, tool)
        self._since = self._until = 0.0

    def initialise(self) -> None:
        """Sets the end."""
        self._since = self.context.now.robot
        self._until = self._since + float(self.argument('seconds'))

    def update(self) -> Status:
        """Looks at the clock."""
        left = self._until - self.context.now.robot
        if left > 0:
            self.context.wake_at(robot=self._until)
            return self.running(f'{left:.1f} s left')
        return self.done('time is over', waited_s=round(self.context.now.robot - self._since, 3))
