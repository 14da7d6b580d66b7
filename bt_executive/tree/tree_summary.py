"""The summary of a tick: winning branch, tip, refusing guard."""

from __future__ import annotations

from dataclasses import dataclass
import re
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.display import unicode_tree

# py_trees draws in colours if it was loaded at a terminal, as it is for every process of `up`.
COLOUR = re.compile(r'\x1b\[[0-9;]*m')


@dataclass(frozen=True)
class TreeSummary:
    """`branch`: the child of 'Act by priority' that won. `tip`: path of the deepest active node.

    `guard` and `reason`: the condition that failed on the winning branch, if one did.
    """

    branch: str
    tip: str
    status: str
    guard: str | None = None
    reason: str | None = None

    def as_data(self) -> dict[str, Any]:
        """Returns JSON values."""
        return {**vars(self)}


def path_of(node: Behaviour) -> str:
    """Return the names of the behaviours from the root to this one."""
    names = [node.name]
    while node.parent is not None:
        node = node.parent
        names.append(node.name)
    return ' / '.join(reversed(names))


def summarise(root: Behaviour) -> TreeSummary:
    """Return the summary of the latest tick."""
    branches = root.children[-1].children if root.children else []
    branch = next(
        (
            each
            for each in branches
            if each.status is not Status.INVALID and each.status is not Status.FAILURE
        ),
        root,
    )
    tip = branch.tip() or branch
    refused = _refusal(branch)
    return TreeSummary(
        branch=branch.name,
        tip=path_of(tip),
        status=tip.status.value,
        guard=refused[0] if refused else None,
        reason=refused[1] if refused else None,
    )


def draw(root: Behaviour) -> str:
    """Return the tree with statuses and reasons, without colours."""
    return COLOUR.sub('', unicode_tree(root, show_status=True))


def _refusal(node: Behaviour) -> tuple[str, str] | None:
    """Return name and reason of the first guard that refused in this tick, at a node or below it.

    Nodes that refuse (`Guard`, `CheckProposal`, `WaitForApproval`) say so in `refusal`. What is
    INVALID was not ticked, nor was anything below it.
    """
    for child in node.children:
        if child.status is not Status.INVALID and (found := _refusal(child)):
            return found
    reading = getattr(node, 'refusal', None) if node.status is Status.FAILURE else None
    return None if reading is None else (reading.guard, reading.reason)
