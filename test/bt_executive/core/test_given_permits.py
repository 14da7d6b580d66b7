"""One permit for each gate, none given twice, and all of them withdrawn by a stop."""

from __future__ import annotations

from itertools import count

from bt_executive.core.given_permits import Permits
from rover_common.permit import NO_PERMIT, Heartbeat, Permit


class Wire:
    """What heartbeats say: gate → what may run there."""

    def __init__(self) -> None:
        self.given: dict[str, Permit] = {}
        self._numbers = count(1)

    def tell(self, permit: Permit) -> Heartbeat:
        self.given[permit.gate] = permit
        return Heartbeat('run', next(self._numbers), 0.0)

    @property
    def numbers(self) -> dict[str, int]:
        return {gate: each.number for gate, each in self.given.items()}


def test_each_gate_has_a_permit_of_its_own() -> None:
    wire = Wire()
    permits = Permits(wire.tell)
    permits.give('drive', 'base')
    permits.give('pick', 'arm', 'aa')
    assert wire.numbers == {'base': 1, 'arm': 2}
    assert wire.given['arm'] == Permit('pick', 2, 'arm', 'aa')
    permits.withdraw('base')
    assert wire.numbers == {'base': 0, 'arm': 2}
    assert (permits.at('base'), permits.current) == (NO_PERMIT, permits.at('arm'))
    permits.give('drive', 'base')
    assert wire.numbers == {'base': 3, 'arm': 2}, 'a number is never given twice'


def test_a_stop_withdraws_all_of_them_and_the_beat_says_so() -> None:
    wire = Wire()
    permits = Permits(wire.tell)
    permits.give('drive', 'base')
    permits.give('pick', 'arm', 'aa')
    heartbeat = permits.withdraw()
    assert wire.numbers == {'base': 0, 'arm': 0}
    assert heartbeat.sequence == 4, 'the one that knows of both'
    assert permits.current is NO_PERMIT
    assert permits.withdraw().sequence == 5, 'it is said again'


def test_a_permit_is_held_by_the_call_that_it_was_given_to() -> None:
    permits = Permits(Wire().tell)
    permits.give('drive', 'base', call_id='call-1/1')
    assert permits.gates_of('call-1/1') == ('base',)
    assert permits.gates_of('call-1/2') == ()
    permits.withdraw('base')
    assert permits.gates_of('call-1/1') == ()


def test_what_is_foreseen_for_a_call_stays_when_another_one_ends() -> None:
    permits = Permits(Wire().tell)
    permits.give('pick', 'arm', call_id='call-1/2')
    prepared = permits.prepare('drive', 'base', 'call-1/1')
    permits.withdraw('arm')
    permits.discard_prepared('call-1/2')
    assert permits.prepared == prepared
    permits.discard_prepared('call-1/1')
    assert permits.prepared == NO_PERMIT


def test_what_is_foreseen_is_what_is_given() -> None:
    permits = Permits(Wire().tell)
    prepared = permits.prepare('drive', 'base')
    assert permits.at('base') == NO_PERMIT
    assert permits.give('drive', 'base') == prepared
    assert permits.prepared == NO_PERMIT
