"""The map and the curve in braille: in their bounds, true to what was driven, with the robot."""

from __future__ import annotations

from dataclasses import replace
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.client.front_end_events import StateReceived
from bt_executive.console.braille_drawings import (
    Canvas,
    bar,
    drawings,
    score_curve,
    score_map,
    sparkline,
)
from bt_executive.console.live_view_layout import WIDEST, Size, panel
from bt_executive.core.robot_state import Pose, RobotState
from bt_executive.core.state import BrainState
from bt_executive.core.value_formatting import format_duration
from bt_executive.view.current_presence_events_and_scores import Score
from bt_executive.view.run_view import RunView

PLACES = st.lists(st.tuples(st.floats(-1e5, 1e5), st.floats(-1e5, 1e5)), min_size=1, max_size=30)


def dots(rows: list[str]) -> int:
    return sum((ord(cell) - 0x2800).bit_count() for row in rows for cell in row)


def test_a_line_across_has_a_dot_in_each_column() -> None:
    canvas = Canvas(5, 2)
    canvas.line([(0, 3), (9, 3)])
    assert canvas.rows() == ['⣀' * 5, '⠀' * 5]


def test_what_is_outside_is_left_out() -> None:
    canvas = Canvas(2, 1)
    canvas.dot(-1, 0)
    canvas.dot(4, 0)
    canvas.dot(0, 4)
    assert dots(canvas.rows()) == 0


def driven(*places: tuple[float, float], yaw: float = 0.0) -> RunView:
    run = RunView()
    for x, y in places:
        robot = RobotState(pose=Pose(x=x, y=y, yaw=yaw), pose_at=1.0)
        run.apply(StateReceived(BrainState(robot=robot), 1.0), 1.0)
    return run


def test_the_path_grows_with_what_was_driven_and_not_with_standing_still() -> None:
    poses = driven((0, 0), (0, 0.001), (1, 0), (1, 1)).series.poses
    assert [*zip(poses.x, poses.y, strict=True)] == [(0, 0), (1, 0), (1, 1)]


def test_a_place_that_is_none_is_on_no_map() -> None:
    assert score_map(driven((float('nan'), 0.0), (1e300, 0.0)), 30, 8) == []


def test_a_pose_that_another_thread_is_adding_is_not_drawn_yet() -> None:
    run = driven((0, 0), (5, 0))
    before, poses = score_map(run, 30, 8), run.series.poses
    for column in (poses.ts, poses.x, poses.y):  # the yaw follows
        column.append(9.0)
        assert score_map(run, 30, 8) == before


def test_the_robot_is_an_arrow_in_its_direction() -> None:
    text = '\n'.join(line.plain for line in score_map(driven((0, 0), (5, 0), yaw=1.57), 30, 8))
    assert '↑' in text
    assert 'x 5.0 m' in text


@given(PLACES, st.integers(1, 80), st.integers(1, 30))
@pytest.mark.slow
def test_nothing_leaves_its_bounds(
    places: list[tuple[float, float]], columns: int, rows: int
) -> None:
    run = driven(*places)
    run.current = replace(run.current, scores=(Score(0.2, False), Score(7.0, True)))
    lines = drawings(run, columns, rows)
    assert len(lines) <= rows
    assert all(line.cell_len <= max(columns, 40) for line in lines)


def test_a_curve_rises_with_the_scores() -> None:
    _, *rows = score_curve([Score(0.0, False), Score(1.0, True)], 10, 3)
    assert dots([rows[0].plain[5:]]) > 0
    assert dots([rows[0].plain[:3]]) == 0


def test_the_map_stands_on_the_right_of_a_very_wide_terminal_alone() -> None:
    run = driven((0, 0), (3, 1))
    for columns, there in ((WIDEST, True), (WIDEST - 1, False)):
        lines = panel(run, Size(columns, 12), 1.0)
        text = '\n'.join(line.plain for line in lines)
        assert ('map  x 3.0 m' in text) is there
        assert all(line.cell_len <= columns for line in lines)


ANY_NUMBER = st.floats(allow_nan=True, allow_infinity=True)


@pytest.mark.parametrize(
    ('values', 'line'),
    [([], ''), ([0.0, 1.0], '▁█'), ([0.0, 0.5, 0.97, 2.0, -1.0, math.nan], '▅██▁▁')],
)
def test_the_latest_values_are_drawn(values: Any, line: str) -> None:
    assert sparkline(values, 5) == line


@pytest.mark.parametrize(('share', 'drawn'), [(0.0, '░░░░'), (0.5, '▇▇░░'), (3.0, '▇▇▇▇')])
def test_a_bar(share: float, drawn: str) -> None:
    assert bar(share, 4) == drawn


@pytest.mark.parametrize(
    ('seconds', 'words'),
    [
        (-3.0, '0 s'),
        (7.9, '7 s'),
        (125.0, '2 min 5 s'),
        (4320.0, '1 h 12 min'),
        (3600.0, '1 h'),
        (math.nan, '0 s'),
    ],
)
def test_spans_of_time(seconds: Any, words: str) -> None:
    assert format_duration(seconds) == words


@given(st.lists(ANY_NUMBER, max_size=20), ANY_NUMBER, st.integers(0, 12))
def test_whatever_is_measured_the_room_is_kept(
    values: list[float], share: float, cells: int
) -> None:
    assert len(sparkline(values, cells)) == min(len(values), cells)
    assert len(bar(share, cells)) == cells
    assert format_duration(share)
