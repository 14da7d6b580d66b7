"""Chooses the tree host, gives stable ids to its behaviours, and contains its exceptions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

from py_trees.behaviour import Behaviour
from rclpy.node import Node

from bt_executive.ros.tree_stream.blackboard_text_and_changes import ReadBoard
from bt_executive.ros.tree_stream.own_tree_host import OwnTreeHost
from bt_executive.tree.subtrees_on_demand import fully_planted

REPORT_EVERY_S = 10.0
OURS = 'our own'
ACTIONS = 'py_trees_ros_interfaces.action'  # only the whole package has them


class TreeHost(Protocol):
    """Serves snapshot and blackboard streams of one tree, below `~/` of one node.

    The tick thread calls both methods; only it may read the tree. Everything that viewers ask for
    is answered by rclpy in the executor's thread, also while a tick takes long.
    """

    def before_tick(self) -> None:
        """A tick begins."""

    def after_tick(self, visited: Sequence[Behaviour]) -> None:
        """A tick has ended; `visited` are the behaviours it went through."""


def give_stable_ids(root: Behaviour) -> None:
    """Sets the id of every behaviour from its path. To be done before the first tick.

    Viewers read ids as UUIDs of version 4 and would change the bits of any other version.
    """
    _name(root, '')


def _name(node: Behaviour, path: str) -> None:
    node.id = UUID(bytes=sha256(path.encode()).digest()[:16], version=4)
    seen: dict[str, int] = {}
    for child in node.children:
        seen[child.name] = seen.get(child.name, 0) + 1
        _name(child, f'{path}\0{child.name}\0{seen[child.name]}')


@contextmanager
def undone_on_failure(node: Node) -> Iterator[None]:
    """Removes what was added to the node inside, if an exception is raised.

    That is services, clients, topics, timers and parameters; the exception goes on.
    """
    entities, parameters = _entities(node), _parameters(node)
    try:
        yield
    except Exception:
        for entity, destroy in _entities(node).items():
            if entity not in entities:
                destroy(entity)
        for name in _parameters(node) - parameters:
            node.undeclare_parameter(name)
        raise


def _entities(node: Node) -> dict[Any, Any]:
    """Each with the method that destroys it."""
    kinds = (
        (node.services, node.destroy_service),
        (node.clients, node.destroy_client),
        (node.publishers, node.destroy_publisher),
        (node.subscriptions, node.destroy_subscription),
        (node.timers, node.destroy_timer),
    )
    return {each: destroy for found, destroy in kinds for each in found}


def _parameters(node: Node) -> set[str]:
    return set(node.get_parameters_by_prefix(''))


class ContainedHost:
    """Passes ticks on; what the host raises is logged, and the next tick is tried again."""

    def __init__(self, node: Node, host: TreeHost) -> None:
        self._node = node
        self._host = host

    def before_tick(self) -> None:
        """A tick begins."""
        self._try(self._host.before_tick)

    def after_tick(self, visited: Sequence[Behaviour]) -> None:
        """A tick has ended."""
        self._try(lambda: self._host.after_tick(visited))

    def _try(self, act: Callable[[], None]) -> None:
        try:
            act()
        except Exception as error:  # whatever went wrong, the next tick must come
            self._node.get_logger().error(
                f'The tree is not shown: {type(error).__name__}: {error}',
                throttle_duration_sec=REPORT_EVERY_S,
            )


@dataclass(frozen=True)
class Choice:
    """A class of tree hosts, and in words which it is and why.

    `surprising`: py_trees_ros is installed, and ours is taken all the same.
    """

    kind: Any
    words: str
    surprising: bool = False


def choose_tree_host() -> Choice:
    """The distribution's `py_trees_ros` where it can be used, ours otherwise."""
    installed = find_spec('py_trees_ros')
    if installed is None:
        return Choice(OwnTreeHost, f'{OURS} (py_trees_ros is not installed)')
    try:
        from bt_executive.ros.tree_stream.distribution_tree_host import DistributionTreeHost
    except Exception as fault:  # half an installation raises what it likes
        return _use_own_host(_why_not(fault))
    return Choice(DistributionTreeHost, f'py_trees_ros of {Path(installed.origin or "").parent}')


def make_tree_host(node: Node, root: Behaviour, read_board: ReadBoard) -> TreeHost:
    """The chosen tree host, or ours if that one cannot be made; the log says which.

    To be called before the first tick, and before `node` is spun.
    """
    with fully_planted(root):
        give_stable_ids(root)
    choice = choose_tree_host()
    try:
        with undone_on_failure(node):
            host = choice.kind(node, root, read_board)
    except Exception as fault:  # looking at the robot must never keep it from working
        if choice.kind is OwnTreeHost:
            raise
        choice = _use_own_host(f'it failed with {type(fault).__name__}: {fault}')
        host = OwnTreeHost(node, root, read_board)
    if choice.surprising:
        node.get_logger().warning(f'Tree host: {choice.words}')
    else:
        node.get_logger().info(f'Tree host: {choice.words}')
    return ContainedHost(node, host)


def _use_own_host(why: str) -> Choice:
    return Choice(OwnTreeHost, f'{OURS}, although py_trees_ros is installed: {why}', True)


def _why_not(fault: Exception) -> str:
    if find_spec('py_trees_ros_interfaces') is not None and find_spec(ACTIONS) is None:
        return (
            'it needs the whole py_trees_ros_interfaces, and the reduced ones of '
            'interfaces/pip_only are found before them; take those out of this environment'
        )
    return f'it cannot be imported ({type(fault).__name__}: {fault})'
