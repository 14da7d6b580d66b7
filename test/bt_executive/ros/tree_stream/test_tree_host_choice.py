"""Which host is chosen, that its faults do not reach the tick, and ids that never change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import importlib.util
import os
from pathlib import Path
import subprocess
import sys

import py_trees
from py_trees.behaviour import Behaviour
from py_trees.behaviours import Dummy
import pytest
from rclpy.node import Node
from std_msgs.msg import String
from std_srvs.srv import Trigger
from two_nodes import own_context

from bt_executive.ros.tree_stream import tree_host_choice
from bt_executive.ros.tree_stream.blackboard_text_and_changes import ReadBoard
from bt_executive.ros.tree_stream.tree_host_choice import (
    ContainedHost,
    give_stable_ids,
    make_tree_host,
)

pytestmark = pytest.mark.ros


@pytest.fixture
def node() -> Iterator[Node]:
    with own_context() as context:
        node = Node('executive', namespace='/rover_1', context=context)
        yield node
        node.destroy_node()


def test_the_host_serves_below_the_node_in_its_namespace(node: Node) -> None:
    root = Dummy('root')
    host = make_tree_host(node, root, dict)
    host.before_tick()
    host.after_tick(list(root.tick()))
    served = {name for name, _ in node.get_service_names_and_types()}
    folder = '/rover_1/executive'
    assert {
        f'{folder}/snapshot_streams/{verb}' for verb in ('open', 'close', 'reconfigure')
    } <= served
    assert {
        f'{folder}/blackboard_streams/{verb}' for verb in ('open', 'close', 'get_variables')
    } <= served
    same = Dummy('root')
    give_stable_ids(same)
    assert root.id == same.id


def test_py_trees_ros_serves_where_it_is_there(node: Node) -> None:
    make_tree_host(node, Dummy('root'), dict)
    there = importlib.util.find_spec('py_trees_ros') is not None
    served = {name for name, _ in node.get_service_names_and_types()}
    introspects = '/rover_1/executive/introspection/snapshot_streams/services' in served
    assert introspects is there


def test_a_host_that_fails_half_way_leaves_nothing_and_ours_serves(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    class HalfMade:
        def __init__(self, node: Node, root: Behaviour, read_board: ReadBoard) -> None:
            node.declare_parameter('default_snapshot_period', 1.0)
            node.create_service(Trigger, '~/snapshot_streams/open', lambda _, answer: answer)
            node.create_timer(1.0, lambda: None)
            node.create_publisher(String, '~/half', 1)
            raise AttributeError('a new py_trees has no such name')

    choice = tree_host_choice.Choice(HalfMade, 'py_trees_ros')
    monkeypatch.setattr(tree_host_choice, 'choose_tree_host', lambda: choice)
    told: list[str] = []
    logger = node.get_logger()
    monkeypatch.setattr(logger, 'warning', told.append)
    monkeypatch.setattr(node, 'get_logger', lambda: logger)
    root = Dummy('root')
    host = make_tree_host(node, root, dict)
    host.before_tick()
    host.after_tick(list(root.tick()))
    assert told == [
        'Tree host: our own, although py_trees_ros is installed: '
        'it failed with AttributeError: a new py_trees has no such name'
    ]
    assert not any(each.topic_name.endswith('/half') for each in node.publishers)
    served = dict(node.get_service_names_and_types())
    opens = served['/rover_1/executive/snapshot_streams/open']
    assert opens == ['py_trees_ros_interfaces/srv/OpenSnapshotStream']


@pytest.mark.parametrize(
    ('package', 'words'),
    [
        ('raise RuntimeError("half an installation")', 'RuntimeError: half an installation'),
        ('import py_trees_ros_interfaces.action', 'the reduced ones of interfaces/pip_only'),
    ],
)
def test_py_trees_ros_that_cannot_be_imported_is_told(
    tmp_path: Path, package: str, words: str
) -> None:
    """In a process of its own, where a package of this name stands before any other."""
    (tmp_path / 'py_trees_ros').mkdir()
    (tmp_path / 'py_trees_ros' / '__init__.py').write_text(package)
    if 'reduced' in words and importlib.util.find_spec(tree_host_choice.ACTIONS) is not None:
        pytest.skip('the whole interfaces are installed here')
    script = (
        'from bt_executive.ros.installed_versions_and_parts import parts_in_use; '
        'print(dict(parts_in_use()))'
    )
    paths = os.pathsep.join([str(tmp_path), *sys.path])
    told = subprocess.run(
        [sys.executable, '-c', script],
        env={**os.environ, 'PYTHONPATH': paths},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert 'our own, although py_trees_ros is installed' in told
    if 'reduced' in words or importlib.util.find_spec(tree_host_choice.ACTIONS) is not None:
        assert words in told


class Broken:
    """A host that always fails."""

    def before_tick(self) -> None:
        raise RuntimeError('before')

    def after_tick(self, visited: Sequence[Behaviour]) -> None:
        raise ValueError(f'after {len(visited)}')


def test_faults_of_a_host_do_not_reach_the_tick(node: Node) -> None:
    host = ContainedHost(node, Broken())
    host.before_tick()
    host.after_tick([])


def tree() -> Behaviour:
    sequence = py_trees.composites.Sequence
    twins = [sequence('twin', False, [Dummy('a'), Dummy('a')]) for _ in range(2)]
    guarded = py_trees.decorators.Inverter('twin', sequence('twin', False, [Dummy('a')]))
    return sequence('root', False, [*twins, guarded])


def ids(root: Behaviour) -> list[str]:
    give_stable_ids(root)
    assert {node.id.version for node in root.iterate()} == {4}
    return [str(node.id) for node in root.iterate()]


def test_ids_are_stable_and_tell_twins_apart_and_a_new_child_changes_no_other() -> None:
    root = tree()
    first = ids(root)
    assert first == ids(tree())
    assert len(set(first)) == len(first)
    root.add_child(Dummy('new'))  # type: ignore[attr-defined]
    assert set(first) < set(ids(root))
