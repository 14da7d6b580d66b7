"""The tables of the console's pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
import io
import os
from pathlib import Path
from typing import Any

from console_views import DRIVING, DRIVING_STATE, run_of
import pytest
from rich.console import Console

from bt_executive.client.front_end_requests import ShowPage
from bt_executive.console.console_event_loop_and_queue import ViewStore
from bt_executive.console.console_output import Display
from bt_executive.console.trace_skill_cost_and_episode_tables import page
from bt_executive.core.state import TraceState
from bt_executive.view.current_presence_events_and_scores import CurrentView
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.trace_event import TraceEvent
from rover_vision.episodes.episode_store import EpisodeStore, NewEpisode, Origin
from rover_vision.look_request_and_result import Picture, PictureSet
from rover_vision.vision_folder import vision_folder

USE = {'calls': 3, 'input_tokens': 3600, 'output_tokens': 100, 'cost_usd': 0.0123}


def shown(
    request: ShowPage,
    view: CurrentView,
    width: int = 80,
    terminal: bool = True,
    config: Config | None = None,
    summaries: Sequence[Mapping[str, Any]] = (),
) -> str:
    paper = io.StringIO()
    console = Console(file=paper, width=width, force_terminal=terminal, color_system=None)
    config = config or load_config()
    store = ViewStore(lambda: 0.0, config, lambda: 1.0)
    store.run = run_of(view, summaries)
    Display(console, store.time, lambda request: page(request, store, config)).show_page(request)
    return paper.getvalue()


def events(count: int) -> tuple[TraceEvent, ...]:
    return tuple(
        TraceEvent(f'{number}', float(number), 'OBSERVE', f'event {number}\x1b[2J')
        for number in range(count)
    )


def test_a_trace_has_the_latest_events_oldest_first() -> None:
    lines = shown(ShowPage('trace', 2), CurrentView(events=events(5))).splitlines()
    assert [line.rstrip() for line in lines] == [
        '2.0s    sees  event 3�[2J',
        '3.0s    sees  event 4�[2J',
    ]


def test_a_time_of_day_is_shown_as_one() -> None:
    event = TraceEvent('1', 1_795_202_196.2, 'OBSERVE', 'bright')
    assert shown(ShowPage('trace'), CurrentView(events=(event,))).split()[1].count(':') == 2


def test_a_time_that_is_no_date_is_shown_in_seconds() -> None:
    event = TraceEvent('1', 1_795_202_196_200.0, 'OBSERVE', 'counted in milliseconds')
    assert shown(ShowPage('trace'), CurrentView(events=(event,))).split()[:2] == [
        '1795202196199.0s',
        'sees',
    ]


def test_into_a_pipe_an_event_is_one_line() -> None:
    event = TraceEvent('1', 1.0, 'HYPOTHESIZE', 'a long thought ' * 50)
    assert shown(ShowPage('trace'), CurrentView(events=(event,)), terminal=False).count('\n') == 1


@pytest.mark.parametrize('variant', ['A', 'B'])
def test_the_tools_of_the_variant_and_what_they_need(variant: str) -> None:
    text = shown(
        ShowPage('skills'), CurrentView(), config=load_config(overrides=[f'variant={variant}'])
    )
    assert 'capture_and_score()' in text
    assert ('mast_close()' in text) == (variant == 'B')
    assert 'needs adapter_alive, standing_still' in text


def test_a_tool_in_steps_says_that_a_human_is_asked_for_one_of_them() -> None:
    config = load_config(overrides=['tools.navigate_to.approve=true'])
    text = shown(ShowPage('skills'), CurrentView(), config=config)
    assert text.count('asks a human first') == 2


def test_what_each_goal_and_the_run_have_cost() -> None:
    ended = (
        {'goal': '地面を調べて', 'model': USE},
        {'goal': 'x' * 500, 'model': USE},
        {'goal': '?'},
    )
    lines = shown(ShowPage('cost'), CurrentView(), summaries=ended).splitlines()
    assert lines[0].split() == ['calls', 'tokens', 'in', 'out', 'USD', 'goal']
    assert lines[1].split() == ['3', '3600', '100', '0.0123', '地面を調べて']
    assert lines[-1].split() == ['6', '7200', '200', '0.0246', 'this', 'run']


def test_before_the_first_end_there_is_no_cost() -> None:
    assert 'No goal has asked the model yet' in shown(ShowPage('cost'), DRIVING)


def test_the_goal_under_way_counts_too() -> None:
    state = replace(DRIVING_STATE, trace=TraceState(metrics={'model': USE}))
    lines = shown(ShowPage('cost'), replace(DRIVING, state=state)).splitlines()
    assert lines[1].split()[:6] == ['3', '3600', '100', '0.0123', 'under', 'way:']
    assert lines[-1].split()[0] == '3'


def test_broken_summaries_and_tools_by_hand_count_nothing() -> None:
    ended: tuple[dict[str, Any], ...] = (
        {'goal': 4, 'model': {'calls': 2, 'cost_usd': None, 'input_tokens': 10**400}},
        {'model': 3},
        {'model': {}},
    )
    assert (
        shown(ShowPage('cost'), CurrentView(), summaries=ended).splitlines()[-1].split()[0] == '2'
    )
    assert len(shown(ShowPage('cost'), CurrentView(), summaries=ended).splitlines()) == 3


def test_a_damaged_episode_is_a_line_and_not_the_end(tmp_path: Path) -> None:
    config = load_config(None, [f'vision.folder={tmp_path}'])
    folder = vision_folder(config, os.environ, '/')
    folder.mkdir(parents=True, exist_ok=True)
    store = EpisodeStore(folder, config.vision.episodes)
    seen = PictureSet('rover', (Picture(b'', 'png', 1, 1),))
    store.add(NewEpisode(seen, Origin.CHAT, 'camera', system_s=1e20))
    store.close()
    assert 'Episode 1 in' in shown(ShowPage('episodes'), DRIVING, config=config)


def test_an_episode_without_an_answer_says_why(tmp_path: Path) -> None:
    """Each was said to have come too late, also of a chat that its client had left."""
    config = load_config(None, [f'vision.folder={tmp_path}'])
    store = EpisodeStore(tmp_path, config.vision.episodes)
    seen = PictureSet('rover', (Picture(b'', 'png', 1, 1),))
    store.add(NewEpisode(seen, Origin.CHAT, 'camera', question='Rocks?'))
    store.add(NewEpisode(seen, Origin.LATE, 'camera'))
    store.close()
    chat, late = shown(ShowPage('episodes'), DRIVING, config=config).strip().splitlines()[-2:]
    assert '“Rocks?” (no answer)' in chat
    assert '(came too late)' in late
