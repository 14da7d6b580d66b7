"""A behavior tree as it changes, as moments of PageData.

A tool's subtree is planted when it begins and removed when it has ended. Here each behaviour that
was ever there stays, and is not reached while it is not planted.

A condition that has nothing to say fails in a behavior tree, and with it the branch above it: that
is how the next branch gets its turn. Painted red, a tree in good health looks broken. So a failure
is shown as skipped unless a behaviour below it failed with a reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from bt_executive.client.tree_fold import TreeNode
from bt_executive.view.page_data import Moment, PageTree

REFUSED, SKIPPED = 'F', 'N'
# What conditions say that were asked and had nothing to say.
NOTHING_TO_SAY = frozenset({'', 'no', 'None', '[]', 'nothing proposed'})


def letters_for_people(
    parents: Sequence[int | None], letters: Sequence[str], words: Sequence[str]
) -> list[str]:
    """The letters I, R, S, F of behaviours, with N for a failure that is no refusal.

    `parents`: index of each behaviour's parent, parents before children.
    """
    told = list(letters)
    refused = [False] * len(told)
    has_children = {parent for parent in parents if parent is not None}
    for index in range(len(told) - 1, -1, -1):
        if told[index] != 'F':
            continue
        own = index not in has_children and words[index] not in NOTHING_TO_SAY
        if not own and not refused[index]:
            told[index] = SKIPPED
            continue
        parent = parents[index]
        if parent is not None:
            refused[parent] = True
    return told


def changed(before: Sequence[str], after: Sequence[str]) -> Mapping[int, str]:
    """Index → letter or words, of those that are other than before."""
    return {
        index: new
        for index, (old, new) in enumerate(zip(before, after, strict=True))
        if old != new
    }


LETTERS = {'invalid': 'I', 'running': 'R', 'success': 'S', 'failure': 'F'}
MOST_MOMENTS = 20_000
LONGEST_WORDS = 300

Node = tuple[str, str, int | None]  # name, kind, number of its parent
Shape = tuple[Node, ...]  # parents first


class TreeHistory:
    """One tree.

    Attributes:
        nodes: Every behaviour that was ever there, parents first.
        moments: What changed when, oldest first.
    """

    def __init__(self, fields: Sequence[str]) -> None:
        self.nodes: list[Node] = []
        self.moments: list[Moment] = []
        self._field_names = fields
        self._shape: Shape = ()
        self._numbers: list[int] = []  # of the behaviours of that shape
        self._known: dict[tuple[int | None, str, int], int] = {}
        self._letters: list[str] = []
        self._words: list[str] = []
        self._fields: dict[int, str] = {}

    def goes_on(self, shape: Shape) -> bool:
        """Whether a tree of that shape is this one, and there is room for more moments."""
        same = not self.nodes or self.nodes[0][0] == shape[0][0]
        return same and len(self.moments) < MOST_MOMENTS

    def apply(
        self,
        ts: float,
        shape: Shape,
        raw: Sequence[str],
        words: Sequence[str],
        number: int,
        fields: Mapping[int, str],
    ) -> bool:
        """Enters the tree after a tick; False if nothing is new.

        Args:
            ts: ROS time in s.
            shape: Of the tree now.
            raw: The letters I, R, S, F of its behaviours.
            words: What each said.
            number: Of the latest event of the trace.
            fields: Of the state: number → text.
        """
        if shape != self._shape:
            self._number(shape)
        all_raw, all_words = ['I'] * len(self.nodes), [''] * len(self.nodes)
        for node, letter, text in zip(self._numbers, raw, words, strict=True):
            all_raw[node], all_words[node] = letter, text
        letters = letters_for_people([parent for *_, parent in self.nodes], all_raw, all_words)
        new_letters = dict(changed(self._letters, letters))
        new_words = dict(changed(self._words, all_words))
        new_fields = {key: text for key, text in fields.items() if self._fields.get(key) != text}
        if self.moments and not (new_letters or new_words or new_fields):
            return False
        self._letters, self._words = letters, all_words
        self._fields |= new_fields
        self.moments.append((ts, new_letters, new_words, number, new_fields))
        return True

    def as_data(self) -> PageTree:
        """All of it."""
        return PageTree(list(self.nodes), list(self.moments), self._field_names)

    def _number(self, shape: Shape) -> None:
        """Finds the behaviours of a shape among those that were there, by name and parent."""
        self._shape, self._numbers = shape, []
        twins: Counter[tuple[int | None, str]] = Counter()
        for name, kind, up in shape:
            parent = None if up is None else self._numbers[up]
            key = parent, name, twins[parent, name]
            twins[parent, name] += 1
            if key not in self._known:
                self._known[key] = len(self.nodes)
                self.nodes.append((name, kind, parent))
                self._letters.append('I')
                self._words.append('')
            self._numbers.append(self._known[key])


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
