"""One process of the system: its name, its module, when it ends; and its environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rover_common.extras import missing_modules


@dataclass(frozen=True)
class NodeProcess:
    """One process. Those of a lower `ends` have gone before the next ones are asked to end.

    `check`: the function, as `module:name`, that raises ConfigError for what this node, and no
    reader of single keys, finds wrong with a configuration. `arguments`: this process's own,
    before those that all get. `extra`: of setup.cfg, whose packages it needs besides the others.
    """

    name: str
    module: str
    end_stage: int
    purpose: str
    check: str = ''
    arguments: tuple[str, ...] = ()
    extra: str = ''

    def missing(self) -> tuple[str, ...]:
        """The packages of its extra that are not installed."""
        return missing_modules(self.extra) if self.extra else ()


def children_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for ROS processes: on this machine only, unless the user chose otherwise."""
    return {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', **environment}
