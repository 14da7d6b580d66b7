"""What is known of the parts of nodes that tools need before a goal may begin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

NOT_HEARD = 'it has not reported yet'


@dataclass
class Readiness:
    """What is known of the parts that tools need.

    Attributes:
        parts: Name of the part → why it is not ready, or empty. Parts that are not in it are
            waited for by nobody.
        since: Steady seconds at which the wait began; None: nothing is waited for.
        given_up: Parts that were waited for in vain; no later goal waits for them.
    """

    parts: Mapping[str, str] = field(default_factory=dict)
    since: float | None = None
    told: str = ''
    given_up: set[str] = field(default_factory=set)

    def hear(self, parts: Mapping[str, str]) -> None:
        """Takes what was reported; a part that became ready is waited for again one day."""
        self.parts = parts
        self.given_up -= {name for name, why in parts.items() if not why}

    def missing(self, names: Iterable[str]) -> dict[str, str]:
        """Those that are not ready and still hoped for, with the reason."""
        found = {name: self.parts.get(name, '') for name in names if name not in self.given_up}
        return {name: why for name, why in found.items() if why}
