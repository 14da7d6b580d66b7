"""Every provider's own client library, through ROSA, over HTTP."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

from model_server import half_stream
from odd_usage import each_odd
from planner_world import TOOLSETS, LightWorld, next_output, pursue
import pytest
from waiting import wait_until

from bt_executive.core.executive_ports import (
    Notice,
    PlannerContext,
    PlannerFailure,
    Proposal,
    StreamChunk,
    ToolResult,
)
from rover_common.config.load import load_config

pytestmark = pytest.mark.long

PROVIDERS = ('openai', 'azure', 'anthropic', 'ollama')
GOAL = load_config().prompts.templates['demo_ground_texture'].text


@pytest.mark.parametrize('streaming', [True, False], ids=['streaming', 'at once'])
@pytest.mark.parametrize('provider', PROVIDERS)
def test_the_search_for_light_runs_through_every_provider(
    planner_for: Any, provider: Any, streaming: bool
) -> None:
    planner = planner_for(provider, agent__streaming=streaming)
    world = LightWorld(x_good=4.0)
    answer = pursue(planner, GOAL, world, TOOLSETS['B'])
    assert world.score >= 0.8
    assert 'coarse' in answer
    assert ('move_nudge', 'Need to close mast') in world.refusals
    use = planner.use()
    assert use.calls == len(world.log) + 1
    assert (use.input_tokens, use.output_tokens) == (1200 * use.calls, 34 * use.calls)


@pytest.mark.parametrize('provider', PROVIDERS)
def test_the_server_sees_prompt_goal_and_palette(
    planner_for: Any, server: Any, provider: Any
) -> None:
    planner = planner_for(provider)
    planner.start('What is your status?', PlannerContext(TOOLSETS['B']))
    next_output(planner)
    asked = server.asked[0]
    assert 'exploration rover' in asked.messages[0].content
    assert [each.type for each in asked.messages] == ['system', 'human']
    assert asked.messages[1].content == 'What is your status?'
    names = [tool['function']['name'] for tool in asked.tools]
    assert names == [offer.name for offer in TOOLSETS['B']]
    assert asked.stream


@pytest.mark.parametrize('provider', PROVIDERS)
def test_a_parked_goal_goes_on_where_it_was(planner_for: Any, server: Any, provider: Any) -> None:
    planner = planner_for(provider)
    done = Proposal('x', 'get_status', {}, 'I asked before.')
    history = ((done, ToolResult(True, data={'rover_x': 1.5, 'mast_is_open': False})),)
    planner.start('What is your status?', PlannerContext(TOOLSETS['B'], history=history))
    assert 'rover x 1.5' in next_output(planner).text
    assert [each.type for each in server.asked[0].messages] == ['system', 'human', 'ai', 'tool']


@pytest.mark.parametrize('provider', PROVIDERS)
def test_words_come_while_they_are_spoken(planner_for: Any, provider: Any) -> None:
    planner = planner_for(provider)
    planner.start('What is your status?', PlannerContext(TOOLSETS['B']))
    proposal = next_output(planner)
    news = planner.news()
    said = ''.join(each.text for each in news if each.kind == 'text')
    called = ''.join(each.text for each in news if each.kind == 'call')
    assert said == proposal.thought
    assert called.startswith('get_status')
    assert sum(each.kind == 'text' for each in news) > 3
    assert news[-1] == StreamChunk('end')


def test_cost_is_told_where_a_price_is_known(planner_for: Any) -> None:
    price = {'input_usd': 2.0, 'output_usd': 10.0}
    planner = planner_for('openai', planner__price_per_million=price)
    pursue(planner, 'What is your status?', LightWorld(), TOOLSETS['B'])
    assert planner.use().cost_usd == pytest.approx(2 * (1200 * 2.0 + 34 * 10.0) / 1e6)


def test_the_goals_tokens_are_bounded(planner_for: Any) -> None:
    planner = planner_for('openai', planner__max_goal_tokens=1000)
    planner.start('What is your status?', PlannerContext(TOOLSETS['B']))
    assert isinstance(next_output(planner), Proposal)
    planner.give(ToolResult(False, 'Not now'))
    assert 'used up its 1000 tokens' in next_output(planner).reason
    planner.start('What is your status?', PlannerContext(TOOLSETS['B'], tokens_used=1000))
    assert 'used up its 1000 tokens' in next_output(planner).reason


def test_half_a_message_costs_what_came_of_it(planner_for: Any, server: Any) -> None:
    server.always = half_stream
    planner = planner_for('openai', planner__max_goal_tokens=1000)
    planner.start('What is your status?', PlannerContext(TOOLSETS['B'], tokens_used=950))
    assert 'used up its 1000 tokens' in next_output(planner).reason
    assert len(server.asked) == 1


@pytest.mark.parametrize('whole', [False, True], ids=['each count', 'as a whole'])
@pytest.mark.parametrize('streaming', [True, False], ids=['streaming', 'at once'])
@pytest.mark.parametrize('provider', PROVIDERS)
def test_odd_counts_of_tokens_give_nothing_back(
    planner_for: Any, monkeypatch: Any, provider: str, streaming: bool, whole: bool
) -> None:
    """Every odd value is shown at the client: test/common/llm/test_model_usage.py."""
    planner = planner_for(provider, agent__streaming=streaming, planner__max_goal_tokens=1000)
    for odd in islice(each_odd(monkeypatch, whole), 0, None, 6):
        planner.start('What is your status?', PlannerContext(TOOLSETS['B'], tokens_used=950))
        assert isinstance(next_output(planner), Proposal), odd
        planner.give(ToolResult(False, 'Not now'))
        assert 'used up its 1000 tokens' in next_output(planner).reason, odd
        use = planner.use()
        assert (use.input_tokens, use.output_tokens, use.cost_usd) == (0, 0, 0.0), odd


def test_a_run_can_be_played_from_its_record(
    planner_for: Any, server: Any, tmp_path: Path
) -> None:
    record = str(tmp_path / 'record.jsonl')
    live = LightWorld(x_good=4.0)
    answer = pursue(planner_for('anthropic', planner__record=record), GOAL, live, TOOLSETS['B'])
    asked = len(server.asked)
    played = LightWorld(x_good=4.0)
    planner = planner_for('recorded', planner__record=record)
    assert pursue(planner, GOAL, played, TOOLSETS['B']) == answer
    assert played.log == live.log
    assert len(server.asked) == asked
    planner.start(GOAL, PlannerContext(TOOLSETS['B']))
    failure = wait_until(planner.poll, 'the goal ends')
    assert isinstance(failure, PlannerFailure)
    assert 'has nothing more for the goal' in failure.reason


def test_a_record_that_cannot_be_written_ends_no_goal(planner_for: Any, tmp_path: Path) -> None:
    record = tmp_path / 'gone' / 'record.jsonl'
    planner = planner_for('openai', planner__record=str(record))
    record.unlink()
    record.parent.rmdir()
    world = LightWorld(x_good=4.0)
    assert 'coarse' in pursue(planner, GOAL, world, TOOLSETS['B'])
    notices = [each.sentence for each in planner.news() if isinstance(each, Notice)]
    assert notices == [
        'planner.record cannot be written (No such file or directory); it has no more of this '
        'goal.'
    ]


def test_no_key_stands_in_a_record(planner_for: Any, keys: Any, tmp_path: Path) -> None:
    record = tmp_path / 'record.jsonl'
    planner = planner_for('openai', planner__record=str(record))
    planner.start('What is your status?', PlannerContext(TOOLSETS['B']))
    next_output(planner)
    assert keys not in record.read_text(encoding='utf-8')
    assert 'get_status' in record.read_text(encoding='utf-8')
    assert not [each for each in planner.news() if isinstance(each, Notice)]
