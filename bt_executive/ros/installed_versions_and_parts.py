"""Versions of our packages, Python, ROS and machine; which parts of a distribution are in use."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
import os
import platform

from rclpy.utilities import get_rmw_implementation_identifier

from bt_executive.ros.tree_stream.tree_host_choice import choose_tree_host
from rover_common.ros.tf_listener import TRANSFORMS

WHEEL_DISTRIBUTION = 'jazzy (wheels from PyPI)'  # setup.cfg names the versions
PACKAGES = {'bt_executive': 'bt_executive', 'py_trees': 'py_trees', 'rclpy': 'ros-rclpy'}


def versions() -> dict[str, str]:
    """Name → version of package, Python, ROS and its middleware, and the machine."""
    found = {name: _version(project) for name, project in PACKAGES.items()}
    return {
        **{name: each for name, each in found.items() if each},
        'python': platform.python_version(),
        'ros': os.environ.get('ROS_DISTRO') or WHEEL_DISTRIBUTION,
        'rmw': str(get_rmw_implementation_identifier()),
        'machine': f'{platform.system()} {platform.release()} {platform.machine()}',
    }


def _version(project: str) -> str:
    try:
        return version(project)
    except PackageNotFoundError:  # a distribution installs rclpy without its PyPI name
        return ''


def parts_in_use() -> Iterator[tuple[str, str]]:
    """Title and words of each."""
    yield 'tree host', choose_tree_host().words
    yield 'transforms', TRANSFORMS
    found = find_spec('launch_ros') is not None
    yield 'launch', 'ros2 launch can be used' if found else 'bt-executive alone (no launch_ros)'
