"""Which permission of the executive a goal may name."""

from __future__ import annotations

from collections.abc import Callable

from rover_common.permit import NO_PERMIT_ID, Beat, PermitId
from rover_common.setpoint import JOURNEY


class HeardPermits:
    """What the executive's heartbeats permit. Whether they hold is the adapter's to judge.

    Args:
        timeout_s: A heartbeat that came earlier counts as none.
        clock: Steady time in s.
    """

    def __init__(self, timeout_s: float, clock: Callable[[], float]) -> None:
        self._timeout_s = timeout_s
        self._clock = clock
        self._beat: Beat | None = None
        self._heard_at = 0.0
        self._used = NO_PERMIT_ID

    def hear(self, beat: Beat) -> None:
        """The latest heartbeat."""
        self._beat, self._heard_at = beat, self._clock()

    @property
    def current(self) -> PermitId:
        """The permission for a journey now; none if there is no executive, or it gives none."""
        beat = self._beat
        if beat is None or not self._is_young() or beat.permit.motion != JOURNEY:
            return NO_PERMIT_ID
        return beat.sender, beat.permit.number

    @property
    def pending(self) -> bool:
        """Whether an executive is there whose permission for a new goal may be on its way."""
        return self._is_young() and self.current in (NO_PERMIT_ID, self._used)

    def use(self) -> PermitId:
        """The permission that a goal names from now on."""
        self._used = self.current
        return self._used

    def _is_young(self) -> bool:
        return self._beat is not None and self._clock() - self._heard_at <= self._timeout_s
