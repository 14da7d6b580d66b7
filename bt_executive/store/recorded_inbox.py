"""What was in the inbox, tick by tick."""

from __future__ import annotations

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import Input
from bt_executive.store.tick_log import Note, TickLog


class OverheardInbox(Inbox):
    """An inbox that also tells `log` what a tick takes from it."""

    def __init__(self, log: TickLog) -> None:
        super().__init__()
        self._log = log
        self._told = 0

    @property
    def dropped(self) -> int:
        """Events dropped so far."""
        count, nth = super().dropped, self._log.called(Note.DROPPED)
        if count != self._told and self._log.is_open:
            self._told = count
            self._log.note(Note.DROPPED, {'count': count}, nth)
        return count

    def drain(self) -> list[Input]:
        """Everything since the last drain."""
        events = super().drain()
        self._log.drained(events)
        return events
