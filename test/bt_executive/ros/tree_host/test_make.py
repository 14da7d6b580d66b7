"""Which host is chosen, and that its faults do not reach the tick."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import importlib.util

from py_trees.behaviour import Behaviour
from py_trees.behaviours import Dummy
import pytest
import rclpy
from rclpy.node import Node

from bt_executive.ros.tree_host.contained import ContainedHost
from bt_executive.ros.tree_host.identity import give_stable_ids
from bt_executive.ros.tree_host.make import make_tree_host

pytestmark = pytest.mark.ros


@pytest.fixture
def node() -> Iterator[Node]:
    context = rclpy.Context()
    rclpy.init(context=context)
    node = Node('executive', namespace='/rover_1', context=context)
    yield node
    node.destroy_node()
    context.try_shutdown()


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
