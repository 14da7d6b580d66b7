"""Proposals held to a schema, over the wire of every provider, and how it is learnt."""

from __future__ import annotations

from collections.abc import Callable
import json
from typing import Any

from langchain_core.messages import ToolMessage
from model_protocols import OpenAI, Reply
import model_server as faults
from planner_world import TOOLSETS, next_output
import pytest

from bt_executive.core.executive_ports import (
    Answer,
    Notice,
    PlannerContext,
    PlannerFailure,
    Proposal,
    StreamChunk,
    ToolResult,
)
from bt_executive.planner.context_and_tools_of_local_models import of_own_server
from rover_common.llm.model_source import ModelInfo

pytestmark = pytest.mark.long

PROVIDERS = ('openai', 'azure', 'anthropic', 'ollama')
CALL = json.dumps({'next': {'tool': 'move_forward', 'arguments': {'duration_s': 1}}})
WORDS = json.dumps({'next': {'answer': 'It is done.'}})


def schema_in(body: dict[str, Any]) -> Any:
    """The schema of a request, wherever its protocol has it; None: it has none."""
    in_openai = body.get('response_format', {}).get('json_schema', {}).get('schema')
    in_anthropic = body.get('output_config', {}).get('format', {}).get('schema')
    return in_openai or in_anthropic or body.get('format')


BARRED = tuple(
    (each, 'Need to close mast: mast_close first') for each in ('move_forward', 'turn_left')
)


@pytest.fixture
def begin(planner_for: Any, server: Any) -> Any:
    """Starts a goal with a model that says these texts in turn."""

    def run(provider: str, *texts: str, **overrides: Any) -> Any:
        said = iter(texts)
        server.mind = lambda _asked: Reply(next(said))
        planner = planner_for(provider, **overrides)
        planner.start('Drive half a metre.', PlannerContext(TOOLSETS['B']))
        return planner

    return run


def told(planner: Any) -> list[str]:
    return [each.sentence for each in planner.news() if isinstance(each, Notice)]


@pytest.mark.parametrize('streaming', [True, False])
@pytest.mark.parametrize('provider', PROVIDERS)
def test_a_goal_by_answers_that_keep_to_a_schema(
    begin: Any, server: Any, provider: str, streaming: bool
) -> None:
    planner = begin(
        provider, CALL, WORDS, planner__constrained='always', agent__streaming=streaming
    )
    proposal = next_output(planner)
    assert isinstance(proposal, Proposal)
    assert (proposal.tool, proposal.arguments) == ('move_forward', {'duration_s': 1})
    planner.give(ToolResult(True))
    assert next_output(planner) == Answer('It is done.')
    for body in server.bodies:
        assert schema_in(body)['properties']['next']['anyOf']
        assert not body.get('tools')
    assert 'Result of move_forward: {"ok":true}' in str(server.asked[1].messages[-1].content)
    assert not any(isinstance(each, ToolMessage) for each in server.asked[1].messages)
    heard = [each for each in planner.news() if isinstance(each, StreamChunk)]
    assert [each.kind for each in heard if each.kind != 'end'] in ([], ['text'], ['call', 'text'])


@pytest.mark.parametrize('constrained', ['always', 'never'])
@pytest.mark.parametrize('provider', PROVIDERS)
def test_what_guards_refuse_now_is_a_line_and_no_tool(
    planner_for: Any, server: Any, provider: str, constrained: str
) -> None:
    words = WORDS if constrained == 'always' else 'It is done.'
    said = iter([CALL, words] if constrained == 'always' else [words])
    server.mind = lambda _asked: Reply(next(said))
    planner = planner_for(provider, planner__constrained=constrained)
    planner.start('Drive.', PlannerContext(TOOLSETS['B'], barred=BARRED))
    output = next_output(planner)
    offered = json.dumps(schema_in(server.bodies[0]) or server.bodies[0]['tools'])
    assert ('move_forward' in offered, 'mast_close' in offered) == (False, True)
    line = 'Not offered now: move_forward, turn_left (Need to close mast: mast_close first).'
    assert line in str(server.asked[0].messages[0].content)
    if constrained == 'always':
        assert isinstance(output, Proposal)  # the tree refuses it
        planner.give(ToolResult(True))
        output = next_output(planner)
        assert 'move_forward' in json.dumps(schema_in(server.bodies[1]))
        assert 'Not offered' not in str(server.asked[1].messages[0].content)
    assert output == Answer('It is done.')


@pytest.mark.parametrize('end', ['length', 'content_filter', 'error'])
def test_a_call_runs_only_if_the_message_ended_as_one(begin: Any, server: Any, end: str) -> None:
    chunk = OpenAI()._chunk
    server.faults.append(faults.pours(chunk({'content': CALL}), chunk({}, end)))
    planner = begin('openai', WORDS, CALL, planner__constrained='always')
    output = next_output(planner)
    if end == 'content_filter':
        assert isinstance(output, PlannerFailure)
    else:
        assert isinstance(output, Proposal)
        assert len(server.asked) == 2  # the first was asked for again


def test_half_a_stream_is_the_providers_fault(begin: Any, server: Any) -> None:
    chunk = OpenAI()._chunk
    server.faults.append(faults.pours(chunk({'content': CALL[:30]})))
    planner = begin('openai', CALL, CALL, planner__constrained='always')
    assert isinstance(next_output(planner), Proposal)
    assert any('broke off half way' in each for each in told(planner))


@pytest.mark.parametrize('provider', ['openai', 'ollama'])
def test_auto_tries_the_schema_where_a_model_only_talks(
    begin: Any, server: Any, provider: str
) -> None:
    planner = begin(provider, 'Sure!', CALL, CALL, planner__constrained='auto')
    assert isinstance(next_output(planner), Proposal)
    assert [schema_in(each) is not None for each in server.bodies] == [False, True]
    assert any(
        'answered in words' in each and 'held to a schema' in each for each in told(planner)
    )
    planner.give(ToolResult(True))
    assert isinstance(next_output(planner), Proposal)
    assert schema_in(server.bodies[2]) is not None  # from now on


@pytest.mark.parametrize('second', ['Sure, sure!', WORDS])
def test_words_that_are_an_answer_stay_one(begin: Any, server: Any, second: str) -> None:
    planner = begin('openai', 'Hello.', second, planner__constrained='auto')
    assert next_output(planner) == Answer('Hello.')
    assert any('did not keep to it' in each for each in told(planner)) is (second != WORDS)


def test_auto_learns_from_calls_as_text(begin: Any, server: Any) -> None:
    text = '{"name": "move_forward", "arguments": {}}'
    planner = begin('openai', text, text, CALL, planner__constrained='auto')
    assert isinstance(next_output(planner), Proposal)
    assert [schema_in(each) is not None for each in server.bodies] == [False, False, True]


def test_auto_learns_that_a_server_refuses_tools(begin: Any, server: Any) -> None:
    server.faults.append(faults.refuses(400, '"auto" tool choice requires another option'))
    planner = begin('openai', WORDS, CALL, planner__constrained='auto')
    assert isinstance(next_output(planner), Proposal)
    assert any('refuses tools' in each for each in told(planner))


@pytest.mark.parametrize('setting', ['auto', 'always'])
def test_a_server_that_refuses_schemas(begin: Any, server: Any, setting: str) -> None:
    """First the limits are left out, then `auto` goes back to tool calls, and `always` ends."""

    def act(handler: Any, protocol: Any, reply: Any) -> None:
        refuse = faults.refuses(400, 'response_format is not supported')
        held = schema_in(server.bodies[-1]) is not None
        (refuse if held else faults.says(reply))(handler, protocol, reply)

    server.always = act
    server.listing = lambda handler, *_: handler.answer(
        {
            'data': [{'id': 'test-model'}],
            'chat_template_caps': {'supports_tool_calls': False},
        }
    )
    planner = begin('openai', *['It stands.'] * 4, planner__constrained=setting)
    output = next_output(planner)
    held = [schema_in(each) for each in server.bodies if schema_in(each)]
    assert 'maximum' in json.dumps(held[0])
    assert 'maximum' not in json.dumps(held[1])
    assert isinstance(output, Answer if setting == 'auto' else PlannerFailure)
    assert 'refuses' in f'{output}{told(planner)}'


LISTS: dict[str, tuple[dict[str, Any], dict[str, Any], tuple[Any, Any]]] = {
    'llama.cpp': (
        {'data': [{'id': 'a.gguf', 'meta': {'n_ctx_train': 8192, 'n_ctx': 4096}}]},
        {
            'default_generation_settings': {'n_ctx': 4096},
            'chat_template_caps': {'supports_tools': False, 'supports_tool_calls': False},
        },
        (False, 4096),
    ),
    'vLLM': ({'data': [{'id': 'm', 'max_model_len': 32768}]}, {}, (None, 32768)),
    'LM Studio': ({'data': [{'id': 'm', 'object': 'model'}]}, {}, (None, None)),
    'strange': (
        {'data': ['m', {'id': 'm', 'meta': 3, 'max_model_len': True}]},
        {'chat_template_caps': [], 'default_generation_settings': {'n_ctx': '8'}},
        (None, None),
    ),
}


@pytest.mark.parametrize('server_kind', LISTS)
def test_what_the_lists_of_servers_say(server_kind: str) -> None:
    listed, props, expected = LISTS[server_kind]
    found = of_own_server(listed, props, 'm', ModelInfo('x'))
    assert (found.calls_tools, found.window) == expected


def test_a_model_of_ollama_without_tools_is_held(
    begin: Any, server: Any, config_for: Callable[..., Any]
) -> None:
    name = faults.NO_TOOLS
    planner = begin('ollama', CALL, planner__constrained='auto', planner__model=name)
    assert isinstance(next_output(planner), Proposal)
    assert len(server.bodies) == 1
    assert any('its template has no tool calls' in each for each in told(planner))
