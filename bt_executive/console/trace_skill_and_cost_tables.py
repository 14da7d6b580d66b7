"""What `:trace`, `:skills`, `:cost` and `:episodes` show, as tables of rich."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from bt_executive.client.callable_tools import variant_tools
from bt_executive.client.front_end_requests import ShowPage
from bt_executive.client.state_text import model_usage
from bt_executive.console.console_view import ViewStore
from bt_executive.console.log_line import log_line
from bt_executive.console.shown_episodes import episodes_page
from bt_executive.core.needs_approval import needs_human
from bt_executive.core.state import BrainState
from bt_executive.core.stop_endpoints import is_stop
from bt_executive.view.run_clock import RunClock, time_of_day
from rover_common.config.settings import Config, Skill
from rover_common.finite_number import finite_number
from rover_common.printable import one_line
from rover_common.trace_event import TraceEvent

COUNTS = ('calls', 'input_tokens', 'output_tokens')
GOAL_CHARACTERS = 120
NOTHING_YET = 'No goal has asked the model yet.'


def page(look: ShowPage, store: ViewStore, config: Config, namespace: str = '/') -> RenderableType:
    """What the operator wants to see. `namespace`: of the robot."""
    run = store.run
    match look.page:
        case 'trace':
            return trace_page(run.current.events, look.count, store.time)
        case 'skills':
            return skills_page(config)
        case 'cost':
            return cost_page([goal.summary for goal in run.story.goals], run.current.state)
        case 'episodes':
            return episodes_page(config, namespace, look.words)


def trace_page(events: Sequence[TraceEvent], count: int, clock: RunClock) -> Table:
    """The latest events, oldest first: seconds of the run, and the time of day."""
    table = _table()
    for event in events[-count:]:
        said = log_line(event)
        table.add_row(
            Text(f'{clock.seconds(event.ts):.1f}s', 'dim'),
            Text(time_of_day(event.ts), 'dim'),
            said.label,
            Text(one_line(said.text), said.style),
        )
    return table


def skills_page(config: Config) -> Table:
    """The tools of this variant: how they are called, what they need, what they do."""
    table, mode = _table(), config.executive.approval.mode
    for name, skill in variant_tools(config).items():
        needs = ', '.join(skill.guards)
        words = Text(skill.description)
        if needs:
            words.append(f'\nneeds {needs}', 'dim')
        if needs_human(mode, config.robot.made_of(name), is_stop(config, skill)):
            words.append('\nasks a human first', 'yellow')
        table.add_row(Text(_call(name, skill), 'bold'), words)
    return table


def cost_page(ended: Sequence[Mapping[str, Any]], state: BrainState | None) -> Table | Text:
    """What the model cost: each goal that asked it, the one under way too, and all together."""
    goals = [
        (str(goal.get('goal', '')), goal['model'])
        for goal in ended
        if isinstance(goal.get('model'), Mapping)
    ]
    if state is not None and state.tasks.active is not None:
        goals.append((f'under way: {state.tasks.active.goal}', model_usage(state)))
    goals = [(goal, use) for goal, use in goals if _number(use, 'calls')]
    if not goals:
        return Text(NOTHING_YET)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style='dim')
    for title in ('calls', 'tokens in', 'out', 'USD'):
        table.add_column(title, justify='right', no_wrap=True)
    table.add_column('goal')
    for goal, use in goals:
        table.add_row(*_use(use), Text(one_line(goal)[:GOAL_CHARACTERS]))
    total = {key: sum(_number(use, key) for _, use in goals) for key in (*COUNTS, 'cost_usd')}
    table.add_row(*_use(total), 'this run', style='bold')
    return table


def _table() -> Table:
    return Table.grid(padding=(0, 2, 0, 0))


def _call(name: str, skill: Skill) -> str:
    return f'{name}({", ".join(skill.args_schema.get("properties", ()))})'


def _use(use: Mapping[str, Any]) -> list[str]:
    counts = [f'{_number(use, key):.0f}' for key in COUNTS]
    return [*counts, f'{_number(use, "cost_usd"):.4f}']


def _number(use: Mapping[str, Any], key: str) -> float:
    return finite_number(use.get(key)) or 0.0
