"""The findings of the checks before a start, one line each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bt_executive.launching.start_checks import check_configuration
from rover_common.config.settings import Config
from rover_common.errors import BtExecutiveError
from rover_common.finding import Finding


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
