"""Names of topics.yaml as this node must use them, so that every node runs under a namespace."""

from __future__ import annotations


def display_name(name: str) -> str:
    """A name of `topics` for people."""
    return name[1:] if name.startswith('//') else name


def relative_name(name: str) -> str:
    """A name of `topics` for ROS, which resolves it in the node's namespace; see `Topics`."""
    return name.removeprefix('/')
