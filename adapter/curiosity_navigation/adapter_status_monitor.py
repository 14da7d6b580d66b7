"""Reads what the navigator needs of the adapter's status, and watches whether it is fresh."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
import math

from curiosity_navigation.navigation_error_codes import Cause
from rover_common.adapter_status import AdapterStatus, NavigationReport
from rover_common.clocks import Now
from rover_common.message_order import RunNumber
from rover_common.permit import NO_PERMIT_ID, PermitId
from rover_common.reason import Reason
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


class AdapterStatusMonitor:
    """Keeps the adapter's latest status, and checks whether it is current.

    Args:
        clocks: Reads the clocks.
        max_age_s: An older status does not count.
    """

    def __init__(self, clocks: Callable[[], Now], max_age_s: float) -> None:
        self._clocks = clocks
        self._max_age_s = max_age_s
        self._received_at = -math.inf
        self.latest: StatusForNavigator | None = None

    def update(self, status: StatusForNavigator) -> None:
        """Takes the latest status."""
        self.latest, self._received_at = status, self._clocks().steady

    @property
    def status(self) -> StatusForNavigator | None:
        """The latest status; None: none was received, or it is too old."""
        silent = self._clocks().silent_for(self._received_at) > self._max_age_s
        return None if silent else self.latest

    def lost(self, began_by: str) -> Reason[Cause] | None:
        """Return why the state of a goal is unknown; None if the adapter that began it is there.

        `began_by`: the run of that adapter; empty: no goal is under way.
        """
        status = self.status
        if status is None:
            return Reason(Cause.ADAPTER_SILENT, 'the adapter is silent: its status does not come')
        if began_by and status.run_id != began_by:
            return Reason(
                Cause.ADAPTER_SILENT, 'the adapter was restarted; what it was doing is lost'
            )
        return None
