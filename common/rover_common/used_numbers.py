"""Which numbers have been used: of each sender the last one, for its numbers only grow.

What was used once begins nothing again, also when its sender wakes up after others had their turn.
"""

from __future__ import annotations

MOST_SENDERS = 100  # lives of senders that are remembered; the one that was silent longest goes


class UsedNumbers:
    """The last number that was used of each of the latest senders."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}

    def use(self, sender: str, number: int) -> None:
        """This number and all before it are used up."""
        last = max(number, self._last.pop(sender, 0))  # it is the latest sender from now on
        self._last[sender] = last
        if len(self._last) > MOST_SENDERS:
            del self._last[next(iter(self._last))]

    def has(self, sender: str, number: int) -> bool:
        """Whether the number has been used, or a later one of this sender."""
        return number <= self._last.get(sender, 0)
