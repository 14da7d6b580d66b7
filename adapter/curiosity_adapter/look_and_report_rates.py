"""How often the adapter looks around and reports: rarely while nothing is wanted of its rover."""

from __future__ import annotations

from collections.abc import Callable
import math

from curiosity_adapter.adapter_without_ros import Parts
from rover_common.config.settings import CuriositySettings
from rover_common.geometry.transforms import Transform

REST_STATUS_S = 0.5  # between two statuses of a rover of which nothing is wanted
ALONE_LOOK_S = 0.25  # between two looks while no rover is there
RESTS_AFTER_S = 3.0  # since the latest call or change: longer than a stop is measured for
# Of the silence that ends a motion, between two looks without a heartbeat: later than the next one
# is due, or both would come each time. Such a look counts as a pause of the adapter, which excuses
# it alone; there is nothing to end then.
OF_THE_SILENCE_AT_REST = 2 / 3


class Pace:
    """Times in steady s.

    Args:
        parts: What it looks at.
        settings: The usual periods.
        clock: Steady time.
    """

    def __init__(
        self, parts: Parts, settings: CuriositySettings, clock: Callable[[], float]
    ) -> None:
        self._parts, self._clock = parts, clock
        self._deadman, self._usual_status_s = settings.deadman, settings.motion.status_period_s
        self._report_at = self._looked_at = -math.inf
        self._reported_pose: Transform | None = None
        self._news_at = clock()  # a change, or a call that was granted
        self._rests_at = self._news_at + RESTS_AFTER_S

    def called(self) -> None:
        """Somebody asks for something."""
        self._rests_at = self._clock() + RESTS_AFTER_S

    def granted(self) -> None:
        """What was asked for was done."""
        self._news_at = self._clock()

    def changed(self) -> None:
        """The status is another one."""
        self.called()
        self.granted()

    def looked(self) -> None:
        """It has looked around."""
        self._looked_at = self._clock()

    def reported(self) -> None:
        """It has reported; the next report is due after a while."""
        usual_s = self._usual_status_s
        self._report_at = self._clock() + (
            max(usual_s, REST_STATUS_S) if self.is_rare else usual_s
        )
        self._reported_pose = self._parts.poses.latest

    @property
    def report_is_due(self) -> bool:
        """Whether it is time for a status although nothing has changed."""
        return self._clock() >= self._report_at

    @property
    def look_period_s(self) -> float:
        """At rest the timer of the deadman has to notice only that heartbeats stay away."""
        usual_s = self._deadman.check_period_s
        if not self.is_rare:
            return usual_s
        return max(usual_s, self._deadman.timeout_s * OF_THE_SILENCE_AT_REST)

    @property
    def rests(self) -> bool:
        """Whether nothing may move, was called or has changed for a while."""
        quiet = self._clock() >= self._rests_at
        return quiet and not self._is_permitted and self._parts.base.stands is True

    @property
    def is_rare(self) -> bool:
        """Whether it looks and reports rarely; a heartbeat is a look then."""
        return self.rests or self._is_alone

    @property
    def look_is_due(self) -> bool:
        """Whether a heartbeat is a look at everything: where no rover is, not each of them."""
        return self.rests or self._clock() >= self._looked_at + ALONE_LOOK_S

    @property
    def _is_alone(self) -> bool:
        """Whether no rover is there, as far as can be seen, and nothing has come of any call.

        The executive asks it to stop again and again, and is refused each time.
        """
        exclusivity, pose = self._parts.exclusivity, self._parts.poses.latest
        unseen = not exclusivity.rolls and pose == self._reported_pose
        quiet = self._clock() >= self._news_at + RESTS_AFTER_S
        return quiet and unseen and not exclusivity.moving and not self._is_permitted

    @property
    def _is_permitted(self) -> bool:
        """Whether the executive permits a motion: the status shows that it can be stopped."""
        return bool(self._parts.permission.permit.motion)
