"""Base or mast, never both: exact reasons, and an invariant over any order of requests."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
import pytest

from curiosity_adapter.exclusivity import Exclusivity
from curiosity_adapter.mast import MastState

states = st.sampled_from(['open', 'closed', 'between', 'unknown'])


def guarded(mast: MastState) -> Exclusivity:
    exclusivity = Exclusivity('B')
    exclusivity.mast = mast
    return exclusivity


@pytest.mark.parametrize('mast', ['open', 'between'])
def test_a_mast_that_is_not_closed_refuses_motion(mast: MastState) -> None:
    exclusivity = guarded(mast)
    assert exclusivity.begin_motion('move_forward') == 'Need to close mast'
    assert (exclusivity.mast_is_open, exclusivity.move_allowed) == (True, False)


def test_an_unknown_mast_refuses_motion() -> None:
    exclusivity = guarded('unknown')
    assert 'unknown' in exclusivity.begin_motion('move_forward')
    assert (exclusivity.mast_is_open, exclusivity.move_allowed) == (None, False)


def test_a_closed_mast_lets_one_motion_at_a_time_begin() -> None:
    exclusivity = guarded('closed')
    assert (exclusivity.mast_is_open, exclusivity.move_allowed) == (False, True)
    assert exclusivity.begin_motion('move_forward') == ''
    assert exclusivity.begin_motion('turn_left') == 'Move in progress'
    assert exclusivity.begin_mast('mast_open') == 'Move in progress'
    exclusivity.motion_ended()
    assert exclusivity.begin_mast('mast_open') == ''


def test_a_move_that_races_with_a_mast_command_loses() -> None:
    exclusivity = guarded('closed')
    assert exclusivity.begin_mast('mast_open') == ''
    assert exclusivity.begin_motion('move_forward') == 'Need to close mast'
    assert exclusivity.begin_mast('mast_rotate') == 'Mast is busy with mast_open'


def test_a_mast_that_opens_by_itself_ends_the_motion() -> None:
    exclusivity = guarded('closed')
    exclusivity.begin_motion('move_forward')
    assert exclusivity.stop_reason() == ''
    exclusivity.mast = 'between'
    assert exclusivity.stop_reason() == 'move_forward was stopped: Need to close mast'


def test_variant_a_does_not_guard_the_mast() -> None:
    exclusivity = Exclusivity('A')
    exclusivity.mast = 'open'
    assert exclusivity.begin_mast('mast_rotate') == ''
    assert exclusivity.begin_motion('move_forward') == ''
    assert exclusivity.stop_reason() == ''
    assert (exclusivity.mast_is_open, exclusivity.move_allowed) == (None, True)


class AnyOrder(RuleBasedStateMachine):
    """Requests, endings and joint states in any order."""

    @initialize(variant=st.sampled_from(['A', 'B']))
    def begin(self, variant: str) -> None:
        self.variant = variant
        self.exclusivity = Exclusivity(variant)

    @rule(name=st.sampled_from(['move_forward', 'turn_left', 'turn_right']))
    def ask_motion(self, name: str) -> None:
        before = self.exclusivity.motion
        free = before is None
        guard = self.variant == 'A' or (
            self.exclusivity.mast == 'closed' and self.exclusivity.mast_command is None
        )
        granted = not self.exclusivity.begin_motion(name)
        assert granted == (free and guard)
        assert self.exclusivity.motion == (name if granted else before)

    @rule(name=st.sampled_from(['mast_open', 'mast_close', 'mast_rotate']))
    def ask_mast(self, name: str) -> None:
        before = self.exclusivity.mast_command
        granted = not self.exclusivity.begin_mast(name)
        assert self.exclusivity.mast_command == (name if granted else before)
        assert not (granted and before)

    @rule()
    def end_motion(self) -> None:
        self.exclusivity.motion_ended()

    @rule()
    def end_mast(self) -> None:
        self.exclusivity.mast_ended()

    @rule(mast=states)
    def see(self, mast: MastState) -> None:
        self.exclusivity.mast = mast

    @invariant()
    def no_motion_goes_on_with_the_mast_out(self) -> None:
        exclusivity = getattr(self, 'exclusivity', None)
        if exclusivity is None or self.variant == 'A' or exclusivity.motion is None:
            return
        assert exclusivity.mast_command is None
        assert (exclusivity.mast == 'closed') == (exclusivity.stop_reason() == '')


TestAnyOrder = AnyOrder.TestCase
