"""Chooses the viewpoint of the place that the memory found."""

from __future__ import annotations

from dataclasses import replace

from bt_executive.core.drive_destinations import is_in_view, viewpoint
from bt_executive.core.error_codes import CallError
from bt_executive.core.executive_ports import Proposal
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_leaf import Leaf, Status
from bt_executive.tree.behaviours.memory.visit import Visit, view_of
from bt_executive.tree.context_roles import RoundAccess


class ChooseViewpoint(Leaf[RoundAccess]):
    """SUCCESS with the drive's arguments in the visit and as the round's step, for its guards.

    No drive is needed if the place is in view already. FAILURE if the memory found no place, or
    the robot's pose is not known.
    """

    def __init__(self, name: str, context: RoundAccess, drive: Tool, visit: Visit) -> None:
        super().__init__(name, context)
        self._drive, self._visit = drive, visit

    def update(self) -> Status:
        context, place, robot = self.context, self._visit.place, self.context.state.robot
        if place is None:
            return self._fail('The memory gave no place')
        if not context.pose_is_current():
            return self._fail('Where the robot stands is not known')
        here, view = robot.pose.planar, view_of(context.config)
        label = f'{place.name} at x {place.x:.1f} m, y {place.y:.1f} m'
        if is_in_view(here, place, view):
            self._visit.drive = {}
            where = 'the robot is there' if place.named else 'in view from here'
            context.tracer.emit('OBSERVE', f'Recalled: {label}, {where}')
            return self.success(where)
        there = viewpoint(here, place, view)
        self._visit.drive = self._arguments(there.x, there.y, None if place.named else there.yaw)
        step = Proposal(context.round.call_id, self._drive.name, self._visit.drive)
        context.round = replace(context.round, step=step)
        point = f'x {there.x:.1f} m, y {there.y:.1f} m'
        plan = f'driving to {point}' if place.named else f'looking from {point}'
        context.tracer.emit('OBSERVE', f'Recalled: {label}; {plan}')
        return self.success(plan)

    def _arguments(self, x: float, y: float, heading: float | None) -> dict[str, float]:
        """Returns the arguments of the drive; None as the heading (rad): any."""
        named = self._drive.skill.destination
        if named is None:
            return {}
        arguments = {named.x: round(x, 3), named.y: round(y, 3)}
        if heading is not None and 'heading' in self._drive.skill.args_schema.get(
            'properties', {}
        ):
            arguments['heading'] = round(heading, 3)
        return arguments

    def _fail(self, reason: str) -> Status:
        self.context.fail(CallError.FAILED.value, reason)
        return self.failure(reason)
