"""What came of an observation, or of a change that somebody asked the memory for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True)
class Stored:
    """What came of an observation.

    Attributes:
        node_id: The node that holds it now.
        merged_into: The same node, if it was there before; None: it is new.
        moved: It was known at another place.
        repeated: This very observation was taken before; nothing has changed.
    """

    node_id: str
    merged_into: str | None = None
    moved: bool = False
    repeated: bool = False


class ChangeCode(str, Enum):
    """What came of a change that somebody asked for."""

    DONE = 'DONE'
    UNKNOWN_NODE = 'UNKNOWN_NODE'
    NOT_AN_OBJECT = 'NOT_AN_OBJECT'


@dataclass(frozen=True)
class Result:
    """What came of a change: a code, and a sentence for people."""

    code: ChangeCode
    sentence: str

    @property
    def ok(self) -> bool:
        """Whether it was done."""
        return self.code is ChangeCode.DONE
