"""The requests for approval that are shown, and which of them an answer without an id is for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
import math

from rover_common.errors import UsageError

READING_S = 2.0  # an answer within this time of a change may be for the previous request


class ShownRequests:
    """The ids of the requests that are shown. `clock`: steady time in s."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._shown_at: dict[str, float] = {}  # by id
        self._answered: set[str] = set()  # by this operator, and still shown
        self._ended_at = -math.inf  # of the latest one that this operator had not answered

    def add(self, request_id: str) -> None:
        """Adds a request."""
        self._shown_at.setdefault(request_id, self._clock())

    def set_pending(self, ids: Iterable[str]) -> None:
        """Sets the requests that wait for an approval."""
        now, ids = self._clock(), [*ids]
        if self._shown_at.keys() - ids - self._answered:
            self._ended_at = now
        self._shown_at = {request_id: self._shown_at.get(request_id, now) for request_id in ids}
        self._answered &= self._shown_at.keys()

    def mark_answered(self, request_id: str) -> None:
        """Notes that the operator has answered a request."""
        self._answered.add(request_id)

    def default_id(self) -> str:
        """Return the id of the only request, for an answer without one.

        Raises:
            UsageError: None or several are shown, or it has just replaced another one.
        """
        if not self._shown_at:
            raise UsageError('No request waits for approval.')
        if len(self._shown_at) > 1:
            ids = ', '.join(self._shown_at)
            raise UsageError(f'Say which of {ids}: several requests wait for approval.')
        ((request_id, shown_at),) = self._shown_at.items()
        if shown_at - self._ended_at < READING_S and self._clock() - shown_at < READING_S:
            raise UsageError(
                f'The request that waited has ended, and {request_id} has just come. '
                'Read it, then answer with its id.'
            )
        return request_id
