"""Names of topics.yaml as this node must use them, so that every node runs under a namespace."""

from __future__ import annotations


def relative(name: str) -> str:
    """A name of topics.yaml without its leading slash: ROS resolves it in the node's namespace.

    Without a namespace the resolved name is the one in the file.
    """
    return name.lstrip('/')
