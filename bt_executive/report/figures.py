"""The figures of a goal and of the whole run: titles and words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bt_executive.report.model import GoalReport, Recording
from bt_executive.report.wording import duration, figure, moment

Figure = tuple[str, str]


def goal_figures(goal: GoalReport, recording: Recording) -> list[Figure]:
    """What a goal came to. Counted from the trace where the goal had no end."""
    told = goal.summary
    refused = sum(step.verdict == 'refused' for step in goal.steps)
    model = told.get('model')
    return [
        ('Duration', duration(goal.ended - goal.began)),
        *_wall_time(goal),
        ('Tools asked for', figure(told.get('steps', len(goal.steps)), '.0f')),
        ('of which refused', figure(told.get('refusals', refused), '.0f')),
        ('Distance', figure(told.get('distance_m'), '.2f', ' m')),
        ('Score', _scores(goal)),
        ('Battery', _battery(goal, recording)),
        *_model_use(model if isinstance(model, dict) else {}),
    ]


def run_facts(recording: Recording, goals: Sequence[GoalReport]) -> list[Figure]:
    """What the whole run was."""
    events = recording.events
    facts = [
        ('Began', moment(events[0].ts)),
        ('Duration', duration(events[-1].ts - events[0].ts)),
        ('Goals', f'{len(goals)}, of which reached: {_reached(goals)}'),
        ('Events', str(len(events))),
    ]
    if len(recording.lives) > 1:
        facts.append(('Executive started', f'{len(recording.lives)} times'))
    config = recording.config
    if config is not None:
        planner = config.executive.planner
        facts += [
            ('Planner', ' '.join(part for part in (planner.provider, planner.model) if part)),
            ('Variant', config.executive.variant),
            ('World', config.world.name),
        ]
    return facts


def _reached(goals: Sequence[GoalReport]) -> int:
    return sum(goal.outcome == 'reached' for goal in goals)


def _scores(goal: GoalReport) -> str:
    scores = [step.score for step in goal.steps if step.score is not None]
    if not scores:
        return '–'
    return f'{scores[0]:.2f} → {scores[-1]:.2f}, best {max(scores):.2f}'


def _battery(goal: GoalReport, recording: Recording) -> str:
    charges = [each.percent for each in recording.charges if goal.covers(each.ts)]
    return f'{charges[0]:.1f} → {charges[-1]:.1f} %' if charges else '–'


def _wall_time(goal: GoalReport) -> list[Figure]:
    """Where the robot's time passed faster or slower than that of the operator."""
    wall, robot = goal.summary.get('wall_s'), goal.ended - goal.began
    if not isinstance(wall, (int, float)) or abs(wall - robot) <= max(1.0, 0.1 * robot):
        return []
    return [('by the wall clock', duration(wall))]


def _model_use(use: Mapping[str, Any]) -> list[Figure]:
    if not use.get('calls'):
        return []
    figures = [('Model calls', figure(use.get('calls'), '.0f'))]
    if use.get('input_tokens'):
        tokens = (
            f'{figure(use["input_tokens"], ",")} in, {figure(use.get("output_tokens"), ",")} out'
        )
        figures.append(('Tokens', tokens))
    if use.get('cost_usd'):
        figures.append(('Cost', figure(use['cost_usd'], '.4f', ' USD')))
    return figures
