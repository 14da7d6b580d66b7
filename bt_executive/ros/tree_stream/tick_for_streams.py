"""What streams may want to know of one tick; each answer is worked out when first asked for.

Lives in the tick thread, for as long as `after_tick` takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from py_trees.behaviour import Behaviour
from py_trees.blackboard import ActivityItem
from py_trees.common import Status
from py_trees_ros_interfaces.msg import Behaviour as BehaviourMsg

from bt_executive.ros.tree_stream.blackboard_activity import differences
from bt_executive.ros.tree_stream.snapshot_statistics import TickStatistics
from bt_executive.ros.tree_stream.tree_host import Board, ReadBoard
from bt_executive.ros.tree_stream.tree_message import BehaviourMessages, tree_message


class TickView:
    """One tick. `before`: the view of the previous tick, if a stream used it."""

    def __init__(
        self,
        behaviours: BehaviourMessages,
        statistics: TickStatistics,
        read_board: ReadBoard,
        visited: Sequence[Behaviour],
        before: TickView | None,
    ) -> None:
        self._of_tree = behaviours
        self._statistics = statistics
        self._read_board = read_board
        self._visited = visited
        cached = vars(before) if before else {}  # only what was asked for in time
        self._visited_before: Sequence[Behaviour] | None = cached.get('_visited')
        self._statuses_before: list[Status] | None = cached.get('statuses')
        self._values_before: Board | None = cached.get('values')
        self._messages: dict[tuple[bool, bool], bytes] = {}

    def is_like(self, visited: Sequence[Behaviour]) -> bool:
        """Whether a later tick went through the same behaviours, with the same statuses."""
        then = vars(self).get('statuses')  # as they were in time, or not at all
        return visited == self._visited and [node.status for node in visited] == then

    @cached_property
    def statuses(self) -> list[Status]:
        """The statuses of the visited behaviours."""
        return [node.status for node in self._visited]

    @cached_property
    def changed(self) -> bool:
        """Whether the visited behaviours or their statuses differ from the previous tick."""
        # each tick's: lists of the same objects are compared in no time
        return self.statuses != self._statuses_before or self._visited != self._visited_before

    @cached_property
    def values(self) -> Board:
        """The board."""
        return self._read_board()

    @cached_property
    def keys_on_path(self) -> frozenset[str]:
        """Keys that a visited behaviour reads or writes."""
        clients = (client for node in self._visited for client in node.blackboards)
        return frozenset[str]().union(
            *(keys for each in clients for keys in (each.read, each.write, each.exclusive))
        )

    @cached_property
    def activity(self) -> tuple[ActivityItem, ...]:
        """The changes of the board since the previous tick."""
        return tuple(differences(self._values_before, self.values))

    def message(self, changed: bool, with_values: bool, activity: Iterable[ActivityItem]) -> bytes:
        """The message for a stream, which streams that want the same share."""
        items = tuple(activity)
        cached = self._messages.get((changed, with_values))
        if cached is not None and not items:
            return cached
        on_path = [
            (key, value) for key, value in self.values.items() if key in self.keys_on_path
        ] if with_values else []  # fmt: skip
        message = tree_message(self._behaviours, changed, on_path, items, self._statistics)
        if not items:
            self._messages[changed, with_values] = message
        return message

    @cached_property
    def _behaviours(self) -> list[BehaviourMsg]:
        return self._of_tree.of_tick(frozenset(self._visited))
