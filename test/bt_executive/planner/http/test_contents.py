"""What a model may say over the wire, however wrong: it is proposed or refused, and goes on."""

from __future__ import annotations

import json
from typing import Any

from known import known
from langchain_core.messages import ToolMessage
from model_protocols import Reply
import model_server as faults
from model_server import ModelServer
from planner_world import TOOLSETS, next_output
import pytest

from bt_executive.core.executive_ports import (
    Answer,
    Planner,
    PlannerContext,
    Proposal,
    ToolResult,
)
from bt_executive.planner.model_message_reading import ONE_AT_A_TIME
from rover_common.llm.model_errors import UNREADABLE

pytestmark = pytest.mark.long

# Of time: a busy machine may be slow with 20,000 letters in pieces.
ROOMY = {'connect_s': 120.0, 'silence_s': 120.0, 'whole_s': 120.0, 'max_bytes': 2_000_000}
GOAL = 'What is your status?'
REFUSED = ToolResult(False, 'refused by the tree')
UNREADABLE_ARGUMENTS = {  # all kinds: test_model_message_reading.py
    'list': '[1, 2]',
    'very deep': '{"duration_s": ' + '[' * 20_000 + ']' * 20_000 + '}',
    'nothing': '',
    'a name twice': '{"duration_s": 1, "duration_s": 25}',
}


def hint_after(
    reply: Reply, planner: Planner, server: ModelServer, toolsets: Any, output_of: Any
) -> bool:
    """Whether the model was told, with the next try, that its message could not be read."""
    server.faults.append(faults.says(reply))
    planner.start(GOAL, PlannerContext(toolsets['B']))
    assert output_of(planner).tool == 'get_status'
    return UNREADABLE in server.asked[-1].messages[0].content


def result_after(
    reply: Reply, planner: Planner, server: ModelServer, toolsets: Any, output_of: Any
) -> tuple[dict[str, Any], Proposal | None]:
    """The result that the model was told for `reply`, and the proposal if there was one."""
    server.faults.append(faults.says(reply))
    planner.start(GOAL, PlannerContext(toolsets['B']))
    proposal, output = None, output_of(planner)
    if isinstance(output, Proposal) and output.tool != 'get_status':
        proposal = output
        planner.give(ToolResult(False, output.fault) if output.fault else REFUSED)
        output = output_of(planner)
    assert isinstance(output, (Proposal, Answer)), output
    results = [each for each in server.asked[-1].messages if isinstance(each, ToolMessage)]
    return json.loads(str(results[0].content)), proposal


@pytest.mark.parametrize(
    ('provider', 'streaming'),
    [('openai', True), ('openai', False), ('anthropic', True)],  # others send objects, not text
)
@pytest.mark.parametrize('arguments', UNREADABLE_ARGUMENTS)
def test_unreadable_arguments_are_refused_with_help(
    planner_for: Any, server: Any, provider: str, arguments: Any, streaming: bool
) -> None:
    reply = Reply('Off I go.', (('c1', 'turn_left', UNREADABLE_ARGUMENTS[arguments]),))
    planner = planner_for(provider, agent__streaming=streaming, planner__request=ROOMY)
    if provider == 'openai' and not streaming and arguments == 'list':
        assert hint_after(reply, planner, server, TOOLSETS, next_output)  # the library rejects it
        return
    result, proposal = result_after(reply, planner, server, TOOLSETS, next_output)
    assert known(proposal).fault
    assert known(proposal).arguments == {}
    assert result['ok'] is False
    assert 'The arguments of turn_left' in result['error_reason']


@pytest.mark.parametrize('provider', ['openai', 'anthropic', 'ollama'])
def test_readable_arguments_go_to_the_tree_by_any_name(
    planner_for: Any, server: Any, provider: str
) -> None:
    reply = Reply('Off I go.', (('c1', '明', '{"duration_s": "\\u0000", "speed": 9}'),))
    result, proposal = result_after(reply, planner_for(provider), server, TOOLSETS, next_output)
    assert known(proposal).tool == '明'
    assert known(proposal).arguments == {'duration_s': '\0', 'speed': 9}
    assert result == {'ok': False, 'error_reason': REFUSED.error_reason}


@pytest.mark.parametrize('provider', ['openai', 'anthropic', 'ollama'])
def test_of_several_calls_the_first_is_taken(planner_for: Any, server: Any, provider: str) -> None:
    calls = tuple((f'c{number}', 'mast_close', '{}') for number in range(20))
    planner = planner_for(provider)
    result, _ = result_after(Reply('All!', calls), planner, server, TOOLSETS, next_output)
    assert result == {'ok': False, 'error_reason': REFUSED.error_reason}
    results = [each for each in server.asked[-1].messages if isinstance(each, ToolMessage)]
    assert len(results) == 20
    assert all(ONE_AT_A_TIME in each.content for each in results[1:])
