"""A request is carried out at most once; what a changed call would do is described before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
import json
from typing import Any
import uuid

from fakes.web import FakePagePort
from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.client.front_end_requests import ApprovalAnswer, MemoryRequest, ToolRequest
from bt_executive.client.typed_commands import Vocabulary
from bt_executive.core.robot_state import Pose, RobotState
from bt_executive.core.state import BrainState
from bt_executive.view.current_presence_events_and_scores import CurrentView
from bt_executive.web.effects_of_edited_calls import ChangedCalls
from bt_executive.web.page_actions import OTHER_RUN, STOPPED_SINCE, PageActions, PageResult
from bt_executive.web.stops_of_pages import StopsOfPages
from rover_common.config.load import load_config
from rover_common.errors import UsageError

CONFIG = load_config()
VOCABULARY = Vocabulary(CONFIG)


def actions(port: FakePagePort, **more: Any) -> PageActions:
    return PageActions('life-1', VOCABULARY, port, **more)


def body(do: str = 'line', life: str = 'life-1', **fields: Any) -> bytes:
    return json.dumps({'id': str(uuid.uuid4()), 'life': life, 'do': do, **fields}).encode()


def test_a_goal_that_is_posted_twice_is_one_goal() -> None:
    port = FakePagePort()
    it, twice = actions(port), body(text='drive 2 m')
    assert it.handle(twice) == PageResult(True, '')
    assert it.handle(twice) == PageResult(True, '', again=True)
    assert len(port.asked) == 1


@given(st.lists(st.integers(0, 4), min_size=1, max_size=40))
def test_in_whatever_order_requests_come_again_each_is_carried_out_once(order: list[int]) -> None:
    port = FakePagePort()
    it = actions(port)
    bodies = [body(text=f'goal {number}') for number in range(5)]
    for number in order:
        it.handle(bodies[number])
    assert len(port.asked) == len(set(order))


HOLD = [
    {'text': ':safe_stop'},
    {'text': ':pause'},
    {'do': 'resolve', 'request': 'ask-0a1b2c-1', 'action': 'reject'},
    {'do': 'manual', 'on': False},
    {'do': 'path', 'text': '1 2'},
]
MOVE = [
    {'text': 'look around'},
    {'text': ':resume'},
    {'text': ':teleop forward'},
    {'do': 'resolve', 'request': 'ask-0a1b2c-1', 'action': 'approve'},
    {'do': 'resolve', 'request': 'ask-0a1b2c-1', 'action': 'edit', 'text': '{}'},
    {'do': 'manual', 'on': True},
    {'do': 'fault', 'text': 'camera_off', 'on': False},
]


@pytest.mark.parametrize('wish', [*HOLD, *MOVE])
def test_what_its_page_asked_before_a_stop_is_not_carried_out_after_it(wish: Any) -> None:
    port, stops, page = FakePagePort(), StopsOfPages(), str(uuid.uuid4())
    it = actions(port, stops=stops)
    stops.note(f'{page} 2')
    late = it.handle(body(page=page, number=1, **wish))
    assert late.text == (STOPPED_SINCE if wish in MOVE else '')
    assert bool(port.asked) is late.ok is (wish in HOLD)
    port.asked.clear()
    assert it.handle(body(page=page, number=3, **wish)).ok
    assert it.handle(body(page=str(uuid.uuid4()), **wish)).ok, 'of another page'
    assert it.handle(body(**wish)).ok
    assert len(port.asked) == 3


@pytest.mark.parametrize('typed', [':stop', 'stop!', '停止', ':safe_stop', ':pause'])
def test_a_stop_that_is_typed_counts_as_one_that_is_pressed(typed: str) -> None:
    port, page = FakePagePort(), str(uuid.uuid4())
    it = actions(port)
    assert it.handle(body(page=page, number=2, text=typed)).ok
    late = it.handle(body(page=page, number=1, text='look around'))
    assert late.text == ('' if typed == ':pause' else STOPPED_SINCE)  # a pause keeps the goals
    assert it.handle(body(page=page, number=3, text='look around')).ok


def test_a_request_to_a_previous_server_is_refused() -> None:
    port = FakePagePort()
    assert actions(port).handle(body(life='life-0', text='drive')) == PageResult(False, OTHER_RUN)
    assert not port.asked


def test_a_goal_that_the_trace_knows_is_not_started_again() -> None:
    port = FakePagePort()
    assert actions(port, knows_goal=lambda _: True).handle(body(text='drive')).ok
    assert not port.asked


@pytest.mark.parametrize(
    ('line', 'asked'),
    [
        ('stop', ('call_service', 'stop')),
        (':pause', ('call_service', 'pause')),
        ('：reset', ('call_service', 'reset')),
        (':step', ('set_stepping', True)),
        (':step off', ('set_stepping', False)),
        (':break', ('toggle_breakpoint', '')),
        (':break mast_closed', ('toggle_breakpoint', 'mast_closed')),
        (':break TIMED_OUT', ('toggle_breakpoint', 'TIMED_OUT')),
    ],
)
def test_lines_mean_what_they_mean_in_the_console(line: Any, asked: Any) -> None:
    port = FakePagePort()
    assert actions(port).handle(body(text=line)).ok
    assert port.asked == [asked]


def test_a_memory_request_has_the_id_of_its_page_request() -> None:
    port = FakePagePort()
    raw = body(text=':remember base camp')
    actions(port).handle(raw)
    ((_, request),) = port.asked
    assert request == MemoryRequest('remember', 'base camp', json.loads(raw)['id'])


def test_a_tool_by_hand_has_the_id_of_its_request() -> None:
    port = FakePagePort()
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
        ({'text': ':step maybe'}, 'maybe'),
        ({'text': ':break no_such_thing'}, 'no_such_thing'),
        ({'text': ':break mast_clsed'}, 'mast_clsed'),
        *(
            ({'do': 'path', 'text': text}, '')
            for text in ('', '5', '5 3 1', 'nan 1', 'inf 0', '<b>', '5 3; :stop')
        ),
        ({'do': 'fault', 'text': 'rm -rf'}, 'Unknown fault'),
        ({'do': 'resolve', 'request': 'ask-x', 'action': 'approve'}, 'id of a request'),
        ({'do': 'resolve', 'request': 'ask-0a1b2c-1', 'action': 'edit', 'text': '[]'}, 'JSON'),
    ],
)
def test_what_cannot_be_done_is_one_clear_sentence(fields: Any, words: str) -> None:
    port = FakePagePort()
    done = actions(port).handle(body(**fields))
    assert not done.ok
    assert done.text
    assert words in done.text
    assert not port.asked


@pytest.mark.parametrize(
    'raw',
    [b'', b'[]', b'{"id": 3}', b'\xff', b'{"id":"' + b'x' * 36 + b'","life":"","do":"line"}'],
)
def test_what_is_no_request_is_refused(raw: bytes) -> None:
    port = FakePagePort()
    assert 'not a request' in actions(port).handle(raw).text
    assert not port.asked


def test_answers_to_requests_keep_arguments_and_messages() -> None:
    port = FakePagePort()
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
    port = FakePagePort()
    it = actions(port)
    for fault in ('camera_off', 'hang:move_stop', 'late:capture_and_score'):
        it.handle(body('fault', text=fault, on=True))
    assert [node for _, node, *_ in port.asked] == [
        'rover',
        'curiosity_control',
        'environment_simulator',
    ]


def test_a_path_is_asked_for_and_nothing_is_started() -> None:
    port = FakePagePort()
    wish = body(do='path', text='5.25 -3')
    assert actions(port).handle(wish).ok
    assert port.asked == [('plan_path', json.loads(wish)['id'], 5.25, -3.0)]


ID = 'ask-0a1b2c-1'


def waiting(tool: str, robot: RobotState | None = None) -> Callable[[], CurrentView]:
    state = BrainState(robot=robot) if robot else None
    view = replace(CurrentView(), requests=({'id': ID, 'tool': tool},), state=state)
    return lambda: view


@pytest.mark.parametrize(
    ('tool', 'arguments', 'words'),
    [
        ('move_forward', {'duration_s': 2}, '2 s, about 0.97 m straight ahead'),
        ('navigate_to', {'x': 3, 'y': 4, 'heading': None}, '5.0 m or more, from x 0.0 m'),
        ('mast_open', {}, ''),
        ('a_tool_of_another_file', {'how': 1}, ''),
    ],
)
def test_the_effect_of_an_edit_is_described_like_the_request(
    tool: str, arguments: dict[str, Any], words: str
) -> None:
    robot = RobotState(pose=Pose(), pose_at=1.0)
    told = ChangedCalls(CONFIG, waiting(tool, robot)).describe(ID, arguments)
    assert told.startswith(words)
    assert bool(told) == bool(words)


@pytest.mark.parametrize(
    'robot', [None, RobotState(), RobotState(pose_at=1.0, ages={'pose': 9.0})]
)
def test_without_a_pose_no_distance_is_described(robot: RobotState | None) -> None:
    told = ChangedCalls(CONFIG, waiting('navigate_to', robot)).describe(ID, {'x': 3, 'y': 4})
    assert told == 'to x 3.0 m, y 4.0 m'


@pytest.mark.parametrize('arguments', [{'duration_s': 'long'}, {'speed': 1}, {'duration_s': -1}])
def test_an_invalid_edit_is_refused_before_it_is_sent(
    arguments: dict[str, Any],
) -> None:
    with pytest.raises(UsageError):
        ChangedCalls(CONFIG, waiting('move_forward')).describe(ID, arguments)


def test_a_request_that_waits_no_more_has_no_change() -> None:
    with pytest.raises(UsageError, match='does not wait'):
        ChangedCalls(CONFIG, CurrentView).describe(ID, {})


@pytest.mark.parametrize(
    ('text', 'ok', 'answer'),
    [('{"duration_s": 2}', True, '2 s'), ('{"duration_s": NaN}', False, ''), ('2', False, '')],
)
def test_a_page_asks_for_it_and_nothing_is_sent_to_the_robot(
    text: str, ok: bool, answer: str
) -> None:
    port = FakePagePort()
    change = ChangedCalls(CONFIG, waiting('move_forward')).describe
    done = actions(port, change=change).handle(body('change', request=ID, text=text))
    assert done.ok is ok
    assert done.text.startswith(answer)
    assert not port.asked
