"""The tool `speak`: words to the operator, in the trace, which the console shows."""

from __future__ import annotations

from bt_executive.tree.behaviours.leaf import Status
from bt_executive.tree.behaviours.tools.internal import InternalTool


class Speak(InternalTool):
    """SUCCESS at once."""

    def update(self) -> Status:
        """Says it."""
        words = str(self.argument('text'))
        self.brain.tracer.emit('ACT', words, tool_name=self.tool.name, data={'spoken': words})
        return self.done('said')
