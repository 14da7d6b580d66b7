"""What a check has found: one line of its report, with what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One line of a report; with a remedy something is missing.

    `hinders`: what is missing is a fault; else the rest works without.
    """

    title: str
    text: str
    remedy: str | None = None
    hinders: bool = True

    @property
    def is_fault(self) -> bool:
        """Whether something is missing that was requested."""
        return self.remedy is not None and self.hinders


def are_good(findings: Iterable[Finding]) -> bool:
    """Return whether none of them is a fault."""
    return not any(each.is_fault for each in findings)
