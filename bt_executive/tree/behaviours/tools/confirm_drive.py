"""Whether a timed motion that is over came as far as it should."""

from __future__ import annotations

from dataclasses import replace

from bt_executive.core.drive_progress import DriveProgress, measured_at
from bt_executive.core.error_codes import CallError
from bt_executive.tree.access import ToolAccess
from bt_executive.tree.behaviours.leaf import Leaf, Status


class ConfirmDrive(Leaf[ToolAccess]):
    """SUCCESS when a pose after the motion's end shows that the robot has come along.

    RUNNING until there is such a pose; FAILURE if none comes for `guards.pose_max_age_s`, and if
    the distance is not that of the motion, even on bad ground. The result gets `driven_m` and
    `expected_m`.

    Not measured are a robot that has never told a pose, and a motion whose speed is not in
    skills.yaml.
    """

    def __init__(self, name: str, context: ToolAccess) -> None:
        super().__init__(name, context)
        self._since = 0.0  # steady

    def initialise(self) -> None:
        """Begins to wait."""
        self._since = self.context.now.steady

    def update(self) -> Status:
        """Looks at the latest pose."""
        context, drive = self.context, self.context.round.drive
        at = measured_at(context.state.robot, context.now)
        if drive is None or at is None or not drive.motion.speed_m_s:
            return self.success('not measured')
        if at < (context.round.motion_until or 0.0):
            return self._not_measured_yet()
        return self._judge(drive.seen(at, context.driven_m), at)

    def _judge(self, drive: DriveProgress, at: float) -> Status:
        why_not = drive.contradiction(at, self.context.config.executive.guards)
        if why_not:
            return self._failed(why_not)
        this = self.context.round
        if this.result:
            way = {'driven_m': round(drive.driven_m, 2), 'expected_m': round(drive.expected_m, 2)}
            data = {**this.result.data, **way}
            self.context.round = replace(this, result=replace(this.result, data=data))
        return self.success(f'{drive.driven_m:.1f} m')

    def _not_measured_yet(self) -> Status:
        limit = self.context.config.executive.guards.pose_max_age_s
        if self.context.now.silent_for(self._since) <= limit:
            return self.running('waiting for the pose at the end')
        return self._failed(
            f'it is not known how far the robot came: no new pose for {limit:g} s '
            '(guards.pose_max_age_s)'
        )

    def _failed(self, reason: str) -> Status:
        self.context.fail(CallError.OFF_COURSE.value, reason)
        return self.failure(reason)
