"""How each part of a node is, as `ros/diagnostics_publisher.py` publishes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any


class Level(IntEnum):
    """Of diagnostic_msgs/msg/DiagnosticStatus. STALE: what is needed does not come."""

    OK = 0
    WARN = 1
    ERROR = 2
    STALE = 3


@dataclass(frozen=True)
class Health:
    """How a part is now, and why, in a few words."""

    level: Level = Level.OK
    reason: str = 'ok'


@dataclass(frozen=True)
class Part:
    """A part of a node with a status of its own.

    Attributes:
        name: Short, unique in its node.
        health: Called often; must be cheap.
        figures: Called only when the part is published.
    """

    name: str
    health: Callable[[], Health]
    figures: Callable[[], Mapping[str, Any]] = dict


def stale(reason: str) -> Health:
    """Something that is needed does not come."""
    return Health(Level.STALE, reason)


def error(reason: str) -> Health:
    """Something does not work."""
    return Health(Level.ERROR, reason)


def warning(reason: str) -> Health:
    """Something works, but deserves attention."""
    return Health(Level.WARN, reason)
