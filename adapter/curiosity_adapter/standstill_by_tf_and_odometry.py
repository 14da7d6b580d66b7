"""Whether the rover stands, by two sources: its transforms and its odometry.

Three values: it moves, it stands, or that is not known. Once a pose was received, silence never
counts as standing, and neither does one source against the other. Transforms alone do not prove a
standstill once odometry was received and has fallen silent: they are usually computed from it, and
their publisher may go on with its last value (docs/decisions/0079). Times in s of a steady clock.
"""

from __future__ import annotations

import math

from curiosity_adapter.adapter_error_codes import Cause
from rover_common.clocks import Now
from rover_common.config.settings import MotionSettings
from rover_common.geometry.transforms import Transform
from rover_common.motion_by_transforms import MotionMonitor
from rover_common.reason import Reason

# Both show the same motion at different moments: a shorter difference is ignored.
DIFFERENCE_S = 0.5
# How long a rover that moved by itself must be at rest: while a stop and another driver alternate,
# it stands for moments.
RESTLESS_S = 2.0
UNKNOWN = 'It is not known whether the rover stands'


class StandstillMonitor:
    """Compares the poses of transforms and of odometry.

    A robot of which no pose was ever received stands as far as is known. `simulated`: time may be
    faster than real time.
    """

    def __init__(self, settings: MotionSettings, simulated: bool = False) -> None:
        self._settings = settings
        self._transforms = MotionMonitor(settings, simulated)
        self._odometry = MotionMonitor(settings, simulated)
        self._invalid_reason = ''  # why odometry is ignored
        self._differ_since = math.inf
        self._agree = True  # about the latest motion that both could show
        self._drives = False  # by a request
        self._now: Now | None = None
        self._rest_from: Now | None = None  # since when it should stand
        self._stands_since = math.inf
        self._restless = False

    @property
    def latest(self) -> Transform | None:
        """The latest pose by the transforms, however old."""
        return self._transforms.latest

    def update(self, pose: Transform | None, now: Now) -> None:
        """Takes the latest pose by the transforms; None while there is none."""
        self._transforms.update(pose, now)
        self._odometry.update(None, now)
        self._compare(now.steady)
        self._watch_rest(now)
        self._now = now

    def invalidate_odometry(self, why: str) -> None:
        """Ignores odometry while there is a reason; an empty one ends that."""
        self._invalid_reason = why
        if why:
            self._odometry.expect_rest()  # its readings may be of either publisher

    def update_odometry(self, pose: Transform, now: Now) -> None:
        """Takes a pose by odometry, in its own frame."""
        if self._invalid_reason:
            return
        self._odometry.update(pose, now)
        self._compare(now.steady)

    def pose(self, now: float) -> Transform | None:
        """The pose by the transforms, if it is not older than `motion.pose_max_age_s`."""
        return self._transforms.pose(now)

    def age(self, now: float) -> float | None:
        """Return the time since the latest new pose by the transforms, in s; None without one."""
        return self._transforms.age(now)

    def expect_motion(self) -> None:
        """The rover is requested to move."""
        self._drives, self._restless = True, False

    def expect_rest(self) -> None:
        """The rover should stand still soon: earlier readings do not count."""
        if self._drives or self._rest_from is None:
            self._rest_from = self._now  # a stop that is repeated is the same stop
        self._drives = False
        self._transforms.expect_rest()
        self._odometry.expect_rest()

    def rolls(self, now: float) -> bool | None:
        """Whether the rover moves although it should stand; None: that is not known."""
        moves = self.moves_now(now)
        return True if moves is False and self._restless else moves

    def moves_now(self, now: float) -> bool | None:
        """As `rolls`, at this moment only: a stop may be holding it just now."""
        seen = self._readings(now)
        if seen and all(seen):
            return True
        return None if self.doubt(now) else False

    def moves(self, now: float) -> bool | None:
        """As `rolls`, by the mean over `motion.unasked_window_s`; one source is enough."""
        readings = [
            each.moves(now) for each in (self._transforms, self._odometry) if each.pose(now)
        ]
        if any(readings):
            return True
        return None if not readings or None in readings or self.doubt(now) else False

    def doubt(self, now: float) -> Reason[Cause] | None:
        """Why it is not known whether the rover stands; None if it is known."""
        said = self._doubt(now)
        return Reason(Cause.STANDING_UNKNOWN, f'{UNKNOWN}: {said}') if said else None

    def _doubt(self, now: float) -> str | None:
        if self._invalid_reason:
            return f'there are {self._invalid_reason}'
        transforms, odometry = self._transforms.rolls(now), self._odometry.rolls(now)
        limit = f'for {self._settings.pose_max_age_s:g} s (motion.pose_max_age_s)'
        silent = [
            name
            for name, each in (('transform', self._transforms), ('odometry', self._odometry))
            if each.ever_seen and each.pose(now) is None
        ]
        if transforms is None and odometry is None:
            return f'no {" and no ".join(silent)} has come {limit}' if silent else None
        if 'odometry' in silent:
            return f'no odometry has come {limit}, and transforms may be made from it'
        if 'transform' in silent and not self._agree:
            return f'no transform has come {limit}, and odometry did not agree with it'
        if transforms is not None and odometry is not None and transforms != odometry:
            described = _describe(self._transforms, now), _describe(self._odometry, now)
            return f'by its transforms it {described[0]}, by odometry it {described[1]}'
        return None

    def _watch_rest(self, now: Now) -> None:
        """Tracks whether it moves by itself: after it stood, or long after it should stand.

        For a moment after each stop there is no measurement; this changes nothing.
        """
        moves, stood = self.moves_now(now.steady), now.steady - self._stands_since
        if moves and not self._is_measured(now.steady):
            return
        self._stands_since = min(self._stands_since, now.steady) if moves is False else math.inf
        if self._drives:
            return
        if moves is False and stood >= RESTLESS_S:
            self._restless = False
        elif moves:
            since = self._rest_from
            rolls_on = since is not None and now.since(since) > self._settings.coasting_s
            self._restless = self._restless or stood > 0.0 or rolls_on

    def _is_measured(self, now: float) -> bool:
        """Return whether its speed is measured; for a moment after a jump it is not."""
        speeds = (each.recent_speed(now) for each in (self._transforms, self._odometry))
        return any(each is not None for each in speeds)

    def _readings(self, now: float) -> list[bool]:
        readings = (self._transforms.rolls(now), self._odometry.rolls(now))
        return [each for each in readings if each is not None]

    def _compare(self, now: float) -> None:
        """Tracks whether both show the same motion; that both show none proves nothing."""
        speeds = self._transforms.recent_speed(now), self._odometry.recent_speed(now)
        if speeds[0] is None or speeds[1] is None:
            self._differ_since = math.inf
            return
        least = self._settings.unasked_speed_m_s
        moves = [each is not None and each >= least for each in speeds]
        if moves[0] == moves[1]:
            self._differ_since = math.inf
            self._agree = self._agree or moves[0]
            return
        self._differ_since = min(self._differ_since, now)
        if now - self._differ_since >= DIFFERENCE_S:
            self._agree = False


def _describe(monitor: MotionMonitor, now: float) -> str:
    """Describe a source's reading; after a stop or a jump there is none for a moment."""
    if monitor.recent_speed(now) is None:
        return 'is not measured yet'
    return 'moves' if monitor.rolls(now) else 'stands'
