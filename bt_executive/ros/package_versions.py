"""The versions of what runs: our packages, Python, ROS and its middleware, and the machine."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
import os
import platform

from rclpy.utilities import get_rmw_implementation_identifier

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
