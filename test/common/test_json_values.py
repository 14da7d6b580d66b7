"""JSON and numbers of whoever's making: read as meant, or refused with one kind of error."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest

from rover_common.json_values import (
    RepeatedNameError,
    finite_number,
    read_arguments,
    read_json,
    read_json_object,
)
from rover_common.trace_event import TraceEvent, event_to_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=20,
)


def nested(levels: int) -> str:
    return '[' * levels + ']' * levels


@pytest.mark.slow
@given(VALUES)
def test_what_was_written_is_read(value: Any) -> None:
    assert read_json(json.dumps(value)) == value
    assert read_json(json.dumps(value, ensure_ascii=False)) == value


@pytest.mark.parametrize(
    ('text', 'part'),
    [
        ('', 'EOF'),
        ('no JSON', 'Invalid JSON'),
        ('{"a": tr', 'line 1 column 8'),
        ('[' * 100_000, 'recursion limit'),
        (nested(250), 'recursion limit'),
        ('"\\ud800"', 'hex escape'),
        ('"\ud800"', 'unicode'),
        ('9' * 5000, 'out of range'),
        (f'{{"a": [{10**309}]}}', 'An integer in it is too large'),
        (f'{{"a": [{-(10**309)}]}}', 'An integer in it is too large'),
    ],
)
def test_what_is_no_json_or_none_to_keep_is_refused(text: str, part: str) -> None:
    for read in (read_json, read_json_object):
        with pytest.raises(ValueError, match=part) as refused:
            read(text)
        assert '\n' not in str(refused.value)


def test_an_integer_that_a_float_holds_is_read_and_digits_in_a_text_are_no_number() -> None:
    value = {'a': int(sys.float_info.max), 'b': '9' * 400}
    assert read_json(json.dumps(value)) == value


@pytest.mark.parametrize('text', ['[1]', 'null', '"{}"', '3', 'NaN'])
def test_what_is_no_object_is_no_object(text: str) -> None:
    read_json(text)
    with pytest.raises(ValueError, match='should be an object'):
        read_json_object(text)


def test_the_trace_can_hold_the_deepest_text_that_is_read() -> None:
    deepest = next(text for text in map(nested, range(250, 0, -1)) if is_read(text))
    data = {'result': {'data': {'debug': read_json(deepest)}}}
    assert deepest in event_to_json(TraceEvent('e', 1.0, 'RESULT', 'done', data=data))


def test_the_trace_holds_an_event_with_half_of_a_character() -> None:
    event = TraceEvent('e', 1.0, 'ERROR', 'no \ud800', data={'path': 'Bj\udcf6rn', 'x': math.nan})
    text = event_to_json(event)
    assert json.loads(text) == {
        'event_id': 'e',
        'ts': 1.0,
        'kind': 'ERROR',
        'message': 'no \N{REPLACEMENT CHARACTER}',
        'data': {
            'path': 'Bj\N{REPLACEMENT CHARACTER}rn',
            'x': None,
        },
    }


def is_read(text: str) -> bool:
    try:
        read_json(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize('number', ['NaN', '-Infinity', '1e999'])
def test_arguments_hold_only_numbers_that_json_has(number: str) -> None:
    assert read_arguments('{"a": [1e300]}') == {'a': [1e300]}
    with pytest.raises(ValueError, match='not JSON compliant'):
        read_arguments(f'{{"a": [{number}]}}')


@pytest.mark.parametrize(
    'text',
    [
        '{"a": 1, "a": 25}',
        '{"a": 1, "a": 1}',
        '{"a": 1, "\\u0061": 2}',
        '{"a": {"b": 1, "b": 2}}',
        '{"a": [1, {"b": 1, "c": 2, "b": 3}]}',
    ],
)
def test_arguments_have_each_name_once(text: str) -> None:
    with pytest.raises(RepeatedNameError, match='occurs twice in one object'):
        read_arguments(text)
    assert read_arguments('{"a": {"b": 1}, "b": {"a": 1}}')


LARGEST = int(sys.float_info.max)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-LARGEST, LARGEST))
def test_a_finite_number_is_taken(value: float) -> None:
    number = finite_number(value)
    assert isinstance(number, float)
    assert number == float(value)


@pytest.mark.parametrize(
    'value', [None, True, False, '1.5', [1.0], {}, math.nan, math.inf, -math.inf, 1j]
)
def test_everything_else_is_none(value: Any) -> None:
    assert finite_number(value) is None


@pytest.mark.parametrize('value', [2 * LARGEST, -2 * LARGEST, 10**400])
def test_an_integer_that_no_float_can_hold_is_none(value: int) -> None:
    assert finite_number(value) is None
