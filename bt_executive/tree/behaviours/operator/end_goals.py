"""End what was asked for: a stop is served, and every goal that it found ends with its reason."""

from __future__ import annotations

from bt_executive.core.observe import ended_by_stop, stop_served
from bt_executive.tree import conditions, goals
from bt_executive.tree.access import GoalAccess
from bt_executive.tree.behaviours.leaf import Leaf, Status


class EndGoals(Leaf[GoalAccess]):
    """SUCCESS at once. A goal that came behind the stop waits for its turn."""

    def update(self) -> Status:
        """Ends the goals, and enters that the stop is served."""
        because = conditions.who_stops(self.context) or ''  # the condition above it holds
        hci = self.context.state.hci
        goals.end_these(self.context, ended_by_stop(self.context.state), 'interrupted', because)
        self.context.replace(hci=stop_served(hci))
        self.context.tracer.emit('RESULT', because, ok=True)
        return self.success(because)
