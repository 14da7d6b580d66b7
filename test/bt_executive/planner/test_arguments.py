from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessageChunk
import pytest

from bt_executive.planner.arguments import NESTING_LIMIT, SIZE_LIMIT, read_arguments
from bt_executive.planner.calls import whole_message

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=20,
)


@given(JSON | st.text().map(lambda text: text))
def test_anything_is_read_into_what_any_file_can_hold(raw: Any) -> None:
    arguments = read_arguments(raw)
    assert len(json.dumps(arguments.values, allow_nan=False, ensure_ascii=False).encode()) >= 2
    assert not (arguments.fault and arguments.values)


@given(JSON)
def test_the_text_of_arguments_is_read_like_the_arguments(raw: Any) -> None:
    if isinstance(raw, dict):
        assert read_arguments(json.dumps(raw)) == read_arguments(json.loads(json.dumps(raw)))


@pytest.mark.parametrize('raw', ['{"a": ', 'x', '[1]', '"far"', 'null', '3', None, 7, [1]])
def test_what_is_no_object_is_refused(raw: Any) -> None:
    assert 'are not a JSON object' in read_arguments(raw).fault


@pytest.mark.parametrize('raw', ['', '  ', {}, '{}'])
def test_no_arguments_are_an_empty_object(raw: Any) -> None:
    assert read_arguments(raw).values == {}
    assert read_arguments(raw).fault == ''


def test_depth_and_size_are_bounded() -> None:
    deep: dict[str, Any] = {}
    for _ in range(NESTING_LIMIT + 2):
        deep = {'a': deep}
    assert 'levels deep' in read_arguments(deep).fault
    assert 'are not a JSON object' in read_arguments('{"a":' + '[' * 10**6).fault
    assert f'longer than {SIZE_LIMIT}' in read_arguments({'a': 'x' * SIZE_LIMIT}).fault


def test_numbers_that_no_schema_should_meet_become_text() -> None:
    raw = '{"a": NaN, "b": -Infinity, "c": 1e999, "d": ' + '9' * 400 + '}'
    values = read_arguments(raw).values
    assert list(values.values()) == ['nan', '-inf', 'inf', 'beyond 9e+18']


def test_half_a_number_is_not_another_number() -> None:
    pieces = ['{"duration', '_s": 1', '2']  # of 120}
    chunks = [
        AIMessageChunk(
            content='',
            tool_call_chunks=[
                {'name': None if at else 'turn_left', 'args': piece, 'id': None, 'index': 0}
            ],
        )
        for at, piece in enumerate(pieces)
    ]
    (call,) = whole_message(chunks).invalid_tool_calls
    assert read_arguments(call['args']).fault
