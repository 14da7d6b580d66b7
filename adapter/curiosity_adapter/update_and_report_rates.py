"""How often the adapter updates and reports: rarely while the rover has nothing to do."""

from __future__ import annotations

from collections.abc import Callable
import math

from curiosity_adapter.adapter_parts import AdapterParts
from rover_common.config.settings import CuriositySettings
from rover_common.geometry.transforms import Transform

REST_STATUS_S = 0.5  # between two statuses of a rover at rest
ALONE_UPDATE_S = 0.25  # between two updates while no rover is there
RESTS_AFTER_S = 3.0  # after the latest call or change: longer than a stop is measured
# Share of the silence that ends a motion, between two updates without a heartbeat: later than the
# next heartbeat is due, or both would come each time. Such an update counts as a pause of the
# adapter, which excuses it alone; there is nothing to end then.
REST_SHARE_OF_TIMEOUT = 2 / 3


class UpdateRates:
    """Times in steady s.

    Args:
        parts: Of the adapter.
        settings: The usual periods.
        clock: Steady time.
    """

    def __init__(
        self, parts: AdapterParts, settings: CuriositySettings, clock: Callable[[], float]
    ) -> None:
        self._parts, self._clock = parts, clock
        self._deadman, self._usual_status_s = settings.deadman, settings.motion.status_period_s
        self._report_at = self._updated_at = -math.inf
        self._reported_pose: Transform | None = None
        self._changed_at = clock()  # a change, or a call that was granted
        self._rests_at = self._changed_at + RESTS_AFTER_S

    def note_request(self) -> None:
        """A request was received."""
        self._rests_at = self._clock() + RESTS_AFTER_S

    def note_granted(self) -> None:
        """A request was granted."""
        self._changed_at = self._clock()

    def note_change(self) -> None:
        """The status has changed."""
        self.note_request()
        self.note_granted()

    def note_update(self) -> None:
        """Everything was updated."""
        self._updated_at = self._clock()

    def note_report(self) -> None:
        """The status was published; the next one is due after a period."""
        usual_s = self._usual_status_s
        self._report_at = self._clock() + (
            max(usual_s, REST_STATUS_S) if self.is_slow else usual_s
        )
        self._reported_pose = self._parts.poses.latest

    @property
    def report_is_due(self) -> bool:
        """Whether a status is due although nothing has changed."""
        return self._clock() >= self._report_at

    @property
    def update_period_s(self) -> float:
        """Period of the deadman's timer; at rest it only has to detect missing heartbeats."""
        usual_s = self._deadman.check_period_s
        if not self.is_slow:
            return usual_s
        return max(usual_s, self._deadman.timeout_s * REST_SHARE_OF_TIMEOUT)

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing may move, was requested or has changed for a while."""
        quiet = self._clock() >= self._rests_at
        return quiet and not self._is_permitted and self._parts.base.stands is True

    @property
    def is_slow(self) -> bool:
        """Whether updates and reports are rare; each heartbeat is an update then."""
        return self.is_at_rest or self._is_alone

    @property
    def update_is_due(self) -> bool:
        """Whether a heartbeat updates everything: where no rover is, not each one does."""
        return self.is_at_rest or self._clock() >= self._updated_at + ALONE_UPDATE_S

    @property
    def _is_alone(self) -> bool:
        """Whether no rover is seen, and no call was granted for a while.

        The executive requests a stop repeatedly then, and is refused each time.
        """
        exclusivity, pose = self._parts.exclusivity, self._parts.poses.latest
        unseen = not exclusivity.rolls and pose == self._reported_pose
        quiet = self._clock() >= self._changed_at + RESTS_AFTER_S
        return quiet and unseen and not exclusivity.moving and not self._is_permitted

    @property
    def _is_permitted(self) -> bool:
        """Whether the executive permits a motion: the status shows that it can be stopped."""
        return bool(self._parts.permission.permit.motion)
