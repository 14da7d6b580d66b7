"""What the operator at the page is told of this moment."""

from __future__ import annotations

from bt_executive.client.events import (
    AdapterSeen,
    ExecutiveLost,
    ExecutiveQuiet,
    ExecutiveReady,
)
from bt_executive.web.desk import Desk


def desk() -> Desk:
    return Desk(lambda: 100.0)


def test_an_executive_is_quiet_until_it_is_heard_again() -> None:
    it = desk()
    seen = []
    for event in (ExecutiveReady(), ExecutiveQuiet(True), ExecutiveQuiet(False)):
        it.take(event)
        seen.append(it.view.presence)
    assert seen == ['ready', 'quiet', 'ready']


def test_an_executive_that_is_lost_is_not_ready_because_something_was_heard() -> None:
    it = desk()
    for event in (ExecutiveReady(), ExecutiveLost('It ended.'), ExecutiveQuiet(False)):
        it.take(event)
    assert it.view.presence == 'lost'


def test_why_a_held_motion_does_not_move_is_said_once_for_each_time_it_is_held() -> None:
    it = desk()
    for journey in (1, 1, 1, 2):
        it.take(AdapterSeen('a', True, journey, 'Need to close mast'))
    said = [text for _, ok, text in it.view.replies if not ok]
    assert said == ['It does not move: Need to close mast'] * 2


def test_what_an_executive_drives_is_no_matter_of_the_hand() -> None:
    it = desk()
    it.take(AdapterSeen('a', False, 1, 'Need to close mast'))
    assert not it.view.replies
