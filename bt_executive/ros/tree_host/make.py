"""The one place that chooses a tree host."""

from __future__ import annotations

from py_trees.behaviour import Behaviour
from rclpy.node import Node

from bt_executive.ros.tree_host.contained import ContainedHost
from bt_executive.ros.tree_host.identity import give_stable_ids
from bt_executive.ros.tree_host.own_host import OwnTreeHost
from bt_executive.ros.tree_host.port import ReadBoard, TreeHost


def make_tree_host(node: Node, root: Behaviour, read_board: ReadBoard) -> TreeHost:
    """The distribution's `py_trees_ros` where it can be imported, ours otherwise.

    To be called before the first tick, and before `node` is spun.
    """
    give_stable_ids(root)
    try:
        from bt_executive.ros.tree_host.distribution_host import DistributionTreeHost
    except ImportError as absent:
        node.get_logger().debug(f'Tree host: our own, for py_trees_ros is not there ({absent})')
        return ContainedHost(node, OwnTreeHost(node, root, read_board))
    node.get_logger().debug('Tree host: py_trees_ros of this distribution')
    return ContainedHost(node, DistributionTreeHost(node, root, read_board))
