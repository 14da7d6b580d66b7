"""The executive's board: keys, values, and who reads and writes them."""

from __future__ import annotations

from pathlib import Path
import re
from typing import Any

import pytest
from tree_bench import MakeBench

from bt_executive.core.executive_ports import Proposal
from bt_executive.core.inputs import BatteryReceived, PoseReceived
from bt_executive.ros.tree_stream.blackboard_mirror import (
    PARTS,
    READS,
    WRITES,
    declare_access,
    read_board,
)
from bt_executive.ros.tree_stream.blackboard_text_and_changes import (
    board_text,
    differences,
    variable_names,
)
from bt_executive.tree.subtrees_on_demand import fully_planted

DOCUMENT = Path(__file__).parents[4] / 'docs' / 'viewers.md'


def test_a_refused_move_can_be_read_off(bench: MakeBench) -> None:
    it = bench(Proposal('m1', 'move_nudge', {}, 'nearer'))
    it.status(mast_is_open=True)
    it.inbox.put(PoseReceived(it.now, 1.234, -0.5, 0.1))
    it.goal('find light')
    board = read_board(it.context)
    assert str(board['/battery']) == 'UNKNOWN', 'no reading has come'
    it.inbox.put(BatteryReceived(it.now, 100.0))
    assert board['/mode'] == 'IDLE'
    it.tick()
    board = read_board(it.context)
    assert board['/mode'] == 'EXEC'
    assert board['/goal'] == 'find light'
    assert board['/mast'] == 'open'
    assert 'Need to close mast' in str(board['/decision']) + str(board['/verdict'])
    text = board_text(board, ['/pose.x', 'pose.yaw', '/pose', 'battery.percent', 'none.such'])
    assert [line.split(' : ')[1] for line in text.splitlines()] == [
        '1.23', '0.1', 'x 1.23 m, y -0.50 m, yaw 0.10 rad', '100.0', '-',
    ]  # fmt: skip


def test_every_key_is_documented_and_every_accessed_key_exists(bench: MakeBench) -> None:
    board = read_board(bench().context)
    documented = re.findall(r'^\| `(/\w+)` \|', DOCUMENT.read_text(encoding='utf-8'), re.MULTILINE)
    assert documented == list(board)
    accessed = {key for table in (READS, WRITES) for keys in table.values() for key in keys}
    assert accessed <= {*board, PARTS}
    assert {'/pose', '/pose.x', '/battery.percent'} <= set(variable_names(board))


def test_behaviours_tell_what_they_access(bench: MakeBench) -> None:
    with fully_planted(bench().executive.root) as root:
        declare_access(root, ['mast'])
        writers = {
            key: node.name
            for node in root.iterate()
            for client in node.blackboards
            for key in client.write
        }
    assert writers['/mode'] == writers['/mast'] == 'Look at the world'
    assert writers['/proposal'] == 'Ask for the next tool'


@pytest.mark.parametrize(
    ('before', 'told'),
    [
        (None, []),
        ({'/a': 1, '/b': None}, [('/b', 'INITIALISED', None, 2)]),
        ({'/a': 0, '/b': 2}, [('/a', 'WRITE', 0, 1)]),
    ],
)
def test_activity_is_the_difference(before: dict[str, object] | None, told: list[Any]) -> None:
    items = differences(before, {'/a': 1, '/b': 2})
    assert [
        (each.key, each.activity_type, each.previous_value, each.current_value) for each in items
    ] == told
