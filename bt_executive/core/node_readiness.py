"""The readiness of the parts of nodes that tools need before a goal may begin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

NOT_REPORTED = 'it has not reported yet'


@dataclass
class Readiness:
    """The readiness of the parts that tools need.

    Attributes:
        not_ready: Name of the part → why it is not ready. Other parts are ready, or not needed.
        given_up: Parts for which a wait timed out; no later goal waits for them.
    """

    not_ready: Mapping[str, str] = field(default_factory=dict)
    goal: str = ''  # id of the latest goal that had to wait
    since: float | None = None  # steady seconds at which its wait began; None: it does not wait
    reported: str = ''  # the latest wait that was reported
    given_up: set[str] = field(default_factory=set)

    def update(self, not_ready: Mapping[str, str]) -> None:
        """Applies a report; a part that has become ready can be waited for again."""
        self.not_ready = not_ready
        self.given_up &= set(not_ready)

    def missing(self, names: Iterable[str]) -> dict[str, str]:
        """Returns those of the parts to wait for, with the reason of each."""
        awaited = (name for name in names if name not in self.given_up)
        return {name: self.not_ready[name] for name in awaited if name in self.not_ready}
