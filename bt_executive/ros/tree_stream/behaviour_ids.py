"""Ids of behaviours that are the same in every run: made of their paths in the tree."""

from __future__ import annotations

from hashlib import sha256
from uuid import UUID

from py_trees.behaviour import Behaviour


def give_stable_ids(root: Behaviour) -> None:
    """Sets the id of every behaviour from its path. To be done before the first tick.

    Viewers read ids as UUIDs of version 4 and would change the bits of any other version.
    """
    _name(root, '')


def _name(node: Behaviour, path: str) -> None:
    node.id = UUID(bytes=sha256(path.encode()).digest()[:16], version=4)
    seen: dict[str, int] = {}
    for child in node.children:
        seen[child.name] = seen.get(child.name, 0) + 1
        _name(child, f'{path}\0{child.name}\0{seen[child.name]}')
