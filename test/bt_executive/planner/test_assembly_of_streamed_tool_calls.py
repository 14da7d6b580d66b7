"""Any split, order, loss, doubling of pieces: the exact call or a refusal, no third thing."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from itertools import pairwise
import json
from typing import Any
from unittest.mock import Mock

from hypothesis import example, given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk
import pytest

from bt_executive.planner import assembly_of_streamed_tool_calls
from bt_executive.planner.assembly_of_streamed_tool_calls import assemble_message
from bt_executive.planner.model_message_reading import (
    MessageReader,
    read_call_arguments,
    validate_response,
)
from rover_common.llm.model_errors import ModelError

TOOLS = {'move_forward': True, 'mast_open': False}
REGULAR = ('tool_calls', 'stop')
ENDINGS = (
    *REGULAR,
    *('length', 'content_filter', 'function_call', 'error', 'abort', 'eos', 'STOP', '', None),
)
Piece = dict[str, Any]


def chunk_of(pieces: Sequence[Piece], ending: str | None = None) -> AIMessageChunk:
    """A chunk as langchain makes it of one event."""
    told = {'finish_reason': ending} if ending else {}
    calls: Any = [{'type': 'tool_call_chunk', **each} for each in pieces]
    return AIMessageChunk(content='', tool_call_chunks=calls, response_metadata=told)


def run_of(message: AIMessage) -> list[tuple[str, dict[str, Any]]]:
    """The calls that would run, or reach a guard; none if the message is refused."""
    validate_response(message, TOOLS, reports_endings=True, streamed=True)
    calls = MessageReader(TOOLS).read(message).calls
    ran = [call.proposal for call in calls if not call.refusal and not call.proposal.fault]
    return [(each.tool, dict(each.arguments)) for each in ran]


def outcome_of(chunks: Sequence[AIMessageChunk]) -> list[tuple[str, dict[str, Any]]]:
    faults = []
    try:
        return run_of(assemble_message(chunks))
    except ModelError as fault:
        faults.append(fault)
    assert [each.again and bool(each.hint or each.out_of_order) for each in faults] == [True]
    return []


def begin(index: int | None, call_id: str | None, name: str | None, text: str = '') -> Piece:
    return {'index': index, 'id': call_id, 'name': name, 'args': text}


def split(text: str, cuts: Sequence[int]) -> list[str]:
    at = [0, *sorted({cut % (len(text) + 1) for cut in cuts}), len(text)]
    return [text[one:other] for one, other in pairwise(at)]


ARGUMENTS = st.fixed_dictionaries(
    {'duration_s': st.integers(10, 999) | st.floats(0.5, 30.0, allow_nan=False)}
).map(json.dumps)
INDEX = st.sampled_from(['right', 'none', 'counting', 'zero', 'wrong'])
IDS = st.sampled_from(['first', 'always', 'never', 'fresh'])


def indexed(how: str, call: int, number: int) -> int | None:
    return {'right': call, 'none': None, 'counting': number, 'zero': 0, 'wrong': call + 1}[how]


def identified(how: str, call: int, number: int) -> str | None:
    is_known = how == 'always' or (how == 'first' and not number)
    return f'call-{call}-{number}' if how == 'fresh' else f'call-{call}' if is_known else None


@given(
    st.lists(
        st.tuples(ARGUMENTS, st.lists(st.integers(0, 40), max_size=6)), min_size=1, max_size=3
    ),
    INDEX,
    IDS,
    st.booleans(),
    st.sampled_from(ENDINGS),
)
@pytest.mark.slow
def test_however_the_pieces_are_numbered(
    calls: list[tuple[str, list[int]]],
    index: str,
    ids: str,
    begins_empty: bool,
    ending: str | None,
) -> None:
    chunks = []
    for call, (text, cuts) in enumerate(calls):
        texts = [*([''] if begins_empty else []), *split(text, cuts)]
        for number, each in enumerate(texts):
            name = None if number else 'move_forward'
            piece = begin(indexed(index, call, number), identified(ids, call, number), name, each)
            chunks.append(chunk_of([piece]))
    ran = outcome_of([*chunks, chunk_of([], ending)])
    exact = [('move_forward', json.loads(calls[0][0]))]
    assert ran in ([], exact)
    if index == 'right' and ids != 'fresh' and ending in REGULAR and not has_doubles(chunks):
        assert ran == exact
    if ending not in REGULAR:
        assert not ran


def has_doubles(chunks: Sequence[AIMessageChunk]) -> bool:
    texts = [each.tool_call_chunks[0]['args'] for each in chunks]
    return any(one == other for one, other in pairwise(texts))


@given(
    st.lists(st.integers(0, 40), max_size=5),
    st.sampled_from(['lost', 'doubled', 'swapped']),
    st.integers(0, 20),
    st.sampled_from(
        ['{"duration_s": 1}', '{"duration_s":"abc"}', '{"name": "Bishop", "x": true}']
    ),
)
@example([1, 2, 3, 10, 11], 'lost', 5, '{"name": "Bishop", "x": true}')  # "ishop"
@pytest.mark.slow
def test_pieces_that_are_lost_doubled_or_overtaken(
    cuts: list[int], fault: str, at: int, text: str
) -> None:
    """These texts are what they are in one order only, so that each fault shows."""
    texts = [each for each in split(text, cuts) if each]
    chunks = [chunk_of([begin(0, 'a', 'move_forward')])]
    chunks += [chunk_of([begin(0, None, None, each)]) for each in texts]
    at %= len(chunks)
    if fault == 'lost':
        del chunks[at]
    elif fault == 'doubled':
        chunks.insert(at, chunks[at])
    else:
        chunks[at], chunks[at - 1] = chunks[at - 1], chunks[at]
    ran = outcome_of([*chunks, chunk_of([], 'tool_calls')])
    joined = ''.join(str(each.tool_call_chunks[0]['args'] or '') for each in chunks)
    assert ran in ([], [('move_forward', json.loads(text))]) or loses_within_a_text(joined, text)


def loses_within_a_text(joined: str, text: str) -> bool:
    """Whether only letters within a name or text differ: the schema of the tool sees to those."""
    try:
        found, meant = json.loads(joined), json.loads(text)
    except ValueError:
        return False
    return besides_texts(found) == besides_texts(meant)


def besides_texts(arguments: dict[str, Any]) -> list[Any]:
    return [str if isinstance(each, str) else each for each in arguments.values()]


def test_a_digit_that_may_be_a_double_is_refused() -> None:
    texts = ['{"duration_s": ', '1', '1', '}']
    chunks = [chunk_of([begin(0, 'a', 'move_forward')])]
    chunks += [chunk_of([begin(0, None, None, each)]) for each in texts]
    with pytest.raises(ModelError, match='may be a double') as caught:
        assemble_message(chunks)
    assert caught.value.ask_whole


@pytest.mark.slow
@pytest.mark.parametrize(
    ('texts', 'reads', 'refused'),
    [(['1'] * 5000, 2, False), (['1', '1', '2', '2'] * 1500, 0, True)],
)
def test_however_many_pieces_come_twice_few_readings_tell(
    texts: list[str], reads: int, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Digits that no float holds: without one of them the value is the same."""
    count = Mock(wraps=read_call_arguments)
    monkeypatch.setattr(assembly_of_streamed_tool_calls, 'read_call_arguments', count)
    parts = ['{"duration_s": 1.', *'23456789123456789', *texts, '}']
    chunks = [chunk_of([begin(0, 'a', 'move_forward')])]
    chunks += [chunk_of([begin(0, None, None, each)]) for each in parts]
    with pytest.raises(ModelError) if refused else nullcontext():
        assemble_message(chunks)
    assert count.call_count == reads


EMPTY = begin(0, 'a', 'move_forward')
REST = ('{"dur', 'ation_s"', ':1}')


@pytest.mark.parametrize(
    'pieces',
    [
        [begin(at, chr(97 + at), None, text) for at, text in enumerate(REST, 1)],
        [begin(at, None, None, text) for at, text in enumerate(REST, 1)],
        [begin(None, None, None, text) for text in REST],
        [begin(0, None, None, text) for text in REST],
        [begin(0, None, '', text) for text in REST],
        [begin(0, 'a', 'move_forward', text) for text in REST],
        [begin(0, 'b', None, text) for text in REST],
        [begin(0, None, 'mast_open', text) for text in REST],
        [],
    ],
)
@pytest.mark.parametrize('ending', ENDINGS)
def test_a_call_that_begins_empty(pieces: list[Piece], ending: str | None) -> None:
    chunks = [chunk_of([EMPTY]), *(chunk_of([each]) for each in pieces), chunk_of([], ending)]
    ran = outcome_of(chunks)
    assert ran in ([], [('move_forward', {'duration_s': 1})])
    if ending not in REGULAR:
        assert ran == []


def test_one_call_whose_pieces_have_no_index_is_exact() -> None:
    pieces = [EMPTY, *(begin(None, None, None, text) for text in REST)]
    chunks = [*(chunk_of([each]) for each in pieces), chunk_of([], 'tool_calls')]
    assert outcome_of(chunks) == [('move_forward', {'duration_s': 1})]


def test_pieces_of_several_calls_that_alternate_are_exact() -> None:
    texts = list(zip(REST, REST, strict=True))
    pieces = [EMPTY, begin(1, 'b', 'mast_open')]
    pieces += [begin(at, None, None, text) for pair in texts for at, text in enumerate(pair)]
    chunks = [*(chunk_of([each]) for each in pieces), chunk_of([], 'tool_calls')]
    assert outcome_of(chunks) == [('move_forward', {'duration_s': 1})]


@pytest.mark.parametrize('endings', [('tool_calls', 'length'), ('length', 'tool_calls')])
def test_a_message_that_ends_twice_is_refused(endings: tuple[str, str]) -> None:
    chunks = [chunk_of([begin(0, 'a', 'mast_open', '{}')]), *(chunk_of([], e) for e in endings)]
    assert outcome_of(chunks) == []
    assert outcome_of([*chunks[:1], chunk_of([], 'stop'), chunk_of([], 'stop')])


def test_a_piece_behind_the_end_is_refused() -> None:
    call, late = begin(0, 'a', 'mast_open', '{}'), begin(1, 'b', 'mast_open', '{}')
    assert outcome_of([chunk_of([call], 'tool_calls'), chunk_of([late])]) == []


def test_a_call_that_is_announced_and_does_not_come_is_no_answer() -> None:
    with pytest.raises(ModelError, match='no call came'):
        run_of(assemble_message([AIMessageChunk(content='Off I go.'), chunk_of([], 'tool_calls')]))


def test_a_call_of_the_old_protocol_is_no_answer() -> None:
    old = AIMessageChunk(
        content='Off.', additional_kwargs={'function_call': {'name': 'mast_open'}}
    )
    with pytest.raises(ModelError, match='no call came'):
        run_of(assemble_message([old, chunk_of([], 'stop')]))
