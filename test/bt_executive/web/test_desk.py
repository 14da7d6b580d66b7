"""What the operator at the page is told of this moment."""

from __future__ import annotations

from bt_executive.client.events import AdapterSeen
from bt_executive.view.current import CurrentView
from bt_executive.web.desk import Desk


def test_why_a_held_motion_does_not_move_is_said_once_for_each_time_it_is_held() -> None:
    it = Desk(lambda: 100.0)
    for navigation_goal in (1, 1, 1, 2):
        it.apply(AdapterSeen('a', True, navigation_goal, 'Need to close mast'), CurrentView())
    said = [text for _, ok, text in it.view.replies if not ok]
    assert said == ['It does not move: Need to close mast'] * 2


def test_what_an_executive_drives_is_no_matter_of_the_hand() -> None:
    it = Desk(lambda: 100.0)
    it.apply(AdapterSeen('a', False, 1, 'Need to close mast'), CurrentView())
    assert not it.view.replies
