"""Every fault of a provider, produced over HTTP: another try, or an end with the true reason."""

from __future__ import annotations

from collections.abc import Callable
import re
from typing import Any

import httpx
from model_protocols import Reply
import model_server as faults
from planner_world import TOOLSETS, LightWorld, next_output
import pytest
from waiting import wait_until

from bt_executive.core.executive_ports import (
    Answer,
    Notice,
    Planner,
    PlannerContext,
    PlannerFailure,
    ToolResult,
)
from bt_executive.planner.model_requests_and_timeouts import DOCTOR_HINT
from rover_common.llm.bounded_http import retry_after

pytestmark = pytest.mark.long

GOAL = 'What is your status?'
PROVIDERS = ('openai', 'anthropic', 'ollama')
WORTH_ANOTHER_TRY = {
    '429': (faults.status(429), r'is overloaded \(HTTP 429\)'),
    '500': (faults.status(500), r'failed \(HTTP 500\)'),
    '529': (faults.status(529), r'is overloaded \(HTTP 529\)'),
    'hangs up': (faults.hang_up, 'broke off|cannot be reached'),
    'silence': (faults.silence, 'silent for too long'),
    'garbage': (faults.garbage, 'answered with a web page'),
    '10 MB': (faults.says(Reply('x' * 10_000_000)), 'longer than 200000 bytes'),
    'nothing': (faults.says(Reply()), 'without a word|empty stream'),
    'blanks': (faults.says(Reply(' \n ')), 'without a word'),
    'call in words': (
        faults.says(Reply('```json\n{"name": "get_status", "arguments": {}}\n```')),
        'choose a model that can call tools',
    ),
}
STREAMS = {
    'silent stream': (faults.silent_stream, 'silent for too long'),
    'half a stream': (faults.half_stream, 'broke off'),
    'half a stream with an end': (faults.clean_half_stream, 'broke off half way|cannot be read'),
    'endless stream': (faults.endless_stream, 'longer than 200000 bytes|did not come to an end'),
    'dripping stream': (faults.dripping_stream, 'did not come to an end in time'),
}
# By which limit a fault ends.
LIMITS = {'silence': 'silence_s', 'silent stream': 'silence_s', 'dripping stream': 'whole_s'}
SHORT_S = 0.8
PATIENCE = (1.0, 5.0, 25.0)  # times the short limit: on a busy machine good answers meet it, too
FINAL = {
    '400': (faults.status(400), r'refuses the request \(HTTP 400\): .*scripted 400'),
    '401': (faults.status(401), r'refuses the key \(HTTP 401\)'),
    '404': (faults.status(404), r'does not know the model'),
    'a long Retry-After': (faults.status(429, Retry_After='3600'), 'asks to wait 3600 s'),
}


def bounds(fault: str, patience: float = PATIENCE[0]) -> dict[str, object]:
    """A short limit for a fault that ends by one; no answer meets another limit."""
    if fault not in LIMITS:
        return {}
    limits = {'connect_s': 60.0, 'silence_s': 60.0, 'whole_s': 120.0, 'max_bytes': 200_000}
    return {'planner__request': {**limits, LIMITS[fault]: SHORT_S * patience}}


def end_of(planner: Planner, toolset: Any, output_of: Any, world: Any) -> Answer | PlannerFailure:
    """The goal's end; every proposal is carried out in the world."""
    planner.start(GOAL, PlannerContext(toolset))
    while True:
        output = output_of(planner)
        if isinstance(output, (Answer, PlannerFailure)):
            return output
        planner.give(world.apply(output.tool, dict(output.arguments)))


def failure_of(planner: Planner, toolset: Any, output_of: Any, world: Any) -> str:
    """Why the goal failed."""
    end = end_of(planner, toolset, output_of, world)
    assert isinstance(end, PlannerFailure), end
    return end.reason


@pytest.mark.parametrize('fault', [*WORTH_ANOTHER_TRY, *STREAMS])
@pytest.mark.parametrize('provider', PROVIDERS)
def test_after_a_passing_fault_the_goal_goes_on(
    planner_for: Any, server: Any, provider: Any, fault: Any
) -> None:
    act, reason = (WORTH_ANOTHER_TRY | STREAMS)[fault]
    for patience in PATIENCE if fault in LIMITS else PATIENCE[:1]:
        server.asked.clear()
        server.faults.clear()
        server.faults += [act, None, act]
        planner = planner_for(provider, **bounds(fault, patience))
        end = end_of(planner, TOOLSETS['B'], next_output, LightWorld())
        if isinstance(end, Answer) and len(server.asked) == 4:
            break
    assert isinstance(end, Answer), end
    assert len(server.asked) == 4
    notices = [each for each in planner.news() if isinstance(each, Notice)]
    assert len(notices) == 2
    assert all(re.search(reason, each.sentence) and not each.ok for each in notices), notices


@pytest.mark.parametrize('fault', ['500', 'nothing', 'silent stream'])
def test_a_lasting_fault_ends_the_goal_with_its_reason(
    planner_for: Any, server: Any, fault: Any
) -> None:
    act, reason = (WORTH_ANOTHER_TRY | STREAMS)[fault]
    server.always = act
    planner = planner_for('openai', **bounds(fault))
    told = failure_of(planner, TOOLSETS['B'], next_output, LightWorld())
    assert re.search(reason, told)
    assert told.removesuffix(DOCTOR_HINT).endswith('(tried 3 times)')
    assert len(server.asked) == 3


@pytest.mark.parametrize('fault', [each for each in WORTH_ANOTHER_TRY if each[1:] != '29'])
def test_without_streaming_it_is_the_same(planner_for: Any, server: Any, fault: Any) -> None:
    act, reason = WORTH_ANOTHER_TRY[fault]
    server.always = act
    planner = planner_for('openai', agent__streaming=False, **bounds(fault))
    assert re.search(reason, failure_of(planner, TOOLSETS['B'], next_output, LightWorld()))


@pytest.mark.parametrize('fault', FINAL)
@pytest.mark.parametrize('provider', PROVIDERS)
def test_a_fault_that_no_try_mends_ends_the_goal_at_once(
    planner_for: Any, server: Any, provider: Any, fault: Any, keys: Any
) -> None:
    act, reason = FINAL[fault]
    server.always = act
    told = failure_of(planner_for(provider), TOOLSETS['B'], next_output, LightWorld())
    if provider == 'ollama' and fault == 'a long Retry-After':
        assert 'HTTP 429' in told
    assert re.search(reason, told)
    assert len(server.asked) == 1
    assert keys not in told


@pytest.mark.parametrize('provider', PROVIDERS)
def test_a_server_that_is_gone(planner_for: Any, provider: str) -> None:
    gone = faults.ModelServer()
    planner = planner_for(provider, planner__base_url=gone.base_url(provider))
    gone.close()
    told = failure_of(planner, TOOLSETS['B'], next_output, LightWorld())
    assert re.search('cannot be reached', told)


TOO_LONG = {
    'OpenAI': (
        400,
        "This model's maximum context length is 8192 tokens. However, your messages resulted in "
        '9000 tokens. Please reduce the length of the messages.',
    ),
    'llama.cpp': (400, 'the request exceeds the available context size, try increasing it'),
    'Anthropic': (400, 'prompt is too long: 208310 tokens > 200000 maximum'),
    'Mistral': (400, 'Prompt contains 40000 tokens, too large for model with 32768 maximum'),
    'Gemini': (
        400,
        'The input token count (1048577) exceeds the maximum number of tokens allowed',
    ),
    'LM Studio': (400, 'the model is loaded with context length of only 4096 tokens'),
    'TGI': (422, '`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000'),
    'SGLang': (400, "The input (5000 tokens) is longer than the model's context length"),
    'Ollama': (500, 'input length exceeds the context length'),
    'Moonshot': (400, 'Your request exceeded model token limit: 8192'),
    'a proxy': (413, 'Payload Too Large'),
}


def steps_and_then(server: Any, steps: int) -> Callable[[Any], Reply]:
    """A mind that asks for so many steps, and then answers."""
    return lambda _asked: (
        Reply('', (('c', 'get_status', '{}'),)) if len(server.asked) <= steps else Reply('Done.')
    )


def characters(asked: Any) -> int:
    return sum(len(str(each.content)) for each in asked.messages)


def end_after_six_steps(planner: Planner) -> Answer | PlannerFailure:
    planner.start(GOAL, PlannerContext(TOOLSETS['B']))
    for _ in range(6):
        next_output(planner)
        planner.give(ToolResult(True, data={'long': 'x' * 1500}))
    end: Answer | PlannerFailure = next_output(planner)
    return end


@pytest.mark.parametrize('streaming', [True, False])
def test_a_conversation_that_is_too_long_is_shortened_and_asked_again_once(
    planner_for: Any, server: Any, streaming: bool
) -> None:
    server.mind = steps_and_then(server, 6)
    server.faults += [*[None] * 6, faults.refuses(*TOO_LONG['OpenAI'])]
    planner = planner_for('openai', agent__streaming=streaming)
    assert end_after_six_steps(planner) == Answer('Done.')
    assert len(server.asked) == 8
    assert characters(server.asked[7]) < characters(server.asked[6]) - 3000
    assert any('longer than the model' in str(each) for each in planner.news())


def test_a_conversation_that_stays_too_long_ends_with_what_to_do(
    planner_for: Any, server: Any
) -> None:
    server.mind = steps_and_then(server, 6)
    too_long = faults.refuses(*TOO_LONG['OpenAI'], code='context_length_exceeded')
    server.faults += [*[None] * 6, too_long, too_long, too_long]
    end = end_after_six_steps(planner_for('openai'))
    assert isinstance(end, PlannerFailure)
    assert 'Lower planner.max_history_chars' in end.reason
    assert len(server.asked) == 8


@pytest.mark.parametrize('words', TOO_LONG)
def test_what_cannot_be_shortened_is_not_asked_again(
    planner_for: Any, server: Any, words: str
) -> None:
    server.faults.append(faults.refuses(*TOO_LONG[words]))
    told = failure_of(planner_for('openai'), TOOLSETS['B'], next_output, LightWorld())
    assert 'longer than the model of openai can read' in told
    assert told.endswith(
        'Raise the context of its server, shorten the goal, or choose another model.'
    )
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ('headers', 'seconds'),
    [
        ({'retry-after-ms': '1500'}, 1.5),
        ({'retry-after-ms': '250', 'retry-after': '1'}, 0.25),
        ({'retry-after-ms': 'soon', 'retry-after': '2'}, 2.0),
        ({'retry-after-ms': 'nan', 'retry-after': '2'}, 2.0),
        ({'retry-after-ms': '-5'}, 0.0),
        ({'retry-after': 'inf'}, 0.0),
        ({'retry-after': 'Mon, 01 Jan 99999999999999999999 00:00:00 GMT'}, 0.0),
        ({'retry-after': 'Mon, 01 Jan 0001 00:00:00 -0000'}, 0.0),
        ({}, 0.0),
    ],
)
def test_how_long_an_answer_asks_to_wait(headers: dict[str, str], seconds: float) -> None:
    assert retry_after(httpx.Headers(headers)) == seconds


def test_retry_after_is_waited_for(planner_for: Any, server: Any) -> None:
    server.faults.append(faults.status(429, Retry_After='1'))
    planner = planner_for('openai')
    assert isinstance(end_of(planner, TOOLSETS['B'], next_output, LightWorld()), Answer)
    (notice,) = [each for each in planner.news() if isinstance(each, Notice)]
    assert notice.sentence.endswith('Next try in 1 s.')


def test_the_model_is_told_what_was_wrong(planner_for: Any, server: Any) -> None:
    server.faults.append(faults.says(Reply()))
    end_of(planner_for('openai'), TOOLSETS['B'], next_output, LightWorld())
    hints = ['Your last message was empty' in each.messages[0].content for each in server.asked]
    assert hints == [False, True, False]


def test_a_provider_that_keeps_failing_is_left_alone_and_comes_back(
    planner_for: Any, server: Any
) -> None:
    server.always = faults.status(500)
    planner = planner_for('openai', planner__circuit={'failures': 3, 'rest_s': 2.0})
    end_of(planner, TOOLSETS['B'], next_output, LightWorld())
    assert len(server.asked) == 3
    told = failure_of(planner, TOOLSETS['B'], next_output, LightWorld())
    assert 'failed 3 times in a row and is left alone' in told
    assert len(server.asked) == 3
    server.always = None
    wait_until(
        lambda: isinstance(end_of(planner, TOOLSETS['B'], next_output, LightWorld()), Answer)
    )
    sentences = [each.sentence for each in planner.news() if isinstance(each, Notice)]
    assert 'No model: openai is left alone for 2 s.' in sentences
    assert 'openai answers again.' in sentences


def test_an_answer_without_choices_is_said_in_words_and_asked_for_again(
    planner_for: Any, server: Any
) -> None:
    server.faults.append(faults.no_choices)
    planner = planner_for('openai', agent__streaming=False)
    planner.start(GOAL, PlannerContext(TOOLSETS['B']))
    assert not isinstance(next_output(planner), PlannerFailure)
    told = [news.sentence for news in planner.news() if isinstance(news, Notice)]
    assert any('it holds no message of a model (no choices' in each for each in told), told
    assert not any('Error' in each for each in told)
