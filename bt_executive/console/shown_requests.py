"""Which request an answer without an id is for: the one that the operator sees. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
import math

from rover_common.errors import UsageError

READING_S = 2.0  # an answer so soon after a change may be meant for what stood there before


class ShownRequests:
    """The ids of the requests that are shown. `clock`: steady seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._since: dict[str, float] = {}  # id → when it was first shown
        self._answered: set[str] = set()  # by this operator, and still shown
        self._ended_at = -math.inf  # when the last one ended that this operator had not answered

    def show(self, request_id: str) -> None:
        """A request is announced."""
        self._since.setdefault(request_id, self._clock())

    def wait(self, ids: Iterable[str]) -> None:
        """These requests wait, and no others."""
        now, ids = self._clock(), [*ids]
        if self._since.keys() - ids - self._answered:
            self._ended_at = now
        self._since = {each: self._since.get(each, now) for each in ids}
        self._answered &= self._since.keys()

    def answer(self, request_id: str) -> None:
        """The operator answers a request."""
        self._answered.add(request_id)

    def meant(self) -> str:
        """The id of the request that an answer without one is for.

        Raises:
            UsageError: None is shown, or several are, or it has just taken another's place.
        """
        if len(self._since) != 1:
            several = f'Say which of {", ".join(self._since)}: several requests wait for approval.'
            raise UsageError(several if self._since else 'No request waits for approval.')
        ((request_id, since),) = self._since.items()
        if since - self._ended_at < READING_S and self._clock() - since < READING_S:
            raise UsageError(
                f'The request that waited has ended, and {request_id} has just come. '
                'Read it, then answer with its id.'
            )
        return request_id
