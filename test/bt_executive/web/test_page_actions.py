"""A request that comes twice, late, or from an earlier server is carried out at most once."""

from __future__ import annotations

import json
from typing import Any
import uuid

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.client.front_end_requests import ApprovalAnswer, MemoryRequest, ToolRequest
from bt_executive.client.typed_commands import Vocabulary
from bt_executive.web.page_actions import OTHER_RUN, PageActions, PageResult
from rover_common.config.load import load_config

VOCABULARY = Vocabulary(load_config(None))


class Port:
    def __init__(self) -> None:
        self.asked: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self.asked.append((name, *arguments))


def actions(port: Port, **more: Any) -> PageActions:
    return PageActions('life-1', VOCABULARY, port, **more)


def body(do: str = 'line', life: str = 'life-1', **fields: Any) -> bytes:
    return json.dumps({'id': str(uuid.uuid4()), 'life': life, 'do': do, **fields}).encode()


def test_a_goal_that_is_posted_twice_is_one_goal() -> None:
    port = Port()
    it, twice = actions(port), body(text='drive 2 m')
    assert it.handle(twice) == PageResult(True, '')
    assert it.handle(twice) == PageResult(True, '', again=True)
    assert len(port.asked) == 1


@given(st.lists(st.integers(0, 4), min_size=1, max_size=40))
def test_in_whatever_order_requests_come_again_each_is_carried_out_once(order: list[int]) -> None:
    port = Port()
    it = actions(port)
    bodies = [body(text=f'goal {number}') for number in range(5)]
    for number in order:
        it.handle(bodies[number])
    assert len(port.asked) == len(set(order))


def test_a_request_to_a_previous_server_is_refused() -> None:
    port = Port()
    assert actions(port).handle(body(life='life-0', text='drive')) == PageResult(False, OTHER_RUN)
    assert not port.asked


def test_a_goal_that_the_trace_knows_is_not_started_again() -> None:
    port = Port()
    assert actions(port, knows_goal=lambda _: True).handle(body(text='drive')).ok
    assert not port.asked


@pytest.mark.parametrize(
    ('line', 'asked'),
    [
        ('stop', ('call_service', 'stop')),
        (':pause', ('call_service', 'pause')),
        ('：reset', ('call_service', 'reset')),
    ],
)
def test_lines_mean_what_they_mean_in_the_console(line: Any, asked: Any) -> None:
    port = Port()
    assert actions(port).handle(body(text=line)).ok
    assert port.asked == [asked]


def test_a_memory_request_has_the_id_of_its_page_request() -> None:
    port = Port()
    raw = body(text=':remember base camp')
    actions(port).handle(raw)
    ((_, request),) = port.asked
    assert request == MemoryRequest('remember', 'base camp', json.loads(raw)['id'])


def test_a_tool_by_hand_has_the_id_of_its_request() -> None:
    port = Port()
    assert actions(port).handle(body(text=':tool move_forward {"duration_s": 2}')).ok
    (_, _, request) = port.asked[0]
    assert isinstance(request, ToolRequest)
    assert request.goal_id


@pytest.mark.parametrize(
    ('fields', 'words'),
    [
        ({'text': ''}, 'Write a goal'),
        ({'text': ':nonsense'}, 'Unknown command'),
        ({'text': 'x' * 9000}, 'at most'),
        ({'text': ':approve'}, 'buttons'),
        ({'do': 'fault', 'text': 'rm -rf'}, 'Unknown fault'),
        ({'do': 'resolve', 'request': 'ask-x', 'action': 'approve'}, 'id of a request'),
        ({'do': 'resolve', 'request': 'ask-0a1b2c-1', 'action': 'edit', 'text': '[]'}, 'JSON'),
    ],
)
def test_what_cannot_be_done_is_one_clear_sentence(fields: Any, words: str) -> None:
    port = Port()
    done = actions(port).handle(body(**fields))
    assert not done.ok
    assert words in done.text
    assert not port.asked


@pytest.mark.parametrize(
    'raw',
    [b'', b'[]', b'{"id": 3}', b'\xff', b'{"id":"' + b'x' * 36 + b'","life":"","do":"line"}'],
)
def test_what_is_no_request_is_refused(raw: bytes) -> None:
    port = Port()
    assert 'not a request' in actions(port).handle(raw).text
    assert not port.asked


def test_answers_to_requests_keep_arguments_and_messages() -> None:
    port = Port()
    it = actions(port)
    ask = {'request': 'ask-0a1b2c-1'}
    it.handle(body('resolve', action='approve', **ask))
    it.handle(body('resolve', action='edit', text='{"duration_s": 2}', **ask))
    it.handle(body('resolve', action='reject', text='too far', **ask))
    assert [answer for _, answer in port.asked] == [
        ApprovalAnswer('approve', 'ask-0a1b2c-1'),
        ApprovalAnswer('edit', 'ask-0a1b2c-1', arguments='{"duration_s": 2}'),
        ApprovalAnswer('reject', 'ask-0a1b2c-1', reason='too far'),
    ]


def test_faults_go_to_the_node_that_has_them() -> None:
    port = Port()
    it = actions(port)
    for fault in ('camera_off', 'hang:move_stop', 'late:capture_and_score'):
        it.handle(body('fault', text=fault, on=True))
    assert [node for _, node, *_ in port.asked] == [
        'rover',
        'curiosity_control',
        'environment_simulator',
    ]


def test_a_path_is_asked_for_and_nothing_is_started() -> None:
    port = Port()
    wish = body(do='path', text='5.25 -3')
    assert actions(port).handle(wish).ok
    assert port.asked == [('plan_path', json.loads(wish)['id'], 5.25, -3.0)]


@pytest.mark.parametrize('text', ['', '5', '5 3 1', 'nan 1', 'inf 0', '<b>', '5 3; :stop'])
def test_what_is_no_place_is_no_path(text: str) -> None:
    port = Port()
    done = actions(port).handle(body(do='path', text=text))
    assert not done.ok
    assert done.text
    assert not port.asked


@pytest.mark.parametrize(
    ('line', 'asked'),
    [
        (':step', ('set_stepping', True)),
        (':step off', ('set_stepping', False)),
        (':break', ('toggle_breakpoint', '')),
        (':break mast_closed', ('toggle_breakpoint', 'mast_closed')),
        (':break TIMED_OUT', ('toggle_breakpoint', 'TIMED_OUT')),
    ],
)
def test_stepping_is_asked_of_the_executive(line: str, asked: tuple[str, Any]) -> None:
    port = Port()
    assert actions(port).handle(body(text=line)).ok
    assert port.asked == [asked]


@pytest.mark.parametrize('line', [':step maybe', ':break no_such_thing', ':break mast_clsed'])
def test_a_breakpoint_that_could_never_be_met_is_refused(line: str) -> None:
    port = Port()
    done = actions(port).handle(body(text=line))
    assert not done.ok
    assert line.split()[1] in done.text
    assert not port.asked
