"""What runs, for the state: the open sessions and the resources that are in use."""

from __future__ import annotations

from collections.abc import Iterable

from bt_executive.core.call_table import CallTable
from bt_executive.core.state import BrainState, RunningSkill
from rover_common.replace import replace


def show_running(state: BrainState, book: CallTable, resources: Iterable[str]) -> BrainState:
    """The state whose running skills and taken resources are those of the call table."""
    holders = book.leases.holders
    running = tuple(
        RunningSkill(
            goal_id=session.session_id,
            skill_name=session.skill,
            start_time=session.started_at.ros,
            timeout_s=session.timeout_s,
            resources_occupied=tuple(
                name for name, call_id in holders.items() if call_id == session.call_id
            ),
        )
        for session in book.running()
    )
    busy = {f'{name}_busy': name in holders for name in resources}
    if (running, busy) == (state.skills.running, state.robot.resources):
        return state
    return replace(
        state,
        skills=replace(state.skills, running=running),
        robot=replace(state.robot, resources=busy),
    )
