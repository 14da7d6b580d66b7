"""The history of a behavior tree, as moments of PageData.

A tool's subtree is inserted when it begins and removed when it has ended. The history keeps every
behaviour; a removed one is INVALID.

A condition that does not apply fails, and so does its branch, so that the next branch is ticked.
Painted red, a healthy tree would look broken. So a failure is displayed as skipped unless a
behaviour below it failed with a reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from bt_executive.client.tree_fold import TreeNode
from bt_executive.view.page_data_fields_and_json import Moment, PageTree

REFUSED, SKIPPED = 'F', 'N'
# Feedback messages of conditions that do not apply.
NO_REASON = frozenset({'', 'no', 'None', '[]', 'nothing proposed'})


def displayed_letters(
    parents: Sequence[int | None], letters: Sequence[str], messages: Sequence[str]
) -> list[str]:
    """Return the letters I, R, S, F of behaviours, with N for a failure that is no refusal.

    `parents`: index of each behaviour's parent, parents before children.
    """
    displayed = list(letters)
    is_refused = [False] * len(displayed)
    with_children = {parent for parent in parents if parent is not None}
    for index in range(len(displayed) - 1, -1, -1):
        if displayed[index] != 'F':
            continue
        has_reason = index not in with_children and messages[index] not in NO_REASON
        if not has_reason and not is_refused[index]:
            displayed[index] = SKIPPED
            continue
        parent = parents[index]
        if parent is not None:
            is_refused[parent] = True
    return displayed


def changes(before: Sequence[str], after: Sequence[str]) -> Mapping[int, str]:
    """Return the changed letters or messages, by index."""
    return {
        index: new
        for index, (old, new) in enumerate(zip(before, after, strict=True))
        if old != new
    }


LETTERS = {'invalid': 'I', 'running': 'R', 'success': 'S', 'failure': 'F'}
MAX_MOMENTS = 20_000
MAX_MESSAGE_CHARS = 300

Node = tuple[str, str, int | None]  # name, kind, number of its parent
Shape = tuple[Node, ...]  # parents first


class TreeHistory:
    """The history of one tree.

    Attributes:
        nodes: Every behaviour so far, parents first.
        moments: Changes, oldest first.
    """

    def __init__(self, fields: Sequence[str]) -> None:
        self.nodes: list[Node] = []
        self.moments: list[Moment] = []
        self._field_names = fields
        self._shape: Shape = ()
        self._numbers: list[int] = []  # in `nodes`, of the behaviours of that shape
        self._index: dict[tuple[int | None, str, int], int] = {}
        self._letters: list[str] = []
        self._messages: list[str] = []
        self._fields: dict[int, str] = {}

    def accepts(self, shape: Shape) -> bool:
        """Return whether a shape is of this tree, and there is room for more moments."""
        same = not self.nodes or self.nodes[0][0] == shape[0][0]
        return same and len(self.moments) < MAX_MOMENTS

    def apply(
        self,
        ts: float,
        shape: Shape,
        raw: Sequence[str],
        messages: Sequence[str],
        number: int,
        fields: Mapping[int, str],
    ) -> bool:
        """Applies the tree after a tick; returns False if nothing changed.

        Args:
            ts: ROS time in s.
            shape: Of the tree now.
            raw: The letters I, R, S, F of its behaviours.
            messages: Their feedback messages.
            number: Of the latest trace event.
            fields: Of the state: number → text.
        """
        if shape != self._shape:
            self._number(shape)
        all_raw, all_messages = ['I'] * len(self.nodes), [''] * len(self.nodes)
        for node, letter, text in zip(self._numbers, raw, messages, strict=True):
            all_raw[node], all_messages[node] = letter, text
        letters = displayed_letters([parent for *_, parent in self.nodes], all_raw, all_messages)
        new_letters = dict(changes(self._letters, letters))
        new_messages = dict(changes(self._messages, all_messages))
        new_fields = {key: text for key, text in fields.items() if self._fields.get(key) != text}
        if self.moments and not (new_letters or new_messages or new_fields):
            return False
        self._letters, self._messages = letters, all_messages
        self._fields |= new_fields
        self.moments.append((ts, new_letters, new_messages, number, new_fields))
        return True

    def as_data(self) -> PageTree:
        """Return the data for a page."""
        return PageTree(list(self.nodes), list(self.moments), self._field_names)

    def _number(self, shape: Shape) -> None:
        """Assigns numbers to the behaviours of a shape, by name and parent."""
        self._shape, self._numbers = shape, []
        counts: Counter[tuple[int | None, str]] = Counter()
        for name, kind, up in shape:
            parent = None if up is None else self._numbers[up]
            key = parent, name, counts[parent, name]
            counts[parent, name] += 1
            if key not in self._index:
                self._index[key] = len(self.nodes)
                self.nodes.append((name, kind, parent))
                self._letters.append('I')
                self._messages.append('')
            self._numbers.append(self._index[key])


def read_tree(root: TreeNode) -> tuple[Shape, list[str], list[str]]:
    """Return the shape of a tree, with leaf as the only kind, its letters and its messages."""
    flat = [*_flat(root)]
    shape = tuple((node.name, '' if node.children else 'leaf', up) for node, up in flat)
    letters = [LETTERS[node.status] for node, _ in flat]
    return shape, letters, [node.message[:MAX_MESSAGE_CHARS] for node, _ in flat]


def _flat(root: TreeNode) -> Iterator[tuple[TreeNode, int | None]]:
    """Yield every behaviour with its parent's index, parents first, in the order of the tree."""
    stack: list[tuple[TreeNode, int | None]] = [(root, None)]
    index = -1
    while stack:
        node, parent = stack.pop()
        index += 1
        yield node, parent
        stack.extend((child, index) for child in reversed(node.children))
