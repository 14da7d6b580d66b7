"""A behavior tree as it comes live, as moments of StageData."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bt_executive.client.tree_fold import TreeNode
from bt_executive.stage.data import Moment, StageTree
from bt_executive.stage.tree_letters import changed, letters_for_people

LETTERS = {'invalid': 'I', 'running': 'R', 'success': 'S', 'failure': 'F'}
MOST_MOMENTS = 20_000
LONGEST_WORDS = 300

Shape = tuple[tuple[str, str, int | None], ...]


class LiveTree:
    """One tree; a tree of another shape is another one. Not thread-safe.

    Attributes:
        shape: Name, kind and parent of each behaviour, parents first.
        moments: What changed when, oldest first.
    """

    def __init__(self, shape: Shape, fields: Sequence[str]) -> None:
        self.shape = shape
        self.fields = fields
        self.moments: list[Moment] = []
        self._parents = [parent for *_, parent in shape]
        self._letters = ['I'] * len(shape)
        self._words = [''] * len(shape)
        self._fields: dict[int, str] = {}

    def take(
        self, root: TreeNode, ts: float, mode: str, number: int, fields: dict[int, str]
    ) -> bool:
        """Enters the tree after a tick; False if nothing is new."""
        nodes = [node for node, _ in _flat(root)]
        raw = [LETTERS[node.status] for node in nodes]
        words = [node.message[:LONGEST_WORDS] for node in nodes]
        letters = letters_for_people(self._parents, raw, words)
        new_letters = dict(changed(self._letters, letters))
        new_words = dict(changed(self._words, words))
        new_fields = {key: text for key, text in fields.items() if self._fields.get(key) != text}
        same_mode = bool(self.moments) and self.moments[-1][1] == mode
        if same_mode and not (new_letters or new_words or new_fields):
            return False
        self._letters, self._words = letters, words
        self._fields |= new_fields
        self.moments.append((ts, mode, new_letters, new_words, number, new_fields))
        return True

    def is_full(self) -> bool:
        """Whether no more moments are kept: it has to be begun anew."""
        return len(self.moments) >= MOST_MOMENTS

    def as_data(self) -> StageTree:
        """All of it."""
        return StageTree(self.shape, list(self.moments), self.fields)


def shape_of(root: TreeNode) -> Shape:
    """The shape of a tree. Of its kinds only leaves are known live."""
    return tuple((node.name, '' if node.children else 'leaf', up) for node, up in _flat(root))


def _flat(root: TreeNode) -> Iterator[tuple[TreeNode, int | None]]:
    """Every behaviour with its parent's index, parents first, in the order of the tree."""
    rest: list[tuple[TreeNode, int | None]] = [(root, None)]
    index = -1
    while rest:
        node, parent = rest.pop()
        index += 1
        yield node, parent
        rest.extend((child, index) for child in reversed(node.children))
