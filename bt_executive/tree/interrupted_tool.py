"""The tool that was under way when the previous run ended: its outcome is unknown."""

from __future__ import annotations

from dataclasses import dataclass

from bt_executive.core.call_table import ServerCall
from bt_executive.tree.checkpoint_parts import CallPose


@dataclass(frozen=True)
class Recovery:
    """What became of it is still to be found out.

    Attributes:
        call_id: Of the round.
        calls: Its calls, as they were saved; the ended ones, too.
        pose: Where the robot was at the first call; None: not known.
        lasted_s: Of ROS time from there to the last that was saved of its run.
    """

    call_id: str
    calls: tuple[ServerCall, ...]
    pose: CallPose | None
    lasted_s: float = 0.0

    @property
    def sessions(self) -> tuple[str, ...]:
        """Ids of its calls, whose servers are asked."""
        return tuple(call.session_id for call in self.calls)
