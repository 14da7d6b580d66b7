"""Arguments into the fields of a request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.skills.message_mapping import NO_REASON, error_code, read_response, reason_of
from bt_executive.skills.tool_registry import Registry
from rover_common.config.settings import ResultFields

Configured = Callable[[Callable[[dict[str, Any]], None]], Any]


@pytest.fixture
def request_of(configured: Configured, lamp: Any) -> Callable[..., Any]:
    """The request of a skill whose entry is changed, for some arguments."""

    def make(entry: dict[str, Any], arguments: dict[str, Any]) -> Any:
        config = configured(lambda content: content['tools'].update(lamp=lamp(**entry)))
        return Registry(config)['lamp'].request(arguments)

    return make


def schema(**properties: Any) -> dict[str, Any]:
    return {'args': properties}


def test_an_argument_goes_to_the_field_of_its_name(request_of: Any) -> None:
    assert request_of({}, {'data': True}) == {'data': True}


def test_a_field_may_have_another_name_and_lie_deeper(request_of: Any) -> None:
    entry = schema(
        x='goal.pose.position.x', y={'field': 'goal.pose.position.y'}, frame='goal.frame_id'
    )
    assert request_of(entry, {'x': 1.0, 'y': 2.0, 'frame': 'map'}) == {
        'goal': {'pose': {'position': {'x': 1.0, 'y': 2.0}}, 'frame_id': 'map'}
    }


def test_an_absent_argument_takes_its_default_or_is_left_out(request_of: Any) -> None:
    entry = schema(data={'default': True}, level={})
    assert request_of(entry, {}) == {'data': True}
    assert request_of(entry, {'data': False}) == {'data': False}


def test_the_duration_of_a_motion_is_not_sent(request_of: Any) -> None:
    entry = schema(duration_s={'type': 'number'}, data={})
    entry['motion'] = {'stop': 'adapter.move_stop', 'duration_arg': 'duration_s'}
    assert request_of(entry, {'duration_s': 3.0, 'data': True}) == {'data': True}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=8,
)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(['ok', 'reason', 'code', 'debug', 'x']), json_values))
def test_any_response_can_be_read(fields: dict[str, Any]) -> None:
    reading = ResultFields(ok='ok', reason='reason', code='x.y', json_fields={'debug': ''})
    result = read_response(reading, fields)
    assert result.ok is bool(fields.get('ok')) or error_code(reading, fields)
    assert result.ok or result.error_reason


@pytest.mark.parametrize(
    ('fields', 'ok', 'reason'),
    [
        ({'success': True, 'message': ''}, True, ''),
        ({'success': False, 'message': 'Need to close mast'}, False, 'Need to close mast'),
        ({'success': False, 'message': ''}, False, NO_REASON),
        ({}, False, NO_REASON),
    ],
)
def test_success_and_reason(fields: dict[str, Any], ok: bool, reason: str) -> None:
    result = read_response(ResultFields(ok='success', reason='message'), fields)
    assert (result.ok, result.error_reason) == (ok, reason)


@pytest.mark.parametrize(
    ('value', 'code', 'ok'),
    [
        (0, None, False),  # as MoveIt says that nothing is known
        (1, None, True),  # as MoveIt says that all is well
        (2, 'NAV_BLOCKED', False),
        (7, None, False),
        (-7.5, None, False),
        (None, None, True),
        ('7', None, True),
        ([2], None, True),
    ],
)
def test_a_number_is_an_error_code_by_the_table(value: Any, code: str | None, ok: bool) -> None:
    reading = ResultFields(code='error.code', codes={1: '', 2: 'NAV_BLOCKED'})
    fields = {'error': {'code': value}}
    assert error_code(reading, fields) == code
    assert read_response(reading, fields).ok is ok


@pytest.mark.parametrize(
    ('codes', 'ok'), [({2: 'NAV_BLOCKED'}, True), ({0: 'UNDEFINED', 1: ''}, False)]
)
def test_zero_is_no_error_unless_another_number_is(codes: dict[int, str], ok: bool) -> None:
    result = read_response(ResultFields(code='code', codes=codes), {'code': 0})
    assert (result.ok, result.error_reason) == (ok, '' if ok else 'UNDEFINED')


def test_a_number_that_the_table_does_not_list_is_a_failure_with_the_servers_reason() -> None:
    reading = ResultFields(reason='why', code='code', codes={2: 'NAV_BLOCKED'})
    assert read_response(reading, {'code': 7, 'why': 'a rock'}).error_reason == 'a rock'
    assert read_response(reading, {'code': 7, 'why': ''}).error_reason == 'Error 7'


def test_what_a_list_of_the_response_says_is_read() -> None:
    result = ResultFields(ok='parts[1].done', code='parts[1].code', codes={2: 'BROKEN'})
    parts = [{'done': True, 'code': 0}, {'done': True, 'code': 2}]
    assert error_code(result, {'parts': parts}) == 'BROKEN'
    assert not read_response(result, {'parts': parts}).ok
    assert read_response(result, {'parts': [parts[1], parts[0]]}).ok
    by_code = ResultFields(code='parts[1].code', reason='message')
    cut = read_response(by_code, {'parts': parts[:1], 'message': ''})
    assert (cut.ok, cut.error_reason) == (False, 'The response has no parts[1].code')


def test_text_is_an_error_code_as_it_stands() -> None:
    reading = ResultFields(code='code', reason='why')
    fields = {'code': 'NAV_BLOCKED', 'why': 'a rock'}
    assert error_code(reading, fields) == 'NAV_BLOCKED'
    assert reason_of(reading, fields) == read_response(reading, fields).error_reason == 'a rock'


def test_json_text_becomes_data_and_other_text_stays_text() -> None:
    reading = ResultFields(json_fields={'debug': 'stats', 'all': ''})
    result = read_response(reading, {'debug': '{"a": 1}', 'all': '{"b": 2}', 'x': 3})
    assert result.data == {'stats': {'a': 1}, 'b': 2, 'x': 3}
    assert read_response(reading, {'debug': 'not json'}).data == {'stats': 'not json'}
    assert read_response(reading, {'all': '[1]'}).data == {'all': [1]}
    deep = '[' * 400 + ']' * 400  # the trace could not hold it
    assert read_response(reading, {'debug': deep}).data == {'stats': deep}
    huge = f'{{"places": [{10**400}]}}'  # no reader of the state could make anything of it
    assert read_response(reading, {'all': huge}).data == {'all': huge}
