"""What counts as a message that a goal can go on with, or end with."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from langchain_core.messages import AIMessage
import pytest

from bt_executive.planner.model_message_reading import REFUSED, MessageReader, validate_response
from rover_common.llm.model_errors import ModelError

OFFERED = ('mast_open', 'mast_close', 'move_forward', 'abort')
JSON_CALL = '{"name": "mast_open", "arguments": {}}'


def hint_for(words: str) -> str:
    """What the model is told of these words."""
    with pytest.raises(ModelError) as caught:
        validate_response(AIMessage(words), OFFERED, reports_endings=False, streamed=False)
    assert caught.value.again
    return caught.value.hint


@pytest.mark.parametrize(
    'words',
    [
        JSON_CALL,
        f'<tool_call>\n{JSON_CALL}\n</tool_call>',
        f'<think>The mast must be opened.</think>\n<tool_call>{JSON_CALL}</tool_call>',
        f'The mast must be opened.</think>{JSON_CALL}',
        f'I will open the mast.\n```json\n{JSON_CALL}\n```',
        f'I will open the mast: {JSON_CALL}. Then I am done.',
        '{"type":"function","function":{"name":"mast_open","arguments":{}}}',
        '<tool_call>{"name": "mast_close"}</tool_call>\n<tool_call>{"name": "x"}</tool_call>',
        f'[TOOL_CALLS][{JSON_CALL}]',
        '[TOOL_CALLS]mast_open{}',
        '<function=mast_open>{}</function>',
        f'<|python_tag|>{JSON_CALL}',
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>mast_open',
        'mast_open()',
        '```python\nmast_close()\nmove_forward(duration_s=2.0)\n```',
        '[move_forward(duration_s=2.0, why="(quickly)")]',
        '{"tool_calls":[{"name":"mast_open"}]}',
        '{"tool_calls":[{"function":{"name":"mast_open","arguments":"{\\"a\\": 1}"}}]}',
        "{'tool': 'mast_open', 'arguments': {}}",
        '{"name": "move_forward", "arguments": {"duration_s"',
        '{"mast_open": {}}',
        'Action: mast_open',
        'Thought: It is closed.\nAction: mast_open\nAction Input: {}',
        'Well. ' * 2000 + JSON_CALL,
    ],
)
def test_a_call_as_text_is_no_answer(words: str) -> None:
    assert 'tool call as text' in hint_for(words)


@pytest.mark.parametrize(
    'words',
    [
        '',
        ' \n',
        '\u200b',
        '\ufeff\u2060 ',
        '\x00\x07',
        '<think>The mast must be opened.</think>',
        '<think>The mast must be opened, so I',
        'The mast must be opened.</think>\n',
        '<thinking>Hm.</thinking>\u200b',
    ],
)
def test_what_nobody_can_read_is_empty(words: str) -> None:
    assert 'was empty' in hint_for(words)


@pytest.mark.parametrize(
    'words',
    [
        'The mast is open.',
        'I called mast_open and then move_forward.',
        'I called mast_open(), and the mast is open (fully).',
        'mast_open() opened the mast (fully).',
        'The last action: mast_open, which succeeded.',
        'Action: none is needed.',
        'Measured: {"score": 0.8, "name": "Bishop"}',
        'abort (the goal) was not needed.',
        'x < 3 and y > 2',
    ],
)
def test_an_answer_may_name_a_tool(words: str) -> None:
    validate_response(AIMessage(words), OFFERED, reports_endings=False, streamed=False)


@pytest.mark.parametrize('signs', ['{"a":', '<think>', 'mast_open(', 'Action: ', "('", '\\"'])
def test_hostile_repetition_is_read_to_its_end(signs: str) -> None:
    with suppress(ModelError):
        validate_response(
            AIMessage(signs * 20_000), OFFERED, reports_endings=False, streamed=False
        )


def test_thinking_is_no_part_of_the_answer() -> None:
    assert MessageReader().read(AIMessage('<think>Hm.</think>\n\nIt is open.')).text == (
        'It is open.'
    )


@pytest.mark.parametrize(
    'ending',
    [
        {'finish_reason': 'length'},
        {'stop_reason': 'max_tokens'},
        {'done_reason': 'length', 'done': True},
    ],
)
@pytest.mark.parametrize('words', ['I drove forward and then', '<think>It is', ''])
def test_half_an_answer_is_none(ending: dict[str, Any], words: str) -> None:
    half = AIMessage(words, response_metadata=ending)
    with pytest.raises(ModelError, match='was cut off at planner') as caught:
        validate_response(half, OFFERED, reports_endings=True, streamed=True)
    assert caught.value.again
    assert 'cut off' in caught.value.hint
    assert not caught.value.out_of_order
    half.tool_calls = [{'name': 'mast_open', 'args': {}, 'id': '1'}]
    with pytest.raises(ModelError, match='was cut off at planner'):
        validate_response(half, OFFERED, reports_endings=True, streamed=True)


@pytest.mark.parametrize(
    'ending', [{'stop_reason': 'refusal'}, {'finish_reason': 'content_filter'}]
)
@pytest.mark.parametrize(('words', 'reason'), [('I will not.', 'I will not.'), ('', REFUSED)])
def test_a_refusal_is_taken_as_one_with_or_without_words(
    ending: dict[str, str], words: str, reason: str
) -> None:
    message = AIMessage(words, response_metadata=ending)
    validate_response(message, OFFERED, reports_endings=True, streamed=True)
    said = MessageReader().read(message)
    assert (said.refused, said.text) == (True, reason)
