"""What runs and what it occupies, as the state tells it: spec 3's running skills and resources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from bt_executive.kernel.session_book import SessionBook
from bt_executive.state import BrainState, RunningSkill


def with_what_runs(state: BrainState, book: SessionBook, resources: Iterable[str]) -> BrainState:
    """The state with the book's open sessions and busy resources; itself if they are in it."""
    holders = book.leases.holders
    running = tuple(
        RunningSkill(
            goal_id=session.session_id,
            skill_name=session.label,
            start_time=session.started_at,
            timeout_s=session.timeout_s,
            resources_occupied=_held(holders, session.call_id),
        )
        for session in book.running()
    )
    busy = {f'{name}_busy': name in holders for name in resources}
    if running == state.skills.running and busy == state.robot.resources:
        return state
    return replace(
        state,
        skills=replace(state.skills, running=running),
        robot=replace(state.robot, resources=busy),
    )


def _held(holders: Mapping[str, str], call_id: str) -> tuple[str, ...]:
    return tuple(name for name, holder in holders.items() if holder == call_id)
