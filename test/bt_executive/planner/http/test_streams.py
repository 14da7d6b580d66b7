"""Half a message is none: streams over the real wire, in every provider's own protocol."""

from __future__ import annotations

from collections.abc import Callable
import json
from typing import Any

from model_protocols import Anthropic, Ollama, OpenAI, Reply, event, line
import model_server as faults
from planner_world import TOOLSETS, next_output
import pytest

from bt_executive.core.executive_ports import Answer, Notice, PlannerContext, Proposal

pytestmark = pytest.mark.long

OPENAI, ANTHROPIC, OLLAMA = OpenAI(), Anthropic(), Ollama()
GOAL = 'Drive half a metre.'
EXACT = {'duration_s': 1}
REST = ('{"dur', 'ation_s"', ':1}')
PROVIDERS = ('openai', 'azure', 'anthropic', 'ollama')
Outcome = tuple[Any, list[str], Any]


@pytest.fixture
def outcome(planner_for: Any, server: Any) -> Callable[..., Outcome]:
    """What came of an answer: the first output, the notices, and what was asked afterwards."""

    def run(provider: str, *acts: faults.Fault, **overrides: Any) -> Outcome:
        server.mind = lambda _asked: Reply('Nothing was driven.')
        server.faults.extend(acts)
        planner = planner_for(provider, **overrides)
        planner.start(GOAL, PlannerContext(TOOLSETS['B']))
        output = next_output(planner)
        told = [each.sentence for each in planner.news() if isinstance(each, Notice)]
        return output, told, server

    return run


def is_refused(found: Outcome) -> bool:
    """Whether nothing was proposed, the trace has the reason, and the model is told, too."""
    output, told, server = found
    refused = output == Answer('Nothing was driven.') and len(server.asked) == 2
    return refused and bool(told) and 'Your last' in str(server.asked[1].messages[0].content)


def chunk(pieces: list[dict[str, Any]], end: str | None = None) -> bytes:
    return OPENAI._chunk({'tool_calls': pieces} if pieces else {}, end)


def piece(text: Any, name: str | None = None, **fields: Any) -> dict[str, Any]:
    return {'function': {'name': name, 'arguments': text}, **fields}


def stream(*parts: bytes, end: str = 'tool_calls') -> faults.Fault:
    return faults.pours(*parts, chunk([], end), b'data: [DONE]\n\n')


FIRST = chunk([piece('', 'move_forward', index=0, id='a', type='function')])
SPLIT = {
    'counting': [
        chunk([piece(text, index=at, id='bcd'[at - 1])]) for at, text in enumerate(REST, 1)
    ],
    'without an index': [chunk([piece(text)]) for text in REST],
    'null': [chunk([piece(text, index=None)]) for text in REST],
    'right': [chunk([piece(text, index=0)]) for text in REST],
    'name and id again': [chunk([piece(text, 'move_forward', index=0, id='a')]) for text in REST],
}


@pytest.mark.parametrize('how', SPLIT)
@pytest.mark.parametrize('provider', ['openai', 'azure'])
def test_pieces_are_joined_exactly_or_refused(outcome: Any, provider: str, how: str) -> None:
    found = outcome(provider, stream(FIRST, *SPLIT[how]))
    if how == 'counting':
        assert is_refused(found)
        assert not found[2].bodies[1]['stream']  # where there are no pieces, none can be lost
    else:
        assert isinstance(found[0], Proposal)
        assert (found[0].tool, found[0].arguments, found[0].fault) == ('move_forward', EXACT, '')


@pytest.mark.parametrize('ending', ['length', 'content_filter', 'function_call', 'error', 'abort'])
@pytest.mark.parametrize('begun', [[FIRST], [FIRST, *SPLIT['right']]], ids=['empty', 'complete'])
def test_a_message_that_ended_otherwise_drives_nothing(
    outcome: Any, begun: list[bytes], ending: str
) -> None:
    assert is_refused(outcome('openai', stream(*begun, end=ending)))


def test_arguments_of_which_nothing_came_are_refused(outcome: Any) -> None:
    output, _, _ = outcome('openai', stream(FIRST))
    assert 'are missing. Send {}' in output.fault


@pytest.mark.parametrize('arguments', [None, 'null', '', '{}', {}])
@pytest.mark.parametrize('is_whole', [True, False])
def test_a_tool_without_arguments_takes_nothing_for_none(
    outcome: Any, arguments: Any, is_whole: bool
) -> None:
    call = piece(arguments, 'mast_open', index=0, id='a', type='function')
    message = {'role': 'assistant', 'content': None, 'tool_calls': [call]}
    choice = {'index': 0, 'message': message, 'finish_reason': 'tool_calls'}
    answer = {**OPENAI._head('chat.completion'), 'choices': [choice]}
    acts = {True: lambda handler, *_: handler.answer(answer), False: stream(chunk([call]))}
    output, _, _ = outcome('openai', acts[is_whole], agent__streaming=not is_whole)
    assert isinstance(output, Proposal)
    assert (output.tool, output.arguments, output.fault) == ('mast_open', {}, '')


@pytest.mark.parametrize('arguments', [EXACT, json.dumps(EXACT)], ids=['object', 'text'])
def test_arguments_may_be_an_object(outcome: Any, arguments: Any) -> None:
    call = piece(arguments, 'move_forward', index=0, id='a')
    output, _, _ = outcome('openai', stream(chunk([call])))
    assert (output.tool, output.arguments) == ('move_forward', EXACT)


TWICE = '{"duration_s": 1, "duration_s": 25}'
ENVELOPE = {  # each protocol with the two names in it as they would come
    'openai': stream(chunk([piece(TWICE, 'move_forward', index=0, id='a')])),
    'ollama': faults.pours(
        line(
            OLLAMA._line(
                {'role': 'assistant', 'tool_calls': [piece({'TWICE': 1}, 'move_forward')]}
            )
        ).replace(b'{"TWICE": 1}', TWICE.encode()),
        line({**OLLAMA._line({'role': 'assistant', 'content': ''}), **OLLAMA._last()}),
    ),
    'anthropic': lambda handler, *_: handler.answer(
        json.dumps(ANTHROPIC.whole(Reply('', (('a', 'move_forward', '{"TWICE": 1}'),))))
        .replace('{"TWICE": 1}', TWICE)
        .encode()
    ),
}


@pytest.mark.parametrize('provider', ENVELOPE)
def test_a_name_that_stands_twice_drives_nothing(outcome: Any, provider: str) -> None:
    found = outcome(provider, ENVELOPE[provider], agent__streaming=provider != 'anthropic')
    output, told, _ = found
    if isinstance(output, Proposal):
        assert 'occurs twice' in output.fault
    else:
        assert is_refused(found)
        assert 'occurs twice' in told[0]


@pytest.mark.parametrize('provider', PROVIDERS)
@pytest.mark.parametrize(
    'reply',
    [Reply('Done.'), Reply('Off.', (('a', 'move_forward', '{"duration_s": 1}'),))],
    ids=['words', 'call'],
)
def test_a_whole_message_is_taken_where_a_stream_was_asked_for(
    outcome: Any, provider: str, reply: Reply
) -> None:
    output, told, server = outcome(provider, faults.whole(reply))
    assert server.bodies[0]['stream']
    assert not told
    if reply.calls:
        assert (output.tool, output.arguments, output.fault) == ('move_forward', EXACT, '')
    else:
        assert output == Answer('Done.')


@pytest.mark.parametrize('provider', PROVIDERS)
def test_a_byte_order_mark_hides_no_event(outcome: Any, provider: str) -> None:
    reply = Reply('', (('a', 'move_forward', '{"duration_s": 1}'),))
    protocol: Any = {'anthropic': ANTHROPIC, 'ollama': OLLAMA}.get(provider, OPENAI)
    mark = '\ufeff'.encode()
    parts = [
        part
        for part in protocol.stream(reply)
        if b'"role": "assistant", "content": ""' not in part
    ]
    parts = parts if provider in ('openai', 'azure') else list(protocol.stream(reply))
    output, _, _ = outcome(provider, faults.pours(mark[:1], mark[1:] + parts[0], *parts[1:]))
    assert (output.tool, output.arguments, output.fault) == ('move_forward', EXACT, '')


def blocks(*events: dict[str, Any], stop: str = 'tool_use') -> faults.Fault:
    usage = {'input_tokens': 1, 'output_tokens': 1}
    head = {**ANTHROPIC._head(), 'content': [], 'stop_reason': None, 'usage': usage}
    return faults.pours(
        ANTHROPIC._event('message_start', message=head),
        *(ANTHROPIC._event(**each) for each in events),
        ANTHROPIC._event('message_delta', delta={'stop_reason': stop}, usage=usage),
        ANTHROPIC._event('message_stop'),
    )


def started(index: int, name: str = 'move_forward', given: Any = None) -> dict[str, Any]:
    block = {'type': 'tool_use', 'id': f'c{index}', 'name': name, 'input': given or {}}
    return {'kind': 'content_block_start', 'index': index, 'content_block': block}


def more(index: int, text: str) -> dict[str, Any]:
    delta = {'type': 'input_json_delta', 'partial_json': text}
    return {'kind': 'content_block_delta', 'index': index, 'delta': delta}


def test_arguments_that_come_with_the_block_are_not_lost(outcome: Any) -> None:
    output, _, _ = outcome('anthropic', blocks(started(0, given=EXACT)))
    assert (output.arguments, output.fault) == (EXACT, '')


def test_blocks_that_alternate_are_exact(outcome: Any) -> None:
    other = {'type': 'server_tool_use', 'id': 's', 'name': 'web_search', 'input': {}}
    between = {'kind': 'content_block_start', 'index': 2, 'content_block': other}
    parts = [started(1), more(1, REST[0]), between, more(1, REST[1]), more(1, REST[2])]
    output, _, _ = outcome('anthropic', blocks(*parts))
    assert (output.arguments, output.fault) == (EXACT, '')


@pytest.mark.parametrize('stop', ['max_tokens', 'refusal', 'pause_turn', 'stop_sequence', 'other'])
def test_a_block_whose_message_ended_otherwise_drives_nothing(outcome: Any, stop: str) -> None:
    parts = [started(0), *(more(0, text) for text in REST)]
    assert is_refused(outcome('anthropic', blocks(*parts, stop=stop)))


@pytest.mark.parametrize('index', [1, 7])
def test_a_piece_of_a_block_that_has_not_begun_is_refused(outcome: Any, index: int) -> None:
    parts = [started(0), *(more(index, text) for text in REST)]
    assert is_refused(outcome('anthropic', blocks(*parts)))


@pytest.mark.parametrize('ending', ['length', 'load', 'unload', 'other'])
def test_a_call_of_ollama_that_ended_otherwise_drives_nothing(outcome: Any, ending: str) -> None:
    called = OLLAMA._line(
        {'role': 'assistant', 'content': '', 'tool_calls': [piece(EXACT, 'move_forward')]}
    )
    last = {**OLLAMA._line({'role': 'assistant', 'content': ''}), **OLLAMA._last()}
    output, told, _ = outcome(
        'ollama', faults.pours(line(called), line({**last, 'done_reason': ending}))
    )
    assert output == Answer('Nothing was driven.')
    assert told


@pytest.mark.parametrize('text', ['[1, 2]', "{'a': 1}", 'None', 'mast_open'])
def test_texts_of_ollama_stay_texts(outcome: Any, text: str) -> None:
    given = {'reason': text, 'functionName': 'abort'}
    reply = Reply('', (('a', 'abort', json.dumps(given)),))
    output, _, _ = outcome('ollama', faults.says(reply))
    assert (output.tool, output.arguments) == ('abort', given)


ODD = {
    'zero width': 'move_forward\u200b',
    'full width': 'ｍove_forward',
    'Cyrillic': 'm\u043eve_forward',
    'joiner within': 'move\u2060_forward',
}


@pytest.mark.parametrize('name', ODD)
@pytest.mark.parametrize('provider', ['openai', 'anthropic', 'ollama'])
def test_a_name_that_only_looks_like_one_is_another(
    outcome: Any, provider: str, name: str
) -> None:
    reply = Reply('', (('a', ODD[name], '{"duration_s": 1}'),))
    output, _, _ = outcome(provider, faults.says(reply))
    assert isinstance(output, Proposal)
    assert output.tool != 'move_forward'


def test_a_call_that_has_no_name_is_refused(outcome: Any) -> None:
    assert is_refused(outcome('openai', faults.says(Reply('', (('a', '', '{}'),)))))


def test_two_answers_to_one_question_are_refused(outcome: Any) -> None:
    call = [piece('{"duration_s": 1}', 'move_forward', index=0, id='a')]
    choices = [{'index': at, 'delta': {'tool_calls': call}} for at in range(2)]
    both = event({**OPENAI._head('chat.completion.chunk'), 'choices': choices})
    assert is_refused(outcome('openai', stream(both)))
