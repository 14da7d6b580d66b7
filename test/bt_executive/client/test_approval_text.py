"""How answers to requests for approval are written, and how requests are told."""

from __future__ import annotations

from typing import Any

import pytest

from bt_executive.client.front_end_requests import ApprovalAnswer, ServiceRequest
from bt_executive.client.state_and_approval_text import format_requests
from bt_executive.client.typed_commands import Vocabulary
from rover_common.config.load import load_config
from rover_common.errors import UsageError

ID = 'ask-0a1b2c-1'


@pytest.fixture(scope='module')
def vocabulary() -> Vocabulary:
    return Vocabulary(load_config())


@pytest.mark.parametrize(
    ('line', 'meaning'),
    [
        (':pending', ServiceRequest('pending')),
        (':approve', ApprovalAnswer('approve')),
        (f':approve {ID}', ApprovalAnswer('approve', ID)),
        (f'：approve　{ID}', ApprovalAnswer('approve', ID)),
        (':edit {"duration_s": 2}', ApprovalAnswer('edit', '', '{"duration_s": 2}')),
        (f':edit {ID} {{"duration_s": 2}}', ApprovalAnswer('edit', ID, '{"duration_s": 2}')),
        (':reject', ApprovalAnswer('reject')),
        (f':reject {ID}', ApprovalAnswer('reject', ID)),
        (':reject too near to it', ApprovalAnswer('reject', reason='too near to it')),
        (f':reject {ID} 崖に近い', ApprovalAnswer('reject', ID, reason='崖に近い')),
    ],
)
def test_what_an_answer_means(vocabulary: Any, line: str, meaning: Any) -> None:
    assert vocabulary.parse(line) == meaning
    assert vocabulary.is_about_approval(line)


@pytest.mark.parametrize(
    'line', [':edit', f':edit {ID}', ':edit duration_s=2', ':edit [2]', ':approve it', ':edit {']
)
def test_what_cannot_be_read_is_explained(vocabulary: Any, line: str) -> None:
    with pytest.raises(UsageError, match=r'takes the'):
        vocabulary.parse(line)


@pytest.mark.parametrize('line', ['', 'approve', ':stop', ':approved', 'go to :approve'])
def test_other_lines_are_not_about_approval(vocabulary: Any, line: str) -> None:
    assert not vocabulary.is_about_approval(line)


def test_what_waits_is_reported_with_the_time_that_is_left() -> None:
    request = {
        'id': ID,
        'tool': 'move_forward',
        'arguments': {'duration_s': 5.0},
        'risk': 'Moves the base',
        'amounts_to': '5 s, about 2.4 m straight ahead',
        'reason': 'to see\nmore',
        'expires_at': 160.0,
    }
    reported = format_requests([request], now=118.4)
    assert reported.splitlines() == [
        f'{ID}  move_forward(duration_s=5.0)  Moves the base  42 s left',
        '            that is: 5 s, about 2.4 m straight ahead',
        '            because: to see more',
    ]
    assert format_requests([], now=0.0) == 'No request waits.'


@pytest.mark.parametrize(
    'request_', [{}, {'expires_at': 'soon'}, {'expires_at': None}, {'expires_at': 10**400}]
)
def test_a_request_that_does_not_say_when_it_expires_is_shown_all_the_same(request_: Any) -> None:
    assert '? left' in format_requests([request_], now=0.0)
