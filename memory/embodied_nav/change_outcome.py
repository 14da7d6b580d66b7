"""The results of an observation, and of a requested change."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True)
class Stored:
    """The result of an observation.

    Attributes:
        node_id: The node of the observed thing.
        merged_into: The same node, if it existed before; None: it is new.
        moved: It was at another place before.
        repeated: The same observation was stored before; nothing has changed.
    """

    node_id: str
    merged_into: str | None = None
    moved: bool = False
    repeated: bool = False


class ChangeCode(str, Enum):
    """The outcome of a requested change."""

    DONE = 'DONE'
    UNKNOWN_NODE = 'UNKNOWN_NODE'
    NOT_AN_OBJECT = 'NOT_AN_OBJECT'


@dataclass(frozen=True)
class Result:
    """The result of a change: a code, and a sentence for people."""

    code: ChangeCode
    sentence: str

    @property
    def ok(self) -> bool:
        """Whether it was done."""
        return self.code is ChangeCode.DONE
