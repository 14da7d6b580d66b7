"""The environment of the processes that are started."""

from __future__ import annotations

from collections.abc import Mapping


def children_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for ROS processes: on this machine only, unless the user chose otherwise."""
    return {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', **environment}
