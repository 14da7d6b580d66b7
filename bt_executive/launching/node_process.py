"""One process of the system: its name, its module, and when it ends."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NodeProcess:
    """One process. Those of a lower `ends` have gone before the next ones are asked to end.

    `check`: the function, as `module:name`, that raises ConfigError for what this node, and no
    reader of single keys, finds wrong with a configuration.
    """

    name: str
    module: str
    ends: int
    purpose: str
    check: str = ''
