"""The common status of all gates: which ending of which gate it reports, and when."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from gates.gates_status import AllGates, GateEnding
from gates.permit_rules import NO_HEARTBEAT
from rover_common.permit import EndingCode, Heartbeat, Permit, PermitId

NAMES = ('base', 'arm', 'hand')


@dataclass(eq=False)
class Gate:
    """A gate of which the test says what it has."""

    name: str
    heartbeat: Heartbeat = NO_HEARTBEAT
    ending: GateEnding | None = None

    def is_silent(self, now: float) -> bool:
        return False

    def moving(self, now: float) -> bool | None:
        return False

    def why_unknown(self, now: float) -> str:
        return ''


class Robot:
    """Some gates, and the permits that an executive gives them."""

    def __init__(self) -> None:
        self.gates = [Gate(name) for name in NAMES]
        self.all = AllGates(self.gates, 'the gates')
        self.given: dict[str, Permit] = {}

    def give(self, at: int, number: int) -> None:
        self.given[NAMES[at]] = Permit('motion', number, NAMES[at])
        self._beat()

    def withdraw(self, at: int) -> None:
        self.given.pop(NAMES[at], None)
        self._beat()

    def end(self, at: int) -> int:
        """Ends the motion at a gate; returns the number of its permit."""
        permit = self.gates[at].heartbeat.permit_id_at(NAMES[at])
        self.gates[at].ending = GateEnding(permit, EndingCode.GAP, 'silence', stood=False)
        return permit.number

    def report(self) -> int:
        """Returns the number of the permit whose ending the next status has; 0: it has none."""
        ending = self.all.status(0.0).ending
        return ending.permit.number if ending else 0

    def _beat(self) -> None:
        for gate in self.gates:
            gate.heartbeat = Heartbeat('run', 1, 0.0, gates=tuple(self.given.values()))


def test_two_gates_that_end_together_are_both_reported_until_their_permits_are_withdrawn() -> None:
    robot = Robot()
    assert robot.report() == 0
    for at in range(2):
        robot.give(at, at + 1)
    for at in range(2):
        robot.end(at)
    for number in (1, 2):
        assert robot.all.has_new_ending
        assert robot.report() == number
    assert not robot.all.has_new_ending
    assert {robot.report() for _ in range(2)} == {1, 2}
    robot.withdraw(1)
    assert [robot.report() for _ in range(3)] == [1, 1, 1]
    robot.withdraw(0)
    assert [robot.report() for _ in range(3)] == [2, 2, 2], 'the latest one'


def test_an_ending_of_another_run_is_not_that_of_a_permit_with_its_number() -> None:
    robot = Robot()
    for at in range(2):
        robot.give(at, at + 1)
    robot.gates[0].ending = GateEnding(PermitId('before', 1), EndingCode.GAP, 'silence', False)
    assert robot.report() == 1
    robot.end(1)
    assert [robot.report() for _ in range(4)] == [2, 2, 2, 2]


@given(
    st.lists(st.tuples(st.sampled_from(['give', 'end', 'withdraw', 'report']), st.integers(0, 2)))
)
def test_each_ending_is_reported_once_and_again_while_its_permit_is_given(
    steps: list[tuple[str, int]],
) -> None:
    robot, ended, reported, number = Robot(), set[int](), set[int](), 0
    for what, at in steps:
        if what == 'give':
            number += 1
            robot.give(at, number)
        elif what == 'end' and NAMES[at] in robot.given:
            ended.add(robot.end(at))
        elif what == 'withdraw':
            robot.withdraw(at)
        while robot.all.has_new_ending or what == 'report':
            reported.add(robot.report())
            what = ''
    assert ended <= reported
    given = {each.number for each in robot.given.values()}
    assert given & ended <= {robot.report() for _ in NAMES}
