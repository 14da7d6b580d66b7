"""One process of the system: name, module, order of its end; and its environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rover_common.extras import missing_modules


@dataclass(frozen=True)
class NodeProcess:
    """One process.

    Attributes:
        end_stage: Processes of a lower stage have ended before those of the next are terminated.
        check: The function, as `module:name`, that raises ConfigError for faults of a
            configuration that only this node can find.
        arguments: Its own, before those of all processes.
        extra: Of setup.cfg, with the packages that only it needs.
    """

    name: str
    module: str
    end_stage: int
    purpose: str
    check: str = ''
    arguments: tuple[str, ...] = ()
    extra: str = ''

    def missing(self) -> tuple[str, ...]:
        """Return the packages of its extra that are not installed."""
        return missing_modules(self.extra) if self.extra else ()


def children_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of ROS processes: discovery on this machine, unless it is set."""
    return {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', **environment}
