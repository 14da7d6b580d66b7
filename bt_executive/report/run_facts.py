"""What the whole run was: titles and words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from bt_executive.report.report_model import Recording
from bt_executive.report.report_sentences import duration, moment
from bt_executive.view.goal_story import GoalStory
from rover_common.trace_event import TraceEvent


def run_facts(recording: Recording, goals: Sequence[GoalStory]) -> Iterator[tuple[str, str]]:
    """The facts, the most asked for first."""
    events = recording.events
    ends = Counter(goal.outcome for goal in goals)
    told = [f'{ends[each]} {each}' for each in ('reached', 'answered', 'claimed') if ends[each]]
    yield 'Began', moment(recording.began)
    yield 'Duration', duration(sum(map(_seconds, recording.processes)))
    yield 'Goals', f'{len(goals)}, of which {", ".join(told) or "0 reached"}'
    yield 'Events', str(len(events))
    if len(recording.processes) > 1:
        yield 'Executive started', f'{len(recording.processes)} times'
    config = recording.config
    if config is not None:
        planner = config.executive.planner
        yield 'Planner', ' '.join(part for part in (planner.provider, planner.model) if part)
        yield 'Variant', config.executive.variant
        if config.has_world:
            yield 'World', config.world.name


def _seconds(process: Sequence[TraceEvent]) -> float:
    """How long a process of the executive was; its clock may begin anew with the next one."""
    times = [event.ts for event in process]
    return max(times, default=0.0) - min(times, default=0.0)
