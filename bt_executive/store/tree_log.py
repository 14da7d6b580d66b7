"""The tree at each moment: its structure once, then what each tick changed."""

from __future__ import annotations

from typing import Literal

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Parallel, Selector, Sequence
from py_trees.decorators import Decorator

from bt_executive.store.run_folder_formats import RecordedNode, StatusLetter, TreeTick

LONGEST_WORDS = 300  # characters of a feedback message that are kept
WORDS_PERIOD_S = 1.0  # words that change without a status, such as a count of seconds

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
    """Compares the tree with what was last told of it. Lives in the tick thread."""

    def __init__(self, root: Behaviour) -> None:
        self._nodes = _parents_first(root)
        self._index = {id(node): index for index, node in enumerate(self._nodes)}
        self._statuses = [Status.INVALID] * len(self._nodes)
        self._words = [''] * len(self._nodes)
        self._words_told_at = float('-inf')
        self._mode = ''
        self._words_owed = True  # by any behaviour, and not only by those that were visited
        self._visited: Visited = []
        self._visited_statuses: list[Status] = []

    def nodes(self) -> tuple[RecordedNode, ...]:
        """The structure, for the header."""
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
        """What has changed by the tick at `ts` (ROS seconds); None: nothing worth a line.

        `visited`: the behaviours that it went through. If these are the same as in the tick
        before, with the same statuses, no other behaviour has changed.
        """
        statuses = [node.status for node in visited]
        is_like = statuses == self._visited_statuses and visited == self._visited
        self._visited, self._visited_statuses = visited, statuses
        self._words_owed |= not is_like
        status = {} if is_like else self._new_statuses()
        told_lately = 0.0 <= ts - self._words_told_at < WORDS_PERIOD_S
        if not status and mode == self._mode and told_lately:
            return None
        known = (self._index.get(id(each)) for each in visited)
        here = (
            range(len(self._nodes))
            if self._words_owed
            else {each for each in known if each is not None}
        )
        words = {
            index: self._nodes[index].feedback_message[:LONGEST_WORDS]
            for index in sorted(here)
            if self._nodes[index].feedback_message != self._words[index]
        }
        self._words_owed = False
        if not status and not words and mode == self._mode:
            return None
        self._remember(ts, mode, words)
        return TreeTick(ts=ts, mode=mode, status=status, words=words)

    def _new_statuses(self) -> dict[int, StatusLetter]:
        return {
            index: LETTERS[node.status]
            for index, node in enumerate(self._nodes)
            if node.status is not self._statuses[index]
        }

    def _remember(self, ts: float, mode: str, words: dict[int, str]) -> None:
        self._mode = mode
        self._statuses = [node.status for node in self._nodes]
        for index in words:
            self._words[index] = self._nodes[index].feedback_message
            self._words_told_at = ts


def _parents_first(node: Behaviour) -> list[Behaviour]:
    return [node, *(below for child in node.children for below in _parents_first(child))]
