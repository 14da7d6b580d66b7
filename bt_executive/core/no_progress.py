"""Counts of rounds without progress: failures in a row, equal refusals, going back and forth."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
import json
from typing import Any

PING_PONG_ROUNDS = 6  # A B A B A B, all of them refused or failed


@dataclass
class ProgressMonitor:
    """Counts over the rounds of one goal."""

    failures: int = 0  # failed or refused rounds in a row
    same_refusal: int = 0  # times in a row that the same proposal was refused for the same reason
    _last_refusal: str = ''
    _recent: deque[str] = field(default_factory=lambda: deque(maxlen=PING_PONG_ROUNDS))

    def count(self, tool: str, arguments: Any, ok: bool, refused: bool, reason: str) -> None:
        """Counts a round."""
        if ok:
            self.reset()
            return
        self.failures += 1
        key = json.dumps([tool, arguments, reason], sort_keys=True, default=str)
        self._recent.append(key)
        if refused:
            self.same_refusal = self.same_refusal + 1 if key == self._last_refusal else 1
            self._last_refusal = key
        else:
            self.same_refusal, self._last_refusal = 0, ''

    def reset(self) -> None:
        """Restarts after a success or an answer of the operator."""
        self.failures, self.same_refusal, self._last_refusal = 0, 0, ''
        self._recent.clear()

    def as_data(self) -> dict[str, Any]:
        """Returns JSON values."""
        counts = {'failures': self.failures, 'same_refusal': self.same_refusal}
        return {**counts, 'last_refusal': self._last_refusal, 'recent': list(self._recent)}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> ProgressMonitor:
        """Makes it from the values of `as_data`; missing ones are zero."""
        monitor = cls(int(data.get('failures', 0)), int(data.get('same_refusal', 0)))
        monitor._last_refusal = str(data.get('last_refusal', ''))
        monitor._recent.extend(str(key) for key in data.get('recent', ()))
        return monitor

    @property
    def ping_pong(self) -> bool:
        """Returns whether the last rounds alternated between two that do not succeed."""
        recent = list(self._recent)
        if len(recent) < PING_PONG_ROUNDS:
            return False
        return len(set(recent)) == 2 and all(
            one == other for one, other in zip(recent, recent[2:], strict=False)
        )
