"""Messages of the executive as a front end reads them: values, or one short reason."""

from __future__ import annotations

from typing import Any

from bt_executive_interfaces.msg import (
    ApprovalRequest,
    ApprovalRequests,
    ExecutiveState,
    GoalEnd,
    PlannerWords,
)
import pytest

from bt_executive.approval.approval_request import ApprovalRequest as Asked
from bt_executive.client.front_end_events import StreamedText
from bt_executive.core.state import BrainState
from bt_executive.ros.client.received_messages import (
    LONGEST_PIECE,
    MOST_REQUESTS,
    goal_end_from_ros,
    requests_from_ros,
    state_from_ros,
    streamed_text_from_ros,
)
from bt_executive.ros.executive_publishers import request_to_ros, state_to_ros
from rover_common.clocks import Now

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
REQUEST: dict[str, Any] = {'request_id': 'ask-0a1b2c-1', 'tool': 't', 'arguments': '{}'}
END = {'task_id': 't', 'outcome': 'reached', 'summary': '{}'}


def requests(**fields: Any) -> ApprovalRequests:
    return ApprovalRequests(requests=[ApprovalRequest(**REQUEST | fields)])


def test_a_request_arrives_as_it_was_made_and_half_a_character_ends_nobody() -> None:
    message = ApprovalRequests(requests=[request_to_ros(ASKED, ahead_s=1000.0)])
    same = ASKED.as_data() | {'reason': 'それは\N{REPLACEMENT CHARACTER}明るい'}
    for left_out in ('arguments_hash', 'expiry_s'):
        del same[left_out]
    assert requests_from_ros(message) == [same | {'expires_at': 1160.0}]


def test_a_state_arrives_as_it_was() -> None:
    assert state_from_ros(state_to_ros(BrainState(), Now.at(0.0))) == BrainState()


def test_a_piece_of_the_models_output_and_the_end_of_a_goal_arrive() -> None:
    assert streamed_text_from_ros(PlannerWords(kind='text', text='hel')) == StreamedText(
        'text', 'hel'
    )
    end = GoalEnd(**END | {'summary': '{"steps": 2}'}, answer='done')
    assert goal_end_from_ros(end) == ('t', 'reached', 'done', {'steps': 2})


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
        (state_from_ros, ExecutiveState(), 'JSON'),
    ],
)
def test_what_cannot_be_is_refused_with_a_reason(read: Any, message: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read(message)
