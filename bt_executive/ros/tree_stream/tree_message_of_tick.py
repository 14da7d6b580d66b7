"""One tick as `py_trees_ros_interfaces/msg/BehaviourTree`: behaviours, statistics, board.

The message of a behaviour is kept, and what has changed is entered; the whole is serialized once
for all streams that want the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
import time
from typing import Any
import uuid

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import KeyValue as DiagnosticValue
import numpy as np
from py_trees.behaviour import Behaviour
from py_trees.blackboard import ActivityItem
from py_trees.common import BlackBoxLevel, Status
from py_trees.composites import Parallel, Selector
from py_trees.composites import Sequence as SequenceComposite
from py_trees.decorators import Decorator
from py_trees_ros_interfaces.msg import ActivityItem as ActivityMsg
from py_trees_ros_interfaces.msg import Behaviour as BehaviourMsg
from py_trees_ros_interfaces.msg import BehaviourTree, KeyValue, Statistics
from rclpy.serialization import serialize_message
from unique_identifier_msgs.msg import UUID

from bt_executive.ros.tree_stream.blackboard_text_and_changes import (
    Board,
    ReadBoard,
    capped,
    differences,
)

AVERAGED_TICKS = 10  # as py_trees_ros does
NOBODY = UUID()
STATUS = {Status.INVALID: 1, Status.RUNNING: 2, Status.SUCCESS: 3, Status.FAILURE: 4}
BLACKBOX_LEVEL = {
    BlackBoxLevel.DETAIL: 1,
    BlackBoxLevel.COMPONENT: 2,
    BlackBoxLevel.BIG_PICTURE: 3,
    BlackBoxLevel.NOT_A_BLACKBOX: 4,
}


class Series:
    """The latest values of something measured in s."""

    def __init__(self) -> None:
        self._values: deque[float] = deque(maxlen=AVERAGED_TICKS)

    def add(self, value: float) -> None:
        """Enters a value."""
        self._values.append(value)

    def summary(self) -> tuple[float, float, float]:
        """Latest value, average, and variance of the sample; zeros before there are any."""
        values = self._values
        if not values:
            return 0.0, 0.0, 0.0
        average = sum(values) / len(values)
        squares = sum((value - average) ** 2 for value in values)
        return values[-1], average, squares / max(len(values) - 1, 1)


class TickStatistics:
    """Counts ticks from 0. Spans come from the steady clock, so none is ever negative."""

    def __init__(self) -> None:
        self.count = -1
        self.stamp_ns = 0  # system time
        self.durations = Series()
        self.intervals = Series()
        self._began_at: float | None = None

    def begin(self) -> None:
        """A tick begins."""
        now = time.monotonic()
        if self._began_at is not None:
            self.intervals.add(now - self._began_at)
        self._began_at = now
        self.stamp_ns = time.time_ns()
        self.count += 1

    def end(self) -> None:
        """It has ended."""
        if self._began_at is not None:
            self.durations.add(time.monotonic() - self._began_at)


@dataclass
class Kept:
    """The message of a behaviour, and what of it may change.

    Attributes:
        place: Its parent and its children; with others, the message is made anew.
        shown: Status, text, whether it is active, tip and current child.
    """

    place: tuple[Behaviour | None, ...]
    message: BehaviourMsg
    shown: tuple[Any, ...] = ()


class BehaviourMessages:
    """Makes the messages of one tree's behaviours, and brings them up to date at each tick."""

    def __init__(self, root: Behaviour) -> None:
        self._root = root
        self._kept: dict[Behaviour, Kept] = {}

    def of_tick(self, visited: Container[Behaviour]) -> list[BehaviourMsg]:
        """Those of all behaviours, children first and the root last."""
        return [self._of(node, node in visited) for node in self._root.iterate()]

    def _of(self, node: Behaviour, active: bool) -> BehaviourMsg:
        kept, place = self._kept.get(node), (node.parent, *node.children)
        if kept is None or kept.place != place:
            kept = self._kept[node] = Kept(place, _lasting(node))
        tip, current = node.tip(), getattr(node, 'current_child', None)
        shown = node.status, node.feedback_message, active, tip, current
        if kept.shown != shown:
            kept.shown, message = shown, kept.message
            message.status = STATUS[node.status]
            message.message = capped(node.feedback_message)
            message.is_active = active
            message.tip_id = NOBODY if tip is None or tip is node else _id(tip.id)
            message.current_child_id = _id(current.id) if current else NOBODY
        return kept.message


def _lasting(node: Behaviour) -> BehaviourMsg:
    """What is the same in every snapshot."""
    return BehaviourMsg(
        name=node.name,
        class_name=f'{node.__module__}.{type(node).__name__}',
        own_id=_id(node.id),
        parent_id=_id(node.parent.id) if node.parent else NOBODY,
        child_ids=[_id(each.id) for each in node.children],
        type=kind_of(node),
        additional_detail=detail_of(node),
        blackbox_level=BLACKBOX_LEVEL[node.blackbox_level],
        blackboard_access=_access(node),
    )


def tree_message(
    behaviours: Sequence[BehaviourMsg],
    changed: bool,
    values: Iterable[tuple[str, object]],
    activity: Iterable[ActivityItem],
    statistics: TickStatistics,
) -> bytes:
    """The whole, serialized. `values`: keys on the visited path; both may be empty."""
    seconds, nanoseconds = divmod(statistics.stamp_ns, 10**9)
    durations, intervals = statistics.durations.summary(), statistics.intervals.summary()
    message = BehaviourTree(
        behaviours=behaviours,
        changed=changed,
        blackboard_on_visited_path=[
            DiagnosticValue(key=key, value=capped(value)) for key, value in values
        ],
        blackboard_activity=[
            ActivityMsg(
                key=each.key,
                client_name=each.client_name,
                activity_type=each.activity_type,
                previous_value=capped(each.previous_value),
                current_value=capped(each.current_value),
            )
            for each in activity
        ],
        statistics=Statistics(
            count=statistics.count,
            stamp=Time(sec=seconds, nanosec=nanoseconds),
            tick_duration=durations[0],
            tick_duration_average=durations[1],
            tick_duration_variance=durations[2],
            tick_interval=intervals[0],
            tick_interval_average=intervals[1],
            tick_interval_variance=intervals[2],
        ),
    )
    return bytes(serialize_message(message))


def kind_of(node: Behaviour) -> int:
    """The number of the behaviour's type. The viewer breaks at 0 (unknown) and 5 (chooser)."""
    kinds = ((SequenceComposite, 2), (Selector, 3), (Parallel, 4), (Decorator, 6))
    return next((number for kind, number in kinds if isinstance(node, kind)), 1)


def detail_of(node: Behaviour) -> str:
    """Whether a composite has memory, or which policy a parallel has. The viewer parses this."""
    if isinstance(node, (SequenceComposite, Selector)):
        return 'WithMemory' if node.memory else ''
    if isinstance(node, Parallel):
        policy = type(node.policy).__name__.replace('Success', '')
        chosen = getattr(node.policy, 'children', None)
        if chosen is None:
            return policy
        return f'{policy}({", ".join(sorted(str(node.children.index(each)) for each in chosen))})'
    return ''


def _access(node: Behaviour) -> list[KeyValue]:
    return [
        KeyValue(key=key, value=access)
        for client in node.blackboards
        for keys, access in ((client.read, 'r'), (client.write, 'w'), (client.exclusive, 'x'))
        for key in sorted(keys)
    ]


@lru_cache(maxsize=1024)
def _id(number: uuid.UUID) -> UUID:
    return UUID(uuid=np.frombuffer(number.bytes, dtype=np.uint8))


class TickView:
    """What streams may want to know of one tick; each answer is made when first asked for.

    Lives in the tick thread, for as long as `after_tick` takes. `before`: the view of the previous
    tick, if a stream used it.
    """

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
