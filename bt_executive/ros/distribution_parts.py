"""Which of the parts are in use that a distribution has and PyPI has not."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from bt_executive.ros.tree_stream.tree_host_choice import choose_tree_host
from rover_common.ros.tf_listener import TRANSFORMS


def parts_in_use() -> Iterator[tuple[str, str]]:
    """Title and words of each."""
    yield 'tree host', choose_tree_host().words
    yield 'transforms', TRANSFORMS
    found = find_spec('launch_ros') is not None
    yield 'launch', 'ros2 launch can be used' if found else 'bt-executive alone (no launch_ros)'
