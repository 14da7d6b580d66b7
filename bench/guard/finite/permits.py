"""Permit, motion, stop and its confirmation, between two processes whose messages do anything.

The executive's part is `core/given_permits.py` and `core/stop_confirmation.py`; the adapter's is
`curiosity_adapter/permit_and_deadman.py` on `gates/permit_rules.py`, with its deadman. Heartbeats,
requests and statuses are late, lost, doubled and overtaken. Time passes in steps that are longer
than half of the deadman's time and shorter than it.

Invariants:
- A permit starts one motion at most, however often and late its request comes.
- Nothing begins but the motion that is permitted, under the permit that it was asked for under,
  and only while a young heartbeat is known.
- Nothing begins that the executive had withdrawn for longer than the deadman's time.
- A motion under way ends at the next look of the adapter when its permit is withdrawn, and at the
  second one at the latest when nothing is heard of the executive for longer than the deadman's
  time: an adapter that stood still itself reads first what came meanwhile.
- Once a stop counts as confirmed, nothing moves or begins that was permitted before it.
- A heartbeat that is too old when it is read, or was overtaken, counts as none.

What can change nothing any more is read once, and is gone: such a heartbeat, and a status that
confirms nothing. A permit that no message, motion or heartbeat names any more is forgotten.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from bt_executive.core.given_permits import Permits
from bt_executive.core.robot_state import ReceivedHeartbeat, RobotState
from bt_executive.core.stop_confirmation import StopConfirmation
from curiosity_adapter.permit_and_deadman import Deadman, Permission
from rover_common.message_order import HeartbeatFilter, RunNumber
from rover_common.permit import Heartbeat, Permit

TIMEOUT_S = 0.3
STEP_S = 0.2
OVER_S = 2 * STEP_S  # longer than the deadman waits: how much longer makes no difference
MOTION, OTHER_MOTION = 'move_forward', 'turn_left'
MOST_STATUSES, MOST_REQUESTS = 1, 1  # in flight
GIVE, STOP, HEARTBEAT_SENT, PASS, LOOK, REPORT, ENDS, OTHER = (
    'a motion is permitted and asked for',
    'a stop is sent',
    'a heartbeat is sent',
    '0.2 s pass',
    'the adapter looks',
    'the adapter reports',
    'somebody stops it at the adapter',
    'somebody asks for another motion, or under another permit',
)


class Link:
    """Executive and adapter, and the messages in flight between them.

    Args:
        most_permits: Number of permits, one after the other.
        most_heartbeats: Number of heartbeats in flight; of more, the oldest is lost.
    """

    def __init__(self, most_permits: int = 2, most_heartbeats: int = 2) -> None:
        self.most_permits, self.most_heartbeats = most_permits, most_heartbeats
        self.now = 10.0
        self.sequence = 0
        self.heartbeats: list[Heartbeat] = []
        self.requests: list[int] = []  # permits with which a motion is requested
        self.statuses: list[RobotState] = []
        self.started: list[int] = []
        self.silent_checks = 0
        self.gone: dict[int, float] = {}  # permit → when it was withdrawn
        self.stopped = 0  # the latest permit before the latest stop
        self.confirmed = 0  # the latest permit before a stop that counts as confirmed
        self.permits = Permits(self._send)
        self.stops = StopConfirmation()
        self.filter: HeartbeatFilter[Heartbeat] = HeartbeatFilter(TIMEOUT_S, 'heartbeat')
        self.permission = Permission(self.filter, Deadman(TIMEOUT_S, False))

    @classmethod
    def driving(cls) -> Link:
        """A motion is executing, and nothing else."""
        link = cls()
        for move in (GIVE, 'heartbeat 0 arrives', 'request 0 arrives'):
            link.do(move)
        assert link.moving
        return link

    def _send(self, permit: Permit) -> Heartbeat:
        self.sequence += 1
        heartbeat = Heartbeat('run', self.sequence, self.now, permit)
        self.heartbeats = [*self.heartbeats, heartbeat][
            -self.most_heartbeats :
        ]  # what is pushed out is lost
        return heartbeat

    @property
    def moving(self) -> bool:
        """Whether a motion is executing."""
        return self.permission.holder is not None

    def moves(self) -> Sequence[str]:
        """See `Machine`."""
        found = [PASS, LOOK, HEARTBEAT_SENT, STOP, ENDS if self.moving else OTHER]
        if self.permits.issued < self.most_permits and self.stops.pending is None:
            found.append(GIVE)
        if self.stops.pending is not None and len(self.statuses) < MOST_STATUSES:
            found.append(REPORT)
        for kind, waiting in (
            ('heartbeat', self.heartbeats),
            ('request', self.requests),
            ('status', self.statuses),
        ):
            for at in range(len(waiting)):
                found += [f'{kind} {at} arrives', f'{kind} {at} arrives and will again']
        return found

    def do(self, move: str) -> str:
        """See `Machine`."""
        return self._do(move) or self._without_effect() or self._moves_after_a_stop()

    def _do(self, move: str) -> str:
        if move == PASS:
            self.now = round(self.now + STEP_S, 3)
        elif move == HEARTBEAT_SENT:
            self.permits.repeat()
        elif move == GIVE:
            self._withdrawn()
            permit = self.permits.give(MOTION)
            self.requests = [*self.requests, permit.number][-MOST_REQUESTS:]
        elif move == STOP:
            self._withdrawn()
            self.stopped = self.permits.issued
            self.stops.sent(self.permits.withdraw(), self.now)
        elif move == ENDS:
            self.permission.end()
        elif move == LOOK:
            return self._check()
        elif move == OTHER:
            return self._other()
        elif move == REPORT:
            self.statuses.append(self._status())
        else:
            return self._arrives(*move.split(' ', 2))
        return ''

    def _without_effect(self) -> str:
        """Let what can change nothing any more arrive, and be lost from now on."""
        latest = self.filter.latest
        for heartbeat in tuple(self.heartbeats):
            overtaken = latest is not None and heartbeat.sequence <= latest.sequence
            if overtaken or self.now - heartbeat.sent_at > TIMEOUT_S:
                if self.permission.receive(heartbeat, self.now, self.now) is None:
                    return 'a heartbeat that is too old, or was overtaken, counts as none'
                self.heartbeats.remove(heartbeat)
        for status in tuple(self.statuses):
            if not self._may_confirm(status):
                self.statuses.remove(status)
                self._confirm(status)
        return ''

    def _may_confirm(self, status: RobotState) -> bool:
        pending, counted = self.stops.pending, status.heard_beat
        if pending is None or counted is None or not status.at_rest:
            return False
        return counted.sequence >= pending.heartbeat.sequence

    def _withdrawn(self) -> None:
        if self.permits.current.number:
            self.gone.setdefault(self.permits.current.number, self.now)

    def _check(self) -> str:
        permission = self.permission
        permission._deadman.update(self.now)
        if self.moving and (permission.withdrawal(MOTION) or permission.silence(MOTION, self.now)):
            permission.end()
        latest = self.filter.latest
        silence_s = self.now - latest.sent_at if latest else 99.0
        silent = self.moving and silence_s > TIMEOUT_S
        self.silent_checks = self.silent_checks + 1 if silent else 0
        if self.silent_checks > 1:
            return 'a motion ends when nothing is heard of the executive'
        held = permission.holder
        if held is not None and latest is not None and latest.permit_id != held:
            return 'a motion ends when its permit is withdrawn'
        return ''

    def _status(self) -> RobotState:
        latest = self.filter.latest
        counted = ReceivedHeartbeat('run', latest.sequence) if latest else None
        return RobotState(heard_beat=counted, moving=self.moving, at_rest=not self.moving)

    def _arrives(self, kind: str, place: str, how: str) -> str:
        waiting: dict[str, Sequence[object]] = {
            'heartbeat': self.heartbeats,
            'request': self.requests,
            'status': self.statuses,
        }
        queue: list[object] = list(waiting[kind])
        message = queue[int(place)]
        if not how.endswith('again'):
            del queue[int(place)]
        if kind == 'heartbeat':
            self.heartbeats = [each for each in queue if isinstance(each, Heartbeat)]
            assert isinstance(message, Heartbeat)
            self.permission.receive(message, self.now, self.now)
            return self._check()  # as the adapter reacts to another permit
        if kind == 'request':
            self.requests = [each for each in queue if isinstance(each, int)]
            assert isinstance(message, int)
            return self._start()
        self.statuses = [each for each in queue if isinstance(each, RobotState)]
        assert isinstance(message, RobotState)
        self._confirm(message)
        return ''

    def _other(self) -> str:
        asked = ((OTHER_MOTION, None), (MOTION, RunNumber('run', self.permits.issued + 1)))
        if all(self.permission.refusal(motion, self.now, named) for motion, named in asked):
            return ''
        return 'nothing begins but what is permitted, under the permit it was asked for under'

    def _start(self) -> str:
        """A request arrives: it names no permit, as `move_forward` is a plain service."""
        if self.moving or self.permission.refusal(MOTION, self.now):
            return ''
        latest = self.filter.latest
        if latest is None or self.now - latest.sent_at > TIMEOUT_S:
            return 'nothing begins without a young heartbeat'
        number = latest.permit.number
        self.permission.use()
        twice = number in self.started
        self.started.append(number)
        if twice:
            return 'a permit starts one motion at most'
        late = self.now - self.gone.get(number, self.now)
        if late > TIMEOUT_S:
            return 'nothing begins that was withdrawn for longer than the deadman waits'
        return ''

    def _confirm(self, status: RobotState) -> None:
        """A status arrives at the executive while a stop is not confirmed."""
        if self.stops.pending is not None and self.stops.confirmed_by(status):
            self.confirmed = self.stopped

    def _moves_after_a_stop(self) -> str:
        held = self.permission.holder
        if held is None or held.number > self.confirmed:
            return ''
        return 'once a stop is confirmed, nothing moves that was permitted before it'

    def key(self) -> Hashable:
        """See `Machine`: times as ages, numbers by their order, and only what still matters."""
        latest, silence = self.filter.latest, self.permission._deadman._timeout
        pending, held = self.stops.pending, self.permission.holder
        in_use = [*self.heartbeats, latest] if latest else self.heartbeats
        alive = {self.permits.current.number, held.number if held else 0}
        alive = {0, *alive, *(each.permit.number for each in in_use)}
        rank = {number: at for at, number in enumerate(sorted(alive))}
        waited = pending.heartbeat.sequence if pending else self.sequence + 1

        def shown(heartbeat: Heartbeat) -> Hashable:
            return (
                self._age(heartbeat.sent_at),
                rank[heartbeat.permit.number],
                heartbeat.sequence >= waited,
            )

        used = self.permission._rules._used
        return (
            tuple(map(shown, self.heartbeats)),  # each comes after the latest one that counted
            latest and shown(latest),
            len(self.requests),  # they name no permit
            len(self.statuses),  # each confirms the stop
            held and rank[held.number],
            tuple(used.has(RunNumber('run', each)) for each in sorted(alive)),
            tuple(each in self.started for each in sorted(alive)),
            tuple(self._gone(each) for each in sorted(alive)),
            tuple(each <= self.confirmed for each in sorted(alive)),
            (rank[self.permits.current.number], self.most_permits - self.permits.issued),
            pending is not None,
            self.silent_checks,
            silence._was_paused(self.now),
            silence._is_excused,
            silence._was_excused,
        )

    def _age(self, moment: float) -> float:
        return round(min(self.now - moment, OVER_S), 3)

    def _gone(self, permit: int) -> float | None:
        """Return for how long a permit is withdrawn: of one that was used, only that it is."""
        if permit not in self.gone:
            return None
        return OVER_S if permit in self.started else self._age(self.gone[permit])
