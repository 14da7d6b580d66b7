"""What the whole run was: titles and words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bt_executive.report.model import Recording
from bt_executive.report.wording import duration, moment
from bt_executive.stage.goal_story import GoalStory


def run_facts(recording: Recording, goals: Sequence[GoalStory]) -> Iterator[tuple[str, str]]:
    """The facts, the most asked for first."""
    events = recording.events
    reached = sum(goal.outcome == 'reached' for goal in goals)
    yield 'Began', moment(events[0].ts)
    yield 'Duration', duration(events[-1].ts - events[0].ts)
    yield 'Goals', f'{len(goals)}, of which reached: {reached}'
    yield 'Events', str(len(events))
    if len(recording.lives) > 1:
        yield 'Executive started', f'{len(recording.lives)} times'
    config = recording.config
    if config is not None:
        planner = config.executive.planner
        yield 'Planner', ' '.join(part for part in (planner.provider, planner.model) if part)
        yield 'Variant', config.executive.variant
        yield 'World', config.world.name
