"""The tables of `:trace`, `:skills`, `:cost` and `:episodes`, and of `bt-executive episodes`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime
import math
import os
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from bt_executive.client.callable_tools import variant_tools
from bt_executive.client.front_end_requests import ShowPage
from bt_executive.client.state_and_approval_text import model_usage
from bt_executive.console.console_event_loop_and_queue import ViewStore
from bt_executive.console.log_line import log_line
from bt_executive.core.approval_and_breakpoint_rules import needs_human, skills_called
from bt_executive.core.state import BrainState
from bt_executive.core.stop_endpoints import is_stop
from bt_executive.view.run_clock import RunClock, time_of_day
from rover_common.config.settings import Config, Skill
from rover_common.errors import EpisodesError, UsageError
from rover_common.json_values import finite_number
from rover_common.text_sanitizing import one_line
from rover_common.trace_event import TraceEvent
from rover_vision.episodes.episode_store import Episode, EpisodeReader, Origin
from rover_vision.vision_folder import vision_folder

EPISODES_SHOWN = 10  # at the console
EPISODE_CHARACTERS = 200
DONE = 0


def print_episodes(folder: Path, words: str, last: int, number: int) -> int:
    """Prints the latest episodes with these words, or the whole one of a number other than 0.

    Returns the exit code.

    Raises:
        EpisodesError: There are no episodes, or they cannot be read.
        UsageError: There is no episode of that number.
    """
    console = Console(highlight=False)
    with closing(EpisodeReader(folder)) as reader:
        if number:
            episode = reader.one(number)
            if episode is None:
                raise UsageError(f'There is no episode {number}.')
            console.print(_whole_episode(episode, reader), soft_wrap=True)
        else:
            found = reader.search(words, last)
            console.print(_episode_table(found, words), soft_wrap=not console.is_terminal)
    return DONE


def episodes_page(config: Config, namespace: str, words: str) -> RenderableType:
    """Return a table of the latest episodes, or of those with these words."""
    try:
        with closing(EpisodeReader(vision_folder(config, os.environ, namespace))) as reader:
            return _episode_table(reader.search(words, EPISODES_SHOWN), words)
    except EpisodesError as error:
        return Text(str(error))


def _episode_table(episodes: Sequence[Episode], words: str) -> RenderableType:
    if not episodes:
        return Text(f'No episode has the words {words!r:.80}.' if words else 'No episodes yet.')
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 0))
    for episode in reversed(episodes):
        question = f'“{one_line(episode.question)}” ' if episode.question else ''
        answer = one_line(episode.answer) or _why_no_answer(episode)
        table.add_row(
            Text(str(episode.number), 'dim'),
            Text(f'{datetime.fromtimestamp(episode.system_s):%m-%d %H:%M:%S}', 'dim'),
            Text(episode.origin, 'cyan'),
            Text(f'{question}{answer}'[:EPISODE_CHARACTERS]),
            Text(_where(episode), 'dim'),
        )
    return table


def _why_no_answer(episode: Episode) -> str:
    """Return why nothing was said of a picture; a client may leave before the answer."""
    return '(came too late)' if episode.origin == Origin.LATE.value else '(no answer)'


def _whole_episode(episode: Episode, reader: EpisodeReader) -> Text:
    when = datetime.fromtimestamp(episode.system_s)
    lines = {
        'episode': f'{episode.number} ({episode.origin})',
        'when': f'{when:%Y-%m-%d %H:%M:%S}',
        'looked at': f'{episode.looked_at}, shown by {episode.client_id}',
        'asked by': episode.asked_by,
        'question': episode.question,
        'answer': episode.answer,
        'measured': ', '.join(f'{key} {value}' for key, value in episode.measured.items()),
        'window': ', '.join(episode.context.values()),
        'place': _where(episode),
        'memory': ', '.join(_remembered(episode)),
        'picture': str(reader.picture_path(episode)) if episode.picture else 'not kept any more',
    }
    return Text('\n'.join(f'{key:<10}{one_line(value)}' for key, value in lines.items() if value))


def _where(episode: Episode) -> str:
    """Return the pose of the rover; empty if it is unknown."""
    place = episode.place
    if not place:
        return ''
    return f'x {place["x"]:.1f}, y {place["y"]:.1f} m, {math.degrees(place["yaw"]):.0f}°'


def _remembered(episode: Episode) -> Iterator[str]:
    """Yield the remembered places in that direction, with their ids."""
    for place in episode.place.get('remembered', ()):
        yield f'{place["name"]} at {place["away_m"]:.1f} m ({place["place_id"]})'


COUNTS = ('calls', 'input_tokens', 'output_tokens')
GOAL_CHARACTERS = 120
NOTHING_YET = 'No goal has asked the model yet.'


def page(
    request: ShowPage, store: ViewStore, config: Config, namespace: str = '/'
) -> RenderableType:
    """What the operator wants to see. `namespace`: of the robot."""
    run = store.run
    match request.page:
        case 'trace':
            return trace_page(run.current.events, request.count, store.time)
        case 'skills':
            return skills_page(config)
        case 'cost':
            return cost_page([goal.summary for goal in run.story.goals], run.current.state)
        case 'episodes':
            return episodes_page(config, namespace, request.words)


def trace_page(events: Sequence[TraceEvent], count: int, clock: RunClock) -> Table:
    """Return the latest events, oldest first, with seconds of the run and time of day."""
    table = _table()
    for event in events[-count:]:
        line = log_line(event)
        table.add_row(
            Text(f'{clock.seconds(event.ts):.1f}s', 'dim'),
            Text(time_of_day(event.ts), 'dim'),
            line.label,
            Text(one_line(line.text), line.style),
        )
    return table


def skills_page(config: Config) -> Table:
    """Return the tools of the variant with their descriptions, guards and approvals."""
    table, mode = _table(), config.executive.approval.mode
    for name, skill in variant_tools(config).items():
        guards = ', '.join(skill.guards)
        text = Text(skill.description)
        if guards:
            text.append(f'\nneeds {guards}', 'dim')
        if needs_human(mode, skills_called(config, name), is_stop(config, skill)):
            text.append('\nasks a human first', 'yellow')
        table.add_row(Text(_call(name, skill), 'bold'), text)
    return table


def cost_page(summaries: Sequence[Mapping[str, Any]], state: BrainState | None) -> Table | Text:
    """Return the model's usage of each goal that called it, the active one too, and the sum."""
    goals = [
        (str(summary.get('goal', '')), summary['model'])
        for summary in summaries
        if isinstance(summary.get('model'), Mapping)
    ]
    if state is not None and state.tasks.active is not None:
        goals.append((f'under way: {state.tasks.active.goal}', model_usage(state)))
    goals = [(goal, usage) for goal, usage in goals if _number(usage, 'calls')]
    if not goals:
        return Text(NOTHING_YET)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style='dim')
    for title in ('calls', 'tokens in', 'out', 'USD'):
        table.add_column(title, justify='right', no_wrap=True)
    table.add_column('goal')
    for goal, usage in goals:
        table.add_row(*_usage_cells(usage), Text(one_line(goal)[:GOAL_CHARACTERS]))
    total = {key: sum(_number(usage, key) for _, usage in goals) for key in (*COUNTS, 'cost_usd')}
    table.add_row(*_usage_cells(total), 'this run', style='bold')
    return table


def _table() -> Table:
    return Table.grid(padding=(0, 2, 0, 0))


def _call(name: str, skill: Skill) -> str:
    return f'{name}({", ".join(skill.args_schema.get("properties", ()))})'


def _usage_cells(usage: Mapping[str, Any]) -> list[str]:
    counts = [f'{_number(usage, key):.0f}' for key in COUNTS]
    return [*counts, f'{_number(usage, "cost_usd"):.4f}']


def _number(usage: Mapping[str, Any], key: str) -> float:
    return finite_number(usage.get(key)) or 0.0
