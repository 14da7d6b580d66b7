"""What the executive was told, tick by tick: with the trace, all that its decisions rest on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from enum import Enum
import json
from typing import Any

from bt_executive.core.inbox import Event, Inbox
from rover_common.clocks import Now

NOT_DATA = 'reply'  # a function, through which the sender is answered


class OverheardInbox(Inbox):
    """An inbox that also hands over what is drained, to `listen`. It must not block."""

    def __init__(self, listen: Callable[[Sequence[Event]], None]) -> None:
        super().__init__()
        self._listen = listen

    def drain(self) -> list[Event]:
        """Everything since the last drain."""
        events = super().drain()
        if events:
            self._listen(events)
        return events


def entry_json(now: Now, event: Event) -> str:
    """One line of inbox.jsonl (`formats.InboxEntry`); `now`: the tick's time."""
    told = {
        each.name: getattr(event, each.name) for each in fields(event) if each.name != NOT_DATA
    }
    times = {'ts': now.ros, 'robot': now.robot, 'steady': now.steady}
    entry = {**times, 'event': type(event).__name__, 'fields': told}
    return json.dumps(entry, ensure_ascii=False, separators=(',', ':'), default=_plain)


def _plain(value: object) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return dict(value)
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else str(value)
