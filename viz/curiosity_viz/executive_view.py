"""What the executive says of itself, taken from text that may be anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter

from curiosity_viz.words import plain
from rover_common.call_text import call_in_words

SILENT_AFTER_S = 2.0  # ~/state comes at every heartbeat while somebody listens
LONGEST_LINE = 60
MOST_REQUESTS = 3


@dataclass(frozen=True)
class ExecutiveWord:
    """The mode, why, and what waits for a human's yes; `mode` is empty while it is silent."""

    mode: str = ''
    reason: str = ''
    requests: tuple[str, ...] = ()


class ExecutiveView:
    """Keeps the latest word. Times are steady seconds."""

    def __init__(self) -> None:
        self._mode = self._reason = ''
        self._heard_at = 0.0
        self._requests: tuple[str, ...] = ()

    def take_state(self, text: str, now: float) -> None:
        """Takes a message of ~/state.

        Raises:
            ValueError: It is no state; the last one holds.
        """
        state = _STATE.validate_json(text)
        reason = state.world.safety_reason or state.tasks.preempt_reason
        self._mode, self._reason = (
            plain(state.tasks.mode, LONGEST_LINE),
            plain(reason, LONGEST_LINE),
        )
        self._heard_at = now

    def take_requests(self, text: str) -> None:
        """Takes a message of ~/approvals.

        Raises:
            ValueError: It is no list of requests; the last one holds.
        """
        requests = _REQUESTS.validate_json(text)
        more = len(requests) - MOST_REQUESTS
        lines = [_in_words(each) for each in requests[:MOST_REQUESTS]]
        self._requests = (*lines, f'and {more} more') if more > 0 else tuple(lines)

    def word(self, now: float) -> ExecutiveWord:
        """What holds now. A silent executive asks for nothing."""
        if not self._mode or now - self._heard_at > SILENT_AFTER_S:
            return ExecutiveWord()
        return ExecutiveWord(self._mode, self._reason, self._requests)


class _Told(BaseModel):
    """Fields that are shown; others are ignored."""

    model_config = ConfigDict(strict=True)


class _Tasks(_Told):
    mode: str
    preempt_reason: str = ''


class _World(_Told):
    safety_reason: str = ''


class _State(_Told):
    tasks: _Tasks
    world: _World = _World()


class _Request(_Told):
    id: str
    tool: str
    arguments: dict[str, Any] = {}


_STATE: TypeAdapter[_State] = TypeAdapter(_State)
_REQUESTS: TypeAdapter[list[_Request]] = TypeAdapter(list[_Request])


def _in_words(request: _Request) -> str:
    call = call_in_words(request.tool, request.arguments)
    return plain(f'Approve? {plain(request.id, 12)}: {call}', LONGEST_LINE)
