"""A life of the executive begins: with nothing, or with what the lives before have left open."""

from __future__ import annotations

from bt_executive.approval.registry import ApprovalRegistry
from bt_executive.core.permits import Permits
from bt_executive.journal.past import Past
from bt_executive.tree.known import Known
from bt_executive.tree.ports import Ports


def resume(
    ports: Ports,
    life: int = 0,
    past: Past | None = None,
    approvals: ApprovalRegistry | None = None,
) -> Known:
    """What an executive knows at first; its first tick takes up what is open in `past`.

    `life`: its number in the journal; 0: there is none.
    """
    return Known(
        Permits(ports.robot.permit),
        approvals=approvals or ApprovalRegistry(),
        life=life,
        past=past,
    )
