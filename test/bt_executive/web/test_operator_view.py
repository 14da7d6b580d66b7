"""What the operator at the page is told of this moment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bt_executive.client.front_end_events import (
    AdapterStatusReceived,
    ExecutiveLost,
    PathPlanned,
    PictureReceived,
    PlacesRecalled,
    StateReceived,
)
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState
from bt_executive.view.current_presence_events_and_scores import CurrentView
from bt_executive.web.objections_to_a_drive import Objection
from bt_executive.web.operator_view import OperatorViewFold
from rover_common.config.load import load_config


def test_the_refusal_of_a_held_motion_is_shown_once_per_hold() -> None:
    it = OperatorViewFold(lambda: 100.0)
    for navigation_goal in (1, 1, 1, 2):
        it.apply(
            AdapterStatusReceived('a', True, navigation_goal, 'Need to close mast'), CurrentView()
        )
    said = [text for _, ok, text in it.view.replies if not ok]
    assert said == ['It does not move: Need to close mast'] * 2


def test_what_an_executive_drives_is_no_matter_of_the_hand() -> None:
    it = OperatorViewFold(lambda: 100.0)
    it.apply(AdapterStatusReceived('a', False, 1, 'Need to close mast'), CurrentView())
    assert not it.view.replies


@pytest.mark.parametrize(
    ('parts', 'against'),
    [
        (
            {'mast': 'open', 'mast_is_open': True},
            (Objection('mast_closed', 'Need to close mast', 'mast_close'),),
        ),
        ({}, (Objection('mast_closed', 'State of the mast is not known', 'mast_close'),)),
        ({'mast': 'closed', 'mast_is_open': False}, ()),
    ],
)
def test_what_speaks_against_a_drive_is_shown_before_it(
    parts: dict[str, object], against: tuple[Objection, ...]
) -> None:
    it = OperatorViewFold(lambda: 100.0, load_config())
    state = BrainState(robot=RobotState(parts=parts))  # type: ignore[arg-type]
    it.apply(StateReceived(state, 100.0), replace(CurrentView(), state=state))
    assert it.view.against == against


def test_a_robot_without_navigation_has_no_objections(tmp_path: Path) -> None:
    (tmp_path / 'robot.yaml').write_text('robot: lamp\n')
    it = OperatorViewFold(lambda: 100.0, load_config(tmp_path))
    state = BrainState()
    it.apply(StateReceived(state, 100.0), replace(CurrentView(), state=state))
    assert it.view.against is None


def test_the_latest_picture_keeps_its_age_when_the_executive_is_lost() -> None:
    it = OperatorViewFold(lambda: 100.0)
    it.apply(PictureReceived(1.0, b'jpeg', live=True), CurrentView())
    it.apply(ExecutiveLost('killed'), CurrentView(presence='lost'))
    assert (it.view.camera, it.view.camera_at) == (1, 100.0)


@pytest.mark.parametrize(
    ('parts', 'ages', 'words'),
    [
        ({}, {}, ''),
        ({'mast': 'closed'}, {}, ''),
        ({'mast': 'closed', 'mast_is_open': False}, {}, 'mast closed'),
        ({'mast': 'open', 'mast_is_open': True}, {'status': 8.0}, 'mast open (8 s ago)'),
        ({'mast': 'closed', 'mast_is_open': True}, {}, 'mast closed, mast is open'),
    ],
)
def test_what_guards_read_of_the_robot_is_shown_as_they_read_it(
    parts: dict[str, Any], ages: dict[str, float], words: str
) -> None:
    it = OperatorViewFold(lambda: 100.0, load_config())
    state = BrainState(robot=RobotState(parts=parts, ages=ages))
    it.apply(StateReceived(state, 100.0), replace(CurrentView(), state=state))
    assert it.view.guarded == (('mast', words),)


def test_of_a_robot_without_such_guards_nothing_is_shown(tmp_path: Path) -> None:
    (tmp_path / 'robot.yaml').write_text('robot: lamp\n')
    it = OperatorViewFold(lambda: 100.0, load_config(tmp_path))
    it.apply(StateReceived(BrainState(), 100.0), replace(CurrentView(), state=BrainState()))
    assert it.view.guarded == ()


def test_what_topics_have_of_the_robot_is_shown_on_one_line_each() -> None:
    it, robot = (
        OperatorViewFold(lambda: 100.0),
        RobotState(parts={'held': 'a\nb'}, parts_at={'held': 1.0}),
    )
    state = BrainState(robot=robot)
    it.apply(StateReceived(state, 100.0), replace(CurrentView(), state=state))
    assert it.view.parts == ('held a b',)


def test_a_path_and_what_was_recalled_are_shown() -> None:
    it = OperatorViewFold(lambda: 100.0)
    path = PathPlanned('key', 5.0, 3.0, '', ((0.0, 0.0), (5.0, 3.0)), 6.1, 14.0)
    found = (('layered rock', 8.0, 2.0),)
    assert it.apply(path, CurrentView())
    assert it.apply(PlacesRecalled(found), CurrentView())
    assert (it.view.path, it.view.found) == (path, found)


@pytest.mark.parametrize(
    ('path_m', 'changes', 'says'),
    [
        (44.4, {}, '44 m to a place 5.0 m away: it turns in circles'),
        (5.4, {}, ''),
        (44.4, {'reason': 'There is no path'}, ''),
        (44.4, {'pose_at': None}, ''),
        (44.4, {'ages': {'pose': 9.0}}, ''),
    ],
)
def test_the_reason_of_a_long_path_is_shown_before_driving(
    path_m: float, changes: dict[str, Any], says: str
) -> None:
    it = OperatorViewFold(lambda: 100.0, load_config())
    reason = changes.pop('reason', '')
    state = BrainState(robot=replace(RobotState(pose_at=1.0), **changes))
    path = PathPlanned('key', 3.0, 4.0, reason, (), path_m, 14.0)
    it.apply(path, replace(CurrentView(), state=state))
    assert it.view.why_long.startswith(says)
    assert bool(it.view.why_long) == bool(says)
