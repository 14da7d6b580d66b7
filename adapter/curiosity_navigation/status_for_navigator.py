"""The part of the adapter's status that a navigator needs."""

from __future__ import annotations

from dataclasses import dataclass

from rover_common.adapter_status import AdapterStatus, NavigationReport
from rover_common.permit import NO_PERMIT_ID, PermitId
from rover_common.run_number import RunNumber
from rover_common.setpoint import NAVIGATE


@dataclass(frozen=True)
class StatusForNavigator:
    """One status, as one navigator reads it.

    Attributes:
        run_id: Of the adapter: another one means that it was restarted.
        at_rest: Nothing is under way, every stop was answered, and the rover does not roll.
        mast_moves: None: not known.
        by_hand: Whether manual mode is on, so that no permission is needed.
        permit: That of a running executive, if it is for navigation; none of one that is silent.
        taken: The latest setpoint that counts, of any sender.
        answer: On a navigation goal of this navigator; None: the latest one is of another.
    """

    run_id: str
    at_rest: bool
    mast_moves: bool | None
    by_hand: bool
    permit: PermitId
    taken: RunNumber
    answer: NavigationReport | None


def read_status(status: AdapterStatus, sender: str) -> StatusForNavigator:
    """Return the status for the navigator that sends setpoints under this name."""
    moves = status.details.get('mast_moves')
    executive, navigation_goal = status.executive_alive is True, status.navigation_goal
    return StatusForNavigator(
        run_id=status.sender,
        at_rest=status.at_rest is True,
        mast_moves=moves if isinstance(moves, bool) else None,
        by_hand=status.manual_mode is True and not executive,
        permit=_permit(status) if executive else NO_PERMIT_ID,
        taken=status.setpoint,
        answer=navigation_goal if navigation_goal and navigation_goal.sender == sender else None,
    )


def _permit(status: AdapterStatus) -> PermitId:
    if status.permit.motion != NAVIGATE:
        return NO_PERMIT_ID
    return RunNumber(status.heartbeat.run, status.permit.number)
