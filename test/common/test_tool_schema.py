"""Arguments are checked in a tick: no schema of a file makes that long."""

from __future__ import annotations

import time
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
import pytest

from rover_common.tool_schema import ToolSchema, allows, schema_faults


def doubling(times: int) -> dict[str, Any]:
    """A schema of few words that is 2 ** times schemas."""
    both = [[{'$ref': f'#/$defs/d{each - 1}'}] * 2 for each in range(1, times)]
    defs = {f'd{number}': {'allOf': pair} for number, pair in enumerate(both, 1)}
    return {'$defs': {'d0': {'type': 'number'}, **defs}, '$ref': f'#/$defs/d{times - 1}'}


@pytest.mark.parametrize('pattern', ['^(a+)+$', '^(a|a)*$', '^(a*)*b$', '(.*a){20}$'])
def test_a_pattern_that_python_would_never_have_matched_is_matched_at_once(pattern: str) -> None:
    schema = {'type': 'object', 'properties': {'text': {'type': 'string', 'pattern': pattern}}}
    assert not [*schema_faults(schema)]
    began = time.process_time()
    assert not ToolSchema(schema).is_valid({'text': 'a' * 60 + '!' * 40})
    assert time.process_time() - began < 1.0


UNIQUE = {'type': 'array', 'uniqueItems': True}


@pytest.mark.slow
def test_items_that_cannot_be_sorted_are_compared_at_once() -> None:
    items = [{'a': number} for number in range(1500)]
    began = time.process_time()
    assert ToolSchema(UNIQUE).is_valid(items)
    assert not ToolSchema(UNIQUE).is_valid([*items, {'a': 0}])
    assert time.process_time() - began < 1.0


SCALARS = st.none() | st.booleans() | st.sampled_from([0, 1, 0.0, 1.0, -0.0, '', '0', 'a'])
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from('ab'), inner, max_size=2)
    ),
    max_leaves=4,
)


@pytest.mark.slow
@example([True, 1], True)
@example([[1], [1.0]], True)
@example([{'a': False}, {'a': 0}], True)
@given(st.lists(VALUES, max_size=5), st.booleans())
def test_items_are_unique_as_json_schema_has_it(items: list[Any], wanted: bool) -> None:
    schema = {**UNIQUE, 'uniqueItems': wanted}
    ours, library = (
        kind(schema).iter_errors(items) for kind in (ToolSchema, Draft202012Validator)
    )
    assert [each.message for each in ours] == [each.message for each in library]


def nested(times: int) -> dict[str, Any]:
    schema: dict[str, Any] = {'type': 'number'}
    for _ in range(times):
        schema = {'allOf': [schema]}
    return schema


@pytest.mark.parametrize(
    ('pattern', 'text', 'fits'),
    [
        ('b+', 'abc', True),
        ('^b+', 'abc', False),
        (r'^\d{2}$', '42', True),
        ('^(cup|mug)$', 'cups', False),
        ('^[ぁ-ん]+$', 'りんご', True),
        ('b', 7, True),
    ],
)
def test_a_pattern_is_searched_for_in_texts(pattern: str, text: object, fits: bool) -> None:
    assert ToolSchema({'pattern': pattern}).is_valid(text) is fits


@pytest.mark.parametrize(('value', 'fits'), [('b', True), ('', False), (None, False)])
def test_a_reference_of_an_argument_leads_into_the_whole_schema(value: Any, fits: bool) -> None:
    given = {'from': {'type': 'string', 'minLength': 1}, 'to': {'$ref': '#/properties/from'}}
    assert allows({'type': 'object', 'properties': given}, 'to', value) is fits


@pytest.mark.parametrize(
    ('schema', 'sentence'),
    [
        ({'pattern': '('}, "pattern '(' is no regular expression that takes linear time"),
        ({'pattern': r'(a)\1'}, 'without look-around and references back'),
        ({'items': [{'pattern': '(?=a)b'}]}, 'without look-around and references back'),
        ({'pattern': '(a|b)?' * 100}, 'a pattern has 600 characters: write 300 at most'),
        ({'not': {'patternProperties': {'a': {}}}}, 'patternProperties is not taken'),
        ({'allOf': [{'$schema': 'x', 'pattern': 'a'}]}, '$schema is not taken: leave it out'),
        (nested(40), 'more than 32 lists and keys stand within each other'),
        (nested(2000), 'more than 32 lists and keys stand within each other'),
        (doubling(26), 'its $ref make more than 2000 schemas of it'),
    ],
)
def test_what_could_be_slow_is_refused(schema: dict[str, Any], sentence: str) -> None:
    assert any(sentence in each for each in schema_faults(schema))


@pytest.mark.parametrize(
    'schema',
    [
        {'properties': {'pattern': {'type': 'string'}}},
        {'$ref': '#'},
        {'$defs': {'a': {'items': {'$ref': '#/$defs/a'}}}, '$ref': '#/$defs/a'},
        {'$ref': '#/nowhere'},
        doubling(6),
    ],
)
def test_what_is_not_slow_is_taken(schema: dict[str, Any]) -> None:
    assert not [*schema_faults(schema)]
