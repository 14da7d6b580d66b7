"""`bt-executive check DIR`: whether `up` would start this robot, and, live, what it would find."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from bt_executive.console.doctor import print_findings
from bt_executive.launching.findings import Finding, are_good, start_findings
from rover_common.config.settings import Config


def run_check(
    config: Config,
    checks: Mapping[str, str],
    live: Callable[[], Iterable[Finding]] | None,
) -> int:
    """Prints the report; returns 0 if nothing speaks against a start, else 1.

    `checks`: as of `start_findings`. `live`: looks at the running robot; None: it is left out,
    as it is where the configuration alone is refused.
    """
    findings = [*start_findings(config, checks)]
    if live is not None and are_good(findings):
        findings += live()
    return print_findings(findings)
