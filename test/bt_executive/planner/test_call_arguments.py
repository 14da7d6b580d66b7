from __future__ import annotations

import json
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessageChunk
import pytest

from bt_executive.planner.call_assembly import assemble_message
from bt_executive.planner.model_message_reading import (
    NESTING_LIMIT,
    SIZE_LIMIT,
    Arguments,
    read_call_arguments,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=20,
)


@given(JSON | st.text().map(lambda text: text))
def test_anything_is_read_into_what_any_file_can_hold(raw: Any) -> None:
    arguments = read_call_arguments(raw)
    assert len(json.dumps(arguments.values, allow_nan=False, ensure_ascii=False).encode()) >= 2
    assert not (arguments.fault and arguments.values)


@given(JSON)
def test_the_text_of_arguments_is_read_like_the_arguments(raw: Any) -> None:
    if isinstance(raw, dict):
        assert read_call_arguments(json.dumps(raw)) == read_call_arguments(
            json.loads(json.dumps(raw))
        )


@pytest.mark.parametrize('raw', ['{"a": ', 'x', '[1]', '"far"', '"null"', '3', 7, [1]])
def test_what_is_no_object_is_refused(raw: Any) -> None:
    assert 'are not a JSON object' in read_call_arguments(raw).fault


@pytest.mark.parametrize('raw', ['', '  ', 'null', ' null\n', None])
def test_nothing_is_an_empty_object_for_a_tool_without_arguments_alone(raw: Any) -> None:
    assert read_call_arguments(raw) == Arguments()
    assert 'Send {}' in read_call_arguments(raw, has_arguments=True).fault


@pytest.mark.parametrize('raw', [{}, '{}', ' {} '])
@pytest.mark.parametrize('has_arguments', [True, False])
def test_an_empty_object_leaves_all_arguments_out(raw: Any, has_arguments: bool) -> None:
    assert read_call_arguments(raw, has_arguments) == Arguments()


@pytest.mark.parametrize(
    'raw',
    [
        '{"duration_s": 1, "duration_s": 25}',
        '{"duration_s": 1, "duration\\u005fs": 25}',
        '{"a": [{"b": 1, "b": 1}]}',
    ],
)
def test_a_name_that_stands_twice_is_refused(raw: str) -> None:
    fault = read_call_arguments(raw).fault
    assert 'are ambiguous' in fault
    assert 'occurs twice' in fault


@pytest.mark.parametrize('text', ['a\x1bb', 'zero\u200bwidth', '\x07', 'ｆｕｌｌ'])
def test_texts_are_what_the_model_wrote(text: str) -> None:
    assert read_call_arguments(json.dumps({text: text})).values == {text: text}


def test_depth_and_size_are_bounded() -> None:
    deep: dict[str, Any] = {}
    for _ in range(NESTING_LIMIT + 2):
        deep = {'a': deep}
    assert 'levels deep' in read_call_arguments(deep).fault
    assert 'are not a JSON object' in read_call_arguments('{"a":' + '[' * 10**6).fault
    assert f'longer than {SIZE_LIMIT}' in read_call_arguments({'a': 'x' * SIZE_LIMIT}).fault


@pytest.mark.parametrize('number', ['NaN', '-Infinity', '1e999', '9' * 400, '"\\ud800"'])
def test_what_no_file_can_hold_is_refused(number: str) -> None:
    assert read_call_arguments(f'{{"a": {number}}}').fault


@pytest.mark.parametrize('value', [math.nan, math.inf, 10**400, '\ud800', {1, 2}])
def test_what_a_library_made_of_it_is_refused_as_well(value: Any) -> None:
    assert read_call_arguments({'a': value}).fault


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
    (call,) = assemble_message(chunks).invalid_tool_calls
    assert read_call_arguments(call['args']).fault
