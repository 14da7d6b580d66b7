"""Messages as a front end reads them: what it can show, or one short reason to refuse them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
import copy
from dataclasses import asdict
import io
import json
import math
from typing import Any

from bt_executive_interfaces.msg import (
    ApprovalRequest,
    ApprovalRequests,
    ExecutiveState,
    GoalEnd,
    PlannerWords,
)
from console_views import DRIVING_STATE, REQUEST
from conversations import Diary
from hypothesis import given
from hypothesis import strategies as st
import pytest
from rich.console import Console

from bt_executive.approval.approval_request import ApprovalRequest as Asked
from bt_executive.client.front_end_events import (
    ClientEvent,
    GoalEnded,
    PendingApprovals,
    PublishedGoalEnd,
    StateReceived,
    StreamedText,
)
from bt_executive.client.front_end_requests import ShowPage
from bt_executive.client.state_and_approval_text import format_state
from bt_executive.client.typed_commands import Vocabulary
from bt_executive.console.console_event_loop_and_queue import ViewStore
from bt_executive.console.console_line_order_goals_and_exit import Repl
from bt_executive.console.console_output import Display
from bt_executive.console.live_view_layout import Size, panel, to_ansi
from bt_executive.console.trace_event_narrator import Narrator
from bt_executive.console.trace_skill_cost_and_episode_tables import page
from bt_executive.core.state import BrainState, state_to_json
from bt_executive.ros.client.received_messages import (
    DEEPEST,
    LONGEST,
    LONGEST_PIECE,
    MOST_REQUESTS,
    error_line,
    goal_end_from_ros,
    read_event,
    read_object,
    read_state,
    read_summary,
    requests_from_ros,
    streamed_text_from_ros,
)
from bt_executive.ros.executive_publishers import request_to_ros, state_to_ros
from bt_executive.view.run_clock import RunClock
from bt_executive.view.run_view import RunView
from rover_common.clocks import Now
from rover_common.config.load import load_config
from rover_common.trace_event import TraceEvent

ASKED = Asked(
    request_id='ask-0a1b2c-1',
    task_id='t',
    task='drive',
    tool='move_nudge',
    arguments={'duration_s': 2.0, 'why': '明るい'},
    reason='それは\ud800明るい',
    risk='Moves the base',
    created_at=12.5,
    asked_at=100.0,
    expiry_s=60.0,
    facts={'moving': False},
    amounts_to='2 s, about 1 m',
)
PUBLISHED_REQUEST: dict[str, Any] = {'request_id': 'ask-0a1b2c-1', 'tool': 't', 'arguments': '{}'}
END = {'task_id': 't', 'outcome': 'reached', 'summary': '{}'}


def requests(**fields: Any) -> ApprovalRequests:
    return ApprovalRequests(requests=[ApprovalRequest(**PUBLISHED_REQUEST | fields)])


def test_a_request_arrives_as_it_was_made_and_half_a_character_ends_nobody() -> None:
    message = ApprovalRequests(requests=[request_to_ros(ASKED, ahead_s=1000.0)])
    same = ASKED.as_data() | {'reason': 'それは\N{REPLACEMENT CHARACTER}明るい'}
    for left_out in ('arguments_hash', 'expiry_s'):
        del same[left_out]
    assert requests_from_ros(message) == [same | {'expires_at': 1160.0}]


def test_a_state_arrives_as_it_was() -> None:
    text = state_to_ros(BrainState(), Now.at(0.0)).state_json
    assert read_state(text) == BrainState()
    later = json.loads(text)
    later['world']['wind_m_s'] = 3.0
    assert read_state(json.dumps(later)) == BrainState(), 'of a later version'


def test_a_piece_of_the_models_output_and_the_end_of_a_goal_arrive() -> None:
    assert streamed_text_from_ros(PlannerWords(kind='text', text='hel')) == StreamedText(
        'text', 'hel'
    )
    end = GoalEnd(**END | {'summary': '{"steps": 2}'}, answer='done')
    assert goal_end_from_ros(end) == PublishedGoalEnd('t', 'reached', 'done', {'steps': 2})


@pytest.mark.parametrize(
    ('read', 'message', 'reason'),
    [
        (requests_from_ros, requests(request_id=''), 'request_id and tool must not be empty'),
        (requests_from_ros, requests(tool=''), 'request_id and tool must not be empty'),
        (requests_from_ros, requests(arguments='[1]'), 'arguments is not a JSON object'),
        (requests_from_ros, requests(arguments='{"x": NaN}'), 'a number in it is not finite'),
        (requests_from_ros, requests(situation='{'), 'situation is not a JSON object'),
        (
            requests_from_ros,
            ApprovalRequests(requests=[ApprovalRequest()] * (MOST_REQUESTS + 1)),
            'more than 1000',
        ),
        (streamed_text_from_ros, PlannerWords(text='x' * (LONGEST_PIECE + 1)), 'more than 100000'),
        (goal_end_from_ros, GoalEnd(**END | {'task_id': ''}), 'must not be empty'),
        (goal_end_from_ros, GoalEnd(**END | {'summary': ''}), 'summary is not a JSON object'),
        (
            goal_end_from_ros,
            GoalEnd(**END | {'summary': '{"steps": "two"}'}),
            'steps is not a number',
        ),
        (read_state, ExecutiveState().state_json, 'JSON'),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(read: Any, message: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read(message)


CONFIG = load_config()
VOCABULARY = Vocabulary(CONFIG)
STATE = json.loads(state_to_json(DRIVING_STATE))
STATE['trace']['metrics'] = {
    'model': {'calls': 2, 'input_tokens': 9, 'output_tokens': 3, 'cost_usd': 0.1}
}
SUMMARY = {
    'outcome': 'reached',
    'goal': 'g',
    'answer': 'a',
    'steps': 1,
    'refusals': 0,
    'distance_m': 1.5,
    'first_score': 0.1,
    'last_score': None,
    'wall_s': 3.0,
    'model': STATE['trace']['metrics']['model'],
}
EVENTS: list[dict[str, Any]] = [
    {'kind': 'RESULT', 'data': {'goal_ended': SUMMARY, 'task_id': 'a goal'}, 'ok': True},
    {'kind': 'RESULT', 'tool_name': 't', 'score': 0.5, 'data': {'result': {'is_good': True}}},
    {'kind': 'DECIDE', 'tool_name': 't', 'ok': False, 'data': {'arguments': {'x': 1}}},
    {'kind': 'DECIDE', 'tool_name': 't', 'data': {'approval': REQUEST}},
    {'kind': 'ACT', 'data': {'question': 'left?', 'spoken': 'hello'}},
]
NUMBERS = st.sampled_from(
    [
        'NaN',
        'Infinity',
        '-Infinity',
        '1e999',
        '9' * 400,
        '-' + '9' * 400,
        '1e308',
        '0',
        '-1',
        '1.5',
    ]
)
SCALARS = st.one_of(
    NUMBERS, st.text(max_size=5).map(json.dumps), st.sampled_from(['null', 'true', '{}', '[]'])
)
DEEP = st.integers(1, 3000).map(lambda depth: '[' * depth + ']' * depth)
JSON = st.one_of(
    SCALARS,
    DEEP,
    SCALARS.map(lambda each: f'[{each}]'),
    st.tuples(st.sampled_from(['calls', 'cost_usd', 'x', 'model']), SCALARS).map(
        lambda pair: f'{{"{pair[0]}": {pair[1]}}}'
    ),
)
HOLE = 'hole-7d21'


def paths(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    inner: Iterable[tuple[Any, Any]] = value.items() if isinstance(value, dict) else ()
    inner = enumerate(value) if isinstance(value, list) else inner
    return [above, *(each for key, part in inner for each in paths(part, (*above, key)))]


def spoilt(good: Any, path: tuple[Any, ...], text: str) -> str:
    """The JSON of a value in which one place is something else, or missing (empty text)."""
    if not path:
        return text
    changed = copy.deepcopy(good)
    node = changed
    for key in path[:-1]:
        node = node[key]
    if not text:
        del node[path[-1]]
        return json.dumps(changed)
    node[path[-1]] = HOLE
    return json.dumps(changed).replace(f'"{HOLE}"', text)


def nearly(*good: Any) -> st.SearchStrategy[str]:
    """Messages of which one part is anything at all, and those that are anything as a whole."""
    return st.one_of(
        JSON,
        st.text(),
        *(_nearly(each) for each in good),
    )


def _nearly(good: Any) -> st.SearchStrategy[str]:
    """Each part at the top is as likely as every other, however much it holds."""
    parts = [
        [path for path in paths(good) if path[:1] == top]
        for top in dict.fromkeys(path[:1] for path in paths(good))
    ]
    path = st.sampled_from(parts).flatmap(st.sampled_from)
    return st.builds(spoilt, st.just(good), path, st.just('') | JSON)


def show(event: ClientEvent) -> None:
    """Everything that the console does with a message."""
    run = RunView(CONFIG)
    run.apply(event, 1.0, 1.0)
    for columns in (20, 200):
        to_ansi(panel(run, Size(columns, 20), 12.0), columns, colours=True)
    store = ViewStore(lambda: 0.0, CONFIG, lambda: 0.0)
    store.run = run
    display = Display(
        Console(file=io.StringIO(), width=80, force_terminal=True),
        store.time,
        lambda look: page(look, store, CONFIG),
    )
    for at in ('trace', 'cost'):
        display.show_page(ShowPage(at))
    if isinstance(event, (TraceEvent, PendingApprovals)):
        diary = Diary()
        repl = Repl(VOCABULARY, diary, diary, lambda: 0.0, one_at_a_time=False)
        Narrator(repl, display).apply(event)
    if isinstance(event, StateReceived):
        display.show_reply(format_state(event.state, event.now))


def check(read: Callable[[str], Any], wrap: Callable[[Any], ClientEvent], text: str) -> None:
    try:
        message = read(text)
    except ValueError:
        return
    show(wrap(message))


@given(nearly(STATE))
def test_any_state_is_refused_or_shown(text: str) -> None:
    check(read_state, lambda state: StateReceived(state, 142.0), text)


@given(nearly(*({'event_id': 'e', 'ts': 1.0, 'message': 'm'} | each for each in EVENTS)))
def test_any_event_is_refused_or_shown(text: str) -> None:
    check(read_event, lambda event: event, text)


@given(nearly({'duration_s': 2.0}))
def test_any_arguments_of_a_request_are_refused_or_shown(text: str) -> None:
    check(
        lambda arguments: REQUEST | {'arguments': read_object(arguments, 'arguments')},
        lambda request: PendingApprovals((request,), 5.0),
        text,
    )


@given(nearly(SUMMARY))
def test_any_summary_is_refused_or_shown(text: str) -> None:
    try:
        summary = read_summary(text)
    except ValueError:
        return
    display = Display(
        Console(file=io.StringIO()), RunClock(lambda: 0.0, 0.0), lambda look: look.page
    )
    display.show_summary({'outcome': 'reached', 'answer': '', **summary})
    display.show_end(GoalEnded(1, 'reached', '', summary))


@pytest.mark.parametrize('task_id', ['[1]', '{}', '1', 'null'])
def test_an_event_whose_goal_has_no_name_is_refused(task_id: str) -> None:
    event = {'event_id': 'e', 'ts': 1.0, 'message': 'm', 'kind': 'RESULT', 'data': {'task_id': 0}}
    text = json.dumps(event).replace('"task_id": 0', f'"task_id": {task_id}')
    with pytest.raises(ValueError, match='task_id must be a string'):
        read_event(text)


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        (json.dumps(STATE | {'robot': asdict(DRIVING_STATE.robot) | {'battery_pct': math.nan}}),
         'a number in it is not finite'),
        (json.dumps(STATE | {'robot': {'battery_pct': 10**400}}), 'too large'),
        (json.dumps(STATE | {'robot': {'battery_pct': 'full'}}), 'battery_pct'),
        ('[' * (DEEPEST + 2) + ']' * (DEEPEST + 2), f'nested more than {DEEPEST} deep'),
        ('[' * 100_000, 'recursion'),
        (' ' * (LONGEST + 1), f'more than {LONGEST}'),
    ],
)  # fmt: skip
def test_the_reason_says_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the words are looked at below
        read_state(text)
    assert words in error_line(caught.value)
