"""What is known of the parts of nodes that tools need before a goal may begin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

NOT_HEARD = 'it has not reported yet'


@dataclass
class Readiness:
    """What is known of the parts that tools need.

    Attributes:
        not_ready: Name of the part → why it is not ready. Parts that are not in it are ready, or
            waited for by nobody.
        since: Steady seconds at which the wait began; None: nothing is waited for.
        given_up: Parts that were waited for in vain; no later goal waits for them.
    """

    not_ready: Mapping[str, str] = field(default_factory=dict)
    since: float | None = None
    told: str = ''
    given_up: set[str] = field(default_factory=set)

    def update(self, not_ready: Mapping[str, str]) -> None:
        """Takes what was reported; a part that became ready is waited for again one day."""
        self.not_ready = not_ready
        self.given_up &= set(not_ready)

    def missing(self, names: Iterable[str]) -> dict[str, str]:
        """Those that are not ready and still hoped for, with the reason."""
        hoped_for = (name for name in names if name not in self.given_up)
        return {name: self.not_ready[name] for name in hoped_for if name in self.not_ready}
