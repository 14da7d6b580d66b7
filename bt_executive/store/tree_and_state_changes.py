"""The changes of the tree and of the state by ticks, for tree.jsonl.

The tree is recorded as its structure once, then by the changes of each tick; the state by part and
field, such as `robot.pose` or `hci.question`. The tools of a run are left out: they are
part of its configuration.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, Literal

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Parallel, Selector, Sequence
from py_trees.decorators import Decorator

from bt_executive.core.state import BrainState
from bt_executive.store.run_folder_formats import RecordedNode, StatusLetter, TreeTick
from rover_common.json_values import to_json_value

MAX_MESSAGE_CHARS = 300  # of a feedback message
MESSAGE_PERIOD_S = 1.0  # of messages that change without a status, such as a count of seconds

Visited = list[Behaviour]
Kind = Literal['sequence', 'selector', 'parallel', 'decorator', 'leaf']
KINDS: tuple[tuple[type[Behaviour], Kind], ...] = (
    (Sequence, 'sequence'),
    (Selector, 'selector'),
    (Parallel, 'parallel'),
    (Decorator, 'decorator'),
)
LETTERS: dict[Status, StatusLetter] = {
    Status.INVALID: 'I',
    Status.RUNNING: 'R',
    Status.SUCCESS: 'S',
    Status.FAILURE: 'F',
}


class TreeLog:
    """Compares the tree with its last recorded line. Used by the tick thread only."""

    def __init__(self, root: Behaviour) -> None:
        self._nodes = _parents_first(root)
        self._index = {id(node): index for index, node in enumerate(self._nodes)}
        self._statuses = [Status.INVALID] * len(self._nodes)
        self._messages = [''] * len(self._nodes)
        self._messages_at = float('-inf')
        self._mode = ''
        self._check_all_messages = True  # not only those of the visited behaviours
        self._visited: Visited = []
        self._visited_statuses: list[Status] = []

    def nodes(self) -> tuple[RecordedNode, ...]:
        """Return the structure, for the header."""
        return tuple(
            RecordedNode(
                name=node.name,
                kind=next((kind for cls, kind in KINDS if isinstance(node, cls)), 'leaf'),
                parent=None if node.parent is None else self._index[id(node.parent)],
                memory=bool(getattr(node, 'memory', False)),
            )
            for node in self._nodes
        )

    def tick(self, ts: float, mode: str, visited: Visited) -> TreeTick | None:
        """Return the changes of the tick at `ts` (ROS seconds); None if there are none to record.

        `visited`: the ticked behaviours. If they and their statuses are the same as in the
        previous tick, no other behaviour has changed.
        """
        statuses = [node.status for node in visited]
        is_same = statuses == self._visited_statuses and visited == self._visited
        self._visited, self._visited_statuses = visited, statuses
        self._check_all_messages |= not is_same
        status = {} if is_same else self._new_statuses()
        is_recent = 0.0 <= ts - self._messages_at < MESSAGE_PERIOD_S
        if not status and mode == self._mode and is_recent:
            return None
        indices = (self._index.get(id(node)) for node in visited)
        checked = (
            range(len(self._nodes))
            if self._check_all_messages
            else {index for index in indices if index is not None}
        )
        messages = {
            index: self._nodes[index].feedback_message[:MAX_MESSAGE_CHARS]
            for index in sorted(checked)
            if self._nodes[index].feedback_message != self._messages[index]
        }
        self._check_all_messages = False
        if not status and not messages and mode == self._mode:
            return None
        self._store(ts, mode, messages)
        return TreeTick(ts=ts, mode=mode, status=status, words=messages)

    def _new_statuses(self) -> dict[int, StatusLetter]:
        return {
            index: LETTERS[node.status]
            for index, node in enumerate(self._nodes)
            if node.status is not self._statuses[index]
        }

    def _store(self, ts: float, mode: str, messages: dict[int, str]) -> None:
        self._mode = mode
        self._statuses = [node.status for node in self._nodes]
        for index in messages:
            self._messages[index] = self._nodes[index].feedback_message
            self._messages_at = ts


def _parents_first(node: Behaviour) -> list[Behaviour]:
    return [node, *(below for child in node.children for below in _parents_first(child))]


LEFT_OUT = frozenset({'skills.registry'})

FlatState = dict[str, Any]  # part and field → JSON value


def state_changes(before: BrainState | None, after: BrainState) -> FlatState:
    """Return the fields that differ, with their values in `after`; all fields without `before`."""
    changes: FlatState = {}
    for part in fields(after):
        old, new = getattr(before, part.name, None), getattr(after, part.name)
        if old is new:
            continue
        if not is_dataclass(new):
            changes |= {part.name: to_json_value(new)} if old != new else {}
            continue
        for field in fields(new):
            path = f'{part.name}.{field.name}'
            value = getattr(new, field.name)
            is_same = old is not None and getattr(old, field.name) == value
            if not is_same and path not in LEFT_OUT:
                changes[path] = to_json_value(value)
    return changes


def flat_state(state: BrainState) -> FlatState:
    """Return all fields of the state."""
    return state_changes(None, state)
