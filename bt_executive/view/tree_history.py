"""A behavior tree as it changes, as moments of StageData."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bt_executive.client.tree_fold import TreeNode
from bt_executive.view.data import Moment, StageTree
from bt_executive.view.tree_letters import changed, letters_for_people

LETTERS = {'invalid': 'I', 'running': 'R', 'success': 'S', 'failure': 'F'}
MOST_MOMENTS = 20_000
LONGEST_WORDS = 300

Shape = tuple[tuple[str, str, int | None], ...]


class TreeHistory:
    """One tree; a tree of another shape is another one.

    Attributes:
        shape: Name, kind and parent of each behaviour, parents first.
        moments: What changed when, oldest first.
    """

    def __init__(self, shape: Shape, fields: Sequence[str]) -> None:
        self.shape = shape
        self.moments: list[Moment] = []
        self._field_names = fields
        self._parents = [parent for *_, parent in shape]
        self._letters = ['I'] * len(shape)
        self._words = [''] * len(shape)
        self._fields: dict[int, str] = {}

    def apply(
        self,
        ts: float,
        raw: Sequence[str],
        words: Sequence[str],
        number: int,
        fields: Mapping[int, str],
    ) -> bool:
        """Enters the tree after a tick; False if nothing is new.

        Args:
            ts: ROS time in s.
            raw: The letters I, R, S, F of the behaviours.
            words: What each said.
            number: Of the latest event of the trace.
            fields: Of the state: number → text.
        """
        letters = letters_for_people(self._parents, raw, words)
        new_letters = dict(changed(self._letters, letters))
        new_words = dict(changed(self._words, words))
        new_fields = {key: text for key, text in fields.items() if self._fields.get(key) != text}
        if self.moments and not (new_letters or new_words or new_fields):
            return False
        self._letters, self._words = letters, list(words)
        self._fields |= new_fields
        self.moments.append((ts, new_letters, new_words, number, new_fields))
        return True

    def is_full(self) -> bool:
        """Whether no more moments are kept: it has to be begun anew."""
        return len(self.moments) >= MOST_MOMENTS

    def as_data(self) -> StageTree:
        """All of it."""
        return StageTree(self.shape, list(self.moments), self._field_names)


def read_tree(root: TreeNode) -> tuple[Shape, list[str], list[str]]:
    """The shape of a tree, of whose kinds only leaves are known, and its letters and words."""
    flat = [*_flat(root)]
    shape = tuple((node.name, '' if node.children else 'leaf', up) for node, up in flat)
    letters = [LETTERS[node.status] for node, _ in flat]
    return shape, letters, [node.message[:LONGEST_WORDS] for node, _ in flat]


def _flat(root: TreeNode) -> Iterator[tuple[TreeNode, int | None]]:
    """Every behaviour with its parent's index, parents first, in the order of the tree."""
    rest: list[tuple[TreeNode, int | None]] = [(root, None)]
    index = -1
    while rest:
        node, parent = rest.pop()
        index += 1
        yield node, parent
        rest.extend((child, index) for child in reversed(node.children))
