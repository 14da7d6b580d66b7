"""The tool `finish`: the goal is done, with an answer."""

from __future__ import annotations

from bt_executive.tree.behaviours.leaf import Status
from bt_executive.tree.behaviours.tools.internal import InternalTool


class Finish(InternalTool):
    """SUCCESS; the goal ends when stock is taken."""

    def update(self) -> Status:
        """Notes the answer."""
        answer = str(self.argument('answer'))
        self.brain.round.finished = answer
        return self.done(answer)
