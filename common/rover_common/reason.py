"""Why not: a code for the program that decides on it, and a sentence for the human who reads it.

A function that may refuse or fail returns `Reason[...] | None`; None means that nothing stands
against it. See docs/decisions/0025-results-are-types.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Generic, TypeVar

Code = TypeVar('Code', bound=Enum, covariant=True)


@dataclass(frozen=True)
class Reason(Generic[Code]):
    """Why something is refused, has failed or must end.

    A reason is always true, so reasons are joined by `or`: the first one holds. It does not turn
    into text by itself: code that reads `reason.sentence` has made sure that there is a reason.
    """

    code: Code
    sentence: str

    def prefixed(self, lead: str) -> Reason[Code]:
        """The same reason, with its consequence in front."""
        return replace(self, sentence=f'{lead}: {self.sentence}')

    def continued(self, rest: str) -> Reason[Code]:
        """The same reason, with its consequence behind."""
        return replace(self, sentence=f'{self.sentence}; {rest}')


def sentence_of(reason: Reason[Enum] | None) -> str:
    """The text for messages that report success separately; empty without a reason."""
    return reason.sentence if reason else ''
