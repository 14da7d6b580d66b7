"""The facts about a recorded run for its report: begin, duration, goals, with readable times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
import math

from bt_executive.report.read_and_join_run_folders import Recording
from bt_executive.view.goals_of_a_run import GoalStory
from bt_executive.view.page_data_fields_and_json import config_summary
from bt_executive.view.run_clock import EPOCH_FROM_S
from rover_common.trace_event import TraceEvent


def run_summary(recording: Recording, goals: Sequence[GoalStory]) -> Iterator[tuple[str, str]]:
    """Yield titles and texts about the run, the most important first."""
    events = recording.events
    ends = Counter(goal.outcome for goal in goals)
    outcomes = ('reached', 'answered', 'claimed')
    counts = [f'{ends[outcome]} {outcome}' for outcome in outcomes if ends[outcome]]
    yield 'Began', moment(recording.began)
    yield 'Duration', duration(sum(map(_seconds, recording.processes)))
    yield 'Goals', f'{len(goals)}, of which {", ".join(counts) or "0 reached"}'
    yield 'Events', str(len(events))
    if len(recording.processes) > 1:
        yield 'Executive started', f'{len(recording.processes)} times'
    if recording.config is not None:
        yield from config_summary(recording.config)


def _seconds(process: Sequence[TraceEvent]) -> float:
    """Return the duration of a process in s; the clock may restart with the next one."""
    times = [event.ts for event in process]
    return max(times, default=0.0) - min(times, default=0.0)


def duration(seconds: float) -> str:
    """Format a duration with a readable precision."""
    if not 0.0 <= seconds < math.inf:
        return 'unknown'
    if seconds < 0.95:
        return f'{seconds * 1000:.0f} ms'
    if seconds < 59.95:
        return f'{seconds:.1f} s'
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f'{hours} h {minutes:02d} min' if hours else f'{minutes} min {rest:02d} s'


def moment(ts: float) -> str:
    """Format a ROS time as date and time in UTC, or as seconds of simulated time."""
    if abs(ts) < EPOCH_FROM_S:
        return f'{ts:.1f} s of simulated time'
    try:
        return datetime.fromtimestamp(ts, timezone.utc).strftime('%Y-%m-%d %H:%M:%S UTC')
    except (OverflowError, OSError, ValueError):
        return f'{ts:g} s, which is not a date'
