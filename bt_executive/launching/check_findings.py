"""What checks have found, a line each with what to do, and the checks before a start."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bt_executive.launching.start_checks import check_configuration
from rover_common.config.settings import Config
from rover_common.errors import BtExecutiveError


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


def start_findings(config: Config, checks: Mapping[str, str]) -> Iterator[Finding]:
    """Yield whether each process can start with a configuration, by the checks of `up`.

    `checks`: process → the function that validates a configuration for it; empty: none.
    """
    for name, check in checks.items():
        if not check:
            continue
        try:
            check_configuration(config, [check])
        except BtExecutiveError as error:
            yield Finding(f'start of {name}', 'is refused', str(error).rstrip('.'))
        else:
            yield Finding(f'start of {name}', 'nothing prevents it')
