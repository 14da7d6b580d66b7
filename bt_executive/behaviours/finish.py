"""The tool `finish`: the goal is done, with an answer."""

from __future__ import annotations

from bt_executive.behaviours.internal import InternalTool
from bt_executive.behaviours.leaf import Status


class Finish(InternalTool):
    """SUCCESS; the goal ends when stock is taken."""

    def update(self) -> Status:
        """Notes the answer."""
        answer = str(self.argument('answer'))
        self.brain.round.finished = answer
        return self.done(answer)
