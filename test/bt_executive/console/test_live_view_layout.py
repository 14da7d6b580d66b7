from __future__ import annotations

from dataclasses import replace
import re
from typing import Any

from console_views import (
    ALL,
    ASKED,
    CHARGE,
    DRIVING,
    GOAL,
    IDLE,
    LOST,
    PAUSED,
    REQUEST,
    SAFE,
    STARTING,
    TREE,
    run_of,
)
from hypothesis import given
from hypothesis import strategies as st
import pytest
from rich.text import Text

from bt_executive.client.tree_fold import TreeNode
from bt_executive.console.live_view_layout import Size, panel, rows_for, to_ansi
from bt_executive.view.current_presence_events_and_scores import CurrentView

NOW = 12.0
HOSTILE = '\x1b[2J\x1b]0;owned\x07\r\n\u202eleft \x9b31m'


def shown(view: CurrentView, columns: int = 80, rows: int = 10) -> str:
    return '\n'.join(line.plain.rstrip() for line in panel(run_of(view), Size(columns, rows), NOW))


def test_a_goal_under_way_at_80_columns() -> None:
    assert shown(replace(DRIVING, streamed_text='')) == '\n'.join(
        [
            '──  EXEC  step 0, 42 s ──────────────────────────────── battery ▇▇▇▇▇▇▇░ 87 % ──',
            'goal     地面のテクスチャを調査して（Analyze the ground texture）',
            'next     take a picture of the big rock',
            'score    ▁▄█ 0.96 good',
            'robot    x 0.0 m, y 0.0 m, 0°, mast open, stands',
            '▸ Executive › Act by priority › Pursue the goal › One round',
            '  ✓ Check the proposal  allowed',
            '  ▸ Run the tool',
            '    ✗ Mast closed?  Need to close mast',
            '    ▸ Drive  1.2 s left',
        ]
    )


@pytest.mark.parametrize(
    ('view', 'words'),
    [
        (STARTING, 'START  waiting for the executive, 12 s'),
        (LOST, 'GONE  the executive does not answer, 1 min 22 s; waiting'),
        (CurrentView('ready'), 'READY  waiting for its state'),
        (IDLE, 'IDLE  waiting for a goal'),
        (DRIVING, 'EXEC  step 0, 42 s'),
        (replace(DRIVING, presence='quiet'), 'EXEC  no message from the executive; this is old'),
        (SAFE, 'SAFE  for 42 s; :reset ends it'),
        (SAFE, ' cliff ahead'),
        (CHARGE, 'CHARGE  for 2 min; goals resume by themselves'),
        (CHARGE, ' battery low: 18 %'),
        (SAFE, '12 %'),
        (DRIVING, '暗いので、マストを回して別の方向を見ます。'),
        (ASKED, 'approve? move_forward(duration_s=2)  48 s left  :approve or :reject'),
        (ASKED, 'ask-0a1b2c; Moves the rover; 明るい場所を探します'),
        (ASKED, 'WAITS  for you to approve or reject a call'),
        (replace(ASKED, requests=()), 'WAITS  for your answer'),
        (PAUSED, 'PAUSE  :resume ends it'),
        (PAUSED, ' paused by the console'),
        (ASKED, 'asks you 左ですか、右ですか？'),
    ],
)
@pytest.mark.parametrize('columns', [80, 200])
def test_what_matters_is_reported_at_every_width(view: Any, words: str, columns: int) -> None:
    assert words in shown(view, columns, 20)


def test_at_200_columns_the_tree_stands_beside_the_facts() -> None:
    lines = shown(DRIVING, 200, 20).splitlines()
    assert any('▸ Executive' in line and f'│ goal     {GOAL}' in line for line in lines)


@pytest.mark.parametrize('name', ALL)
@pytest.mark.parametrize('columns', [1, 20, 80, 139, 140, 200])
@pytest.mark.parametrize('rows', [1, 2, 10, 22])
def test_every_view_keeps_its_room(name: Any, columns: int, rows: int) -> None:
    lines = panel(run_of(ALL[name]), Size(columns, rows), NOW)
    assert len(lines) == rows
    assert all(line.cell_len <= columns for line in lines)


def test_the_columns_line_up_whatever_stands_in_them() -> None:
    wide = TreeNode('地面', 'running', '調査' * 200, (TreeNode('é️', 'running', 'ok'),))
    lines = panel(run_of(replace(ASKED, tree=wide)), Size(200, 20), NOW)[1:]
    borders = {Text(line.plain.split('│')[0]).cell_len for line in lines if '│' in line.plain}
    assert len(borders) == 1


def test_what_is_urgent_is_seen_first_also_in_a_small_room() -> None:
    assert 'asks you' in shown(ASKED, 40, 4)
    assert shown(ASKED, 20, 1).count('\n') == 0


@pytest.mark.parametrize('columns', [20, 80, 200])
def test_hostile_text_is_text(columns: int) -> None:
    view = replace(
        ASKED,
        streamed_text=HOSTILE,
        question=HOSTILE,
        requests=(
            {**REQUEST, 'tool': HOSTILE, 'reason': HOSTILE, 'risk': HOSTILE, 'id': HOSTILE},
        ),
        tree=TreeNode(HOSTILE, 'running', HOSTILE, (TREE,)),
    )
    ansi = to_ansi(panel(run_of(view), Size(columns, 22), NOW), columns, colours=False)
    for sequence in ('\x1b[2J', '\x1b]', '\x07', '\r', '\x9b', '\u202e', '\x01'):
        assert sequence not in ansi
    assert ansi.count('\n') == 21


def test_requests_of_strangers_may_have_any_form() -> None:
    odd: tuple[dict[str, Any], ...] = (
        {},
        {'arguments': 3, 'expires_at': 'soon'},
        {'tool': None, 'risk': ['x'], 'id': 4},
    )
    assert 'approve?' in shown(replace(IDLE, requests=odd))


@pytest.mark.parametrize(('view', 'style'), [(SAFE, '41'), (CHARGE, '43'), (PAUSED, '43')])
@pytest.mark.parametrize('columns', [40, 80, 200])
def test_what_holds_the_robot_fills_whole_rows_with_its_colour(
    view: CurrentView, style: str, columns: int
) -> None:
    first, second, third, *_ = to_ansi(
        panel(run_of(view), Size(columns, 10), NOW), columns, colours=True
    ).splitlines()
    for row in (first, second):
        plain = re.sub(r'\x1b\[[0-9;]*m', '', row)
        assert Text(plain).cell_len == columns
        assert re.fullmatch(r'\x1b\[[0-9;]*' + style + r'm.*\x1b\[0m', row)
        assert row.count('\x1b[') == 2, 'one colour from the first cell to the last'
    assert style + 'm' not in third


def test_colours_only_if_they_are_wanted() -> None:
    lines = panel(run_of(SAFE), Size(80, 10), NOW)
    assert '41m' in to_ansi(lines, 80, colours=True)
    plain = to_ansi(lines, 80, colours=False)
    assert '41m' not in plain
    assert '\x1b[1m' in plain  # bold stays


@pytest.mark.parametrize('columns', [80, 200])
def test_labels_are_dim_and_what_they_label_is_not(columns: int) -> None:
    ansi = to_ansi(panel(run_of(IDLE), Size(columns, 10), NOW), columns, colours=True)
    assert '\x1b[2mrobot    \x1b[0mx 0.0 m' in ansi
    assert '\x1b[0m waiting for a goal' in ansi


@pytest.mark.parametrize(('terminal', 'rows'), [(2, 1), (5, 1), (10, 4), (24, 10), (50, 22)])
def test_the_log_keeps_the_larger_part_of_the_screen(terminal: int, rows: int) -> None:
    assert rows_for(terminal) == rows


@pytest.mark.slow
@given(st.text(), st.text(), st.integers(1, 150), st.integers(1, 22))
def test_no_text_breaks_the_room(name: str, message: str, columns: int, rows: int) -> None:
    view = replace(
        DRIVING, streamed_text=message, tree=TreeNode(name, 'running', message, (TREE,))
    )
    lines = panel(run_of(view), Size(columns, rows), NOW)
    assert len(lines) == rows
    assert all(line.cell_len <= columns for line in lines)
    assert to_ansi(lines, columns, colours=True).count('\n') == rows - 1


def test_the_way_that_remains_is_seen_at_80_columns() -> None:
    names = ('Pursue the goal', 'One round', 'Do it if it may be done', 'Run the tool', 'Navigate')
    way = 'distance left 49.8 m, time left 190 s'
    node = TreeNode('Call /adapter/navigate_to_pose', 'running', way)
    for name in reversed(names):
        node = TreeNode(name, 'running', '', (node,))
    assert way in shown(replace(DRIVING, tree=node))
