"""Whether the adapter's status is current: it may have fallen silent or been restarted."""

from __future__ import annotations

from collections.abc import Callable
import math

from curiosity_navigation.navigation_error_codes import Cause
from curiosity_navigation.status_for_navigator import StatusForNavigator
from rover_common.clocks import Now
from rover_common.reason import Reason


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
