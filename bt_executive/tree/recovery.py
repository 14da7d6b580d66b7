"""A tool that was under way when the executive ended: what is known of it in the next life."""

from __future__ import annotations

from dataclasses import dataclass

from bt_executive.core.journal_records import Json
from bt_executive.journal.past import OpenCall


@dataclass(frozen=True)
class Recovery:
    """What has become of it is still to be found out.

    Attributes:
        call_id: Of the round.
        calls: Its calls, with how the journal knows them; the ended ones, too.
        sessions: Those of its calls whose servers are asked.
    """

    call_id: str
    calls: tuple[OpenCall, ...]
    sessions: tuple[str, ...]

    @property
    def pose(self) -> Json | None:
        """Where the robot was at the first call, as `CallOpened` has it; None: it is not known."""
        poses = (call.opened.record.pose for call in self.calls)
        return next((pose for pose in poses if pose is not None), None)
