"""What a check has found, one line each."""

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
    words: str
    remedy: str | None = None
    hinders: bool = True

    @property
    def is_fault(self) -> bool:
        """Whether something is missing that was asked for."""
        return self.remedy is not None and self.hinders


def start_findings(config: Config, checks: Mapping[str, str]) -> Iterator[Finding]:
    """Yield whether each process could start with a configuration, by the checks of `up`.

    `checks`: process → the function that checks a configuration for it; empty: there is none.
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


def are_good(findings: Iterable[Finding]) -> bool:
    """Return whether none of them is a fault."""
    return not any(each.is_fault for each in findings)
