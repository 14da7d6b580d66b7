"""Base or mast, never both: exact reasons, and an invariant over any order of requests."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
import pytest

from curiosity_adapter.base_or_mast_exclusivity import Exclusivity
from curiosity_adapter.mast_state import MastState
from rover_common.config.settings import Variant
from rover_common.reason import sentence_of

states = st.sampled_from(['open', 'closed', 'between', 'unknown'])


def guarded(mast: MastState) -> Exclusivity:
    exclusivity = Exclusivity('B')
    exclusivity.mast, exclusivity.stop_owed = mast, False
    return exclusivity


@pytest.mark.parametrize('mast', ['open', 'between'])
def test_a_mast_that_is_not_closed_refuses_motion(mast: MastState) -> None:
    exclusivity = guarded(mast)
    assert sentence_of(exclusivity.begin_motion('move_forward')) == 'Need to close mast'
    assert (exclusivity.mast_is_open, exclusivity.move_allowed) == (True, False)


def test_an_unknown_mast_refuses_motion() -> None:
    exclusivity = guarded('unknown')
    assert 'unknown' in sentence_of(exclusivity.begin_motion('move_forward'))
    assert (exclusivity.mast_is_open, exclusivity.move_allowed) == (None, False)


def test_a_closed_mast_lets_one_motion_at_a_time_begin() -> None:
    exclusivity = guarded('closed')
    assert (exclusivity.mast_is_open, exclusivity.move_allowed) == (False, True)
    assert exclusivity.begin_motion('move_forward') is None
    assert sentence_of(exclusivity.begin_motion('turn_left')) == 'Move in progress'
    exclusivity.motion_confirmed()
    assert sentence_of(exclusivity.begin_mast('mast_open')) == 'Move in progress'
    exclusivity.motion_ended()
    assert exclusivity.begin_mast('mast_open') is None


def test_a_move_that_races_with_a_mast_command_loses() -> None:
    exclusivity = guarded('closed')
    assert exclusivity.begin_mast('mast_open') is None
    assert sentence_of(exclusivity.begin_motion('move_forward')) == 'Need to close mast'
    assert sentence_of(exclusivity.begin_mast('mast_rotate')) == 'Mast is busy with mast_open'


def test_a_motion_that_is_not_confirmed_loses_against_a_mast_command() -> None:
    exclusivity = guarded('closed')
    exclusivity.begin_motion('move_forward')
    assert exclusivity.begin_mast('mast_open') is None
    assert sentence_of(exclusivity.stop_reason()) == 'move_forward was stopped: Need to close mast'
    assert exclusivity.mast_hindrance() is not None
    exclusivity.motion_ended()
    assert exclusivity.mast_hindrance() is None


def test_the_mast_waits_for_a_rover_that_rolls_on_after_its_stop() -> None:
    exclusivity = guarded('closed')
    exclusivity.rolls = True
    assert exclusivity.begin_mast('mast_open') is None
    assert exclusivity.mast_hindrance() is not None
    exclusivity.rolls = False
    assert exclusivity.mast_hindrance() is None


def test_the_mast_waits_for_the_answer_to_a_stop_that_is_owed() -> None:
    exclusivity = Exclusivity('B')
    assert exclusivity.begin_mast('mast_open') is None
    assert exclusivity.mast_hindrance() is not None, 'whoever drove before may have died'
    exclusivity.stop_owed = False
    assert exclusivity.mast_hindrance() is None
    assert Exclusivity('A').mast_hindrance() is None


def test_a_confirmed_motion_keeps_the_base() -> None:
    exclusivity = guarded('closed')
    exclusivity.begin_motion('move_forward')
    exclusivity.motion_confirmed()
    assert sentence_of(exclusivity.begin_mast('mast_open')) == 'Move in progress'


def test_a_navigation_goal_keeps_the_base_between_its_motions() -> None:
    exclusivity = guarded('closed')
    assert exclusivity.begin_navigation('trip') is None
    assert sentence_of(exclusivity.begin_motion('move_forward')) == 'Move in progress'
    assert sentence_of(exclusivity.begin_navigation('another')) == 'Move in progress'
    assert sentence_of(exclusivity.begin_mast('mast_open')) == 'Move in progress'
    assert exclusivity.begin_motion('turn_left', 'trip') is None
    assert sentence_of(exclusivity.begin_mast('mast_open')) == 'Move in progress'
    exclusivity.motion_ended()
    assert exclusivity.moving
    exclusivity.navigation_ended()
    assert not exclusivity.moving
    assert exclusivity.begin_mast('mast_open') is None


def test_a_motion_that_is_only_seen_ends_when_the_mast_is_out() -> None:
    exclusivity = guarded('open')
    exclusivity.see_motion('unasked motion')
    assert sentence_of(exclusivity.begin_mast('mast_rotate')) == 'Move in progress'
    assert (
        sentence_of(exclusivity.stop_reason()) == 'unasked motion was stopped: Need to close mast'
    )


def test_a_mast_that_opens_by_itself_ends_the_motion() -> None:
    exclusivity = guarded('closed')
    exclusivity.begin_motion('move_forward')
    assert exclusivity.stop_reason() is None
    exclusivity.mast = 'between'
    assert sentence_of(exclusivity.stop_reason()) == 'move_forward was stopped: Need to close mast'


def test_variant_a_does_not_guard_the_mast() -> None:
    exclusivity = Exclusivity('A')
    exclusivity.mast = 'open'
    assert exclusivity.begin_mast('mast_rotate') is None
    assert exclusivity.begin_motion('move_forward') is None
    assert exclusivity.stop_reason() is None
    assert (exclusivity.mast_is_open, exclusivity.move_allowed) == (None, True)


class AnyOrder(RuleBasedStateMachine):
    """Requests, confirmations, endings and joint states in any order."""

    @initialize(variant=st.sampled_from(['A', 'B']))
    def begin(self, variant: Variant) -> None:
        self.guarded = variant == 'B'
        self.exclusivity = Exclusivity(variant)
        self.confirmed = False

    @property
    def mast_away(self) -> bool:
        mast_free = self.exclusivity.mast_command is None
        return not self.guarded or (self.exclusivity.mast == 'closed' and mast_free)

    @rule(
        name=st.sampled_from(['move_forward', 'turn_left', 'turn_right']),
        navigation_goal=st.sampled_from([None, 'trip']),
    )
    def ask_motion(self, name: str, navigation_goal: str | None) -> None:
        before, mast_away = self.exclusivity.motion, self.mast_away
        free = before is None and self.exclusivity.navigation_goal == navigation_goal
        granted = not self.exclusivity.begin_motion(name, navigation_goal)
        assert granted == (free and mast_away)
        assert self.exclusivity.motion == (name if granted else before)
        self.confirmed = self.confirmed and not granted

    @rule()
    def ask_navigation(self) -> None:
        before, mast_away = self.exclusivity.moving, self.mast_away
        granted = not self.exclusivity.begin_navigation('trip')
        assert granted == (mast_away and not before)

    @rule(name=st.sampled_from(['mast_open', 'mast_close', 'mast_rotate']))
    def ask_mast(self, name: str) -> None:
        exclusivity = self.exclusivity
        before = exclusivity.mast_command
        held = exclusivity.navigation_goal or (exclusivity.motion and self.confirmed)
        granted = not exclusivity.begin_mast(name)
        assert granted == (before is None and not (self.guarded and held))
        assert exclusivity.mast_command == (name if granted else before)

    @precondition(lambda self: self.exclusivity.motion)
    @rule()
    def confirm(self) -> None:
        self.exclusivity.motion_confirmed()
        self.confirmed = True

    @precondition(lambda self: not self.exclusivity.motion)
    @rule()
    def see_a_motion(self) -> None:
        self.exclusivity.see_motion('unasked motion')
        self.confirmed = True

    @rule()
    def end_motion(self) -> None:
        self.exclusivity.motion_ended()

    @rule()
    def end_navigation(self) -> None:
        self.exclusivity.navigation_ended()

    @rule()
    def end_mast(self) -> None:
        self.exclusivity.mast_ended()

    @rule(mast=states)
    def see(self, mast: MastState) -> None:
        self.exclusivity.mast = mast

    @invariant()
    def no_motion_goes_on_with_the_mast_out(self) -> None:
        exclusivity = getattr(self, 'exclusivity', None)
        if exclusivity is None or not self.guarded or exclusivity.motion is None:
            return
        assert self.mast_away == (exclusivity.stop_reason() is None)
        assert exclusivity.mast_hindrance() is not None


TestAnyOrder = pytest.mark.slow(AnyOrder.TestCase)
