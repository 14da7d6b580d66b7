"""The behavior tree folded into a few rows: what runs, what refused and why. Pure.

The most informative behaviours are chosen, each with its ancestors; and a chain of behaviours
with one chosen child each becomes one row:

    ▸ Pursue the goal › One round › Under guard
      ✓ Check the proposal  allowed
      ▸ Run the tool › move_nudge › Until the time is over  1.2 s left
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Status = Literal['invalid', 'running', 'success', 'failure']
EMPTY_MESSAGES = frozenset({'', 'no', 'None', '[]'})  # of guards; they add nothing to the status
OUTLINE_DEPTH = 2  # the root, its children, and the branches that are tried by priority
NEVER = 4  # the rank of behaviours that get no row
MOST_CHOSEN_PER_ROW = 4  # bounds the search for a choice that fits


@dataclass(frozen=True, eq=False)
class TreeNode:
    """A behaviour after a tick. `status` is invalid if this tick did not reach it."""

    name: str
    status: Status
    message: str = ''
    children: tuple[TreeNode, ...] = ()


@dataclass(frozen=True)
class FoldedRow:
    """One row: the names of a chain from the top down, and the status and message of its end."""

    depth: int
    names: tuple[str, ...]
    status: Status
    message: str


@lru_cache(maxsize=4)  # the view is drawn more often than the tree changes
def fold(root: TreeNode, most_rows: int) -> tuple[FoldedRow, ...]:
    """Return at most `most_rows` rows, in the order of the tree; running behaviours go first."""
    paths = _most_informative_first(root)
    for count in range(min(len(paths), most_rows * MOST_CHOSEN_PER_ROW), 0, -1):
        chosen = frozenset(node for path in paths[:count] for node in path)
        rows = tuple(_rows(root, chosen, 0))
        if len(rows) <= most_rows:
            return rows
    return tuple(_rows(root, frozenset(), 0)) if most_rows > 0 else ()


def _most_informative_first(root: TreeNode) -> list[tuple[TreeNode, ...]]:
    """Return the path from the root to each behaviour worth a row; of equals the deepest first."""
    ranked: list[tuple[int, int, tuple[TreeNode, ...]]] = []

    def visit(node: TreeNode, ancestors: tuple[TreeNode, ...]) -> None:
        path = (*ancestors, node)
        ranked.append((_rank(node, len(ancestors)), -len(ancestors), path))
        for child in node.children:
            visit(child, path)

    visit(root, ())
    ranked.sort(key=lambda entry: entry[:2])
    return [path for rank, _, path in ranked if rank < NEVER]


def _rank(node: TreeNode, depth: int) -> int:
    if node.status == 'running':
        return 0
    if node.status != 'invalid' and node.message not in EMPTY_MESSAGES:
        return 1
    if depth <= OUTLINE_DEPTH:
        return 2
    return 3 if node.status == 'success' else NEVER


def _rows(node: TreeNode, chosen: frozenset[TreeNode], depth: int) -> Iterator[FoldedRow]:
    names, message = [node.name], node.message
    children = [child for child in node.children if child in chosen]
    while len(children) == 1 and children[0].status == node.status:
        node = children[0]
        names.append(node.name)
        message = node.message or message
        children = [child for child in node.children if child in chosen]
    yield FoldedRow(depth, tuple(names), node.status, '' if message in EMPTY_MESSAGES else message)
    for child in children:
        yield from _rows(child, chosen, depth + 1)
