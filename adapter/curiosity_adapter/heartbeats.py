"""Which heartbeats count: young ones, in order.

Between two processes a beat may come late, twice or after a later one. So each is judged by the
sender's stamp and sequence when it is read, not when it happens to be read.
"""

from __future__ import annotations

from rover_common.permit import Beat


class Heartbeats:
    """Remembers the latest beat that counts.

    Args:
        max_age_s: A beat that is older when it is read counts as none. A stamp that lies further
            ahead than that is of another clock, and counts as none, too.
    """

    def __init__(self, max_age_s: float) -> None:
        self._max_age_s = max_age_s
        self.latest: Beat | None = None

    def take(self, beat: Beat, system_time: float) -> str:
        """Takes a beat that is read at a system time in s; a reason if it does not count."""
        reason = self._age_reason(system_time - beat.sent_at) or self._order_reason(beat)
        if not reason:
            self.latest = beat
        return reason

    def _age_reason(self, age: float) -> str:
        if age > self._max_age_s:
            said = f'{age:.2f} s old when it is read'
        elif age < -self._max_age_s:
            said = f'stamped {-age:.2f} s in the future'
        else:
            return ''
        return (
            f'A heartbeat does not count: it is {said}, the limit is {self._max_age_s:g} s. '
            'If this goes on, let the clocks of both hosts agree (chrony, NTP)'
        )

    def _order_reason(self, beat: Beat) -> str:
        latest = self.latest
        if latest is None:
            return ''
        if beat.sender == latest.sender:
            late = beat.sequence <= latest.sequence
        else:
            late = beat.sent_at <= latest.sent_at
        return 'A heartbeat does not count: a later one came before it' if late else ''
