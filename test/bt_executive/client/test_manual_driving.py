"""A motion by hand lasts while it is held, and not longer, whatever becomes of who held it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bt_executive.client.typed_arguments import node_of
from bt_executive.ros.client.manual_mode_and_faults import (
    HOLD_S,
    NODES,
    RELEASED_S,
    ManualDriving,
    toggled,
)
from rover_common.config.settings.injected_faults import FAULT_NODES

MOTIONS = ('move_forward', 'turn_left', 'turn_right')


def test_a_motion_ends_when_it_is_not_held_any_more() -> None:
    it = ManualDriving('me', MOTIONS)
    it.hold('move_forward', 0.0)
    begun = it.setpoint('adapter', 0.1, 1000.0)
    assert begun is not None
    assert (begun.motion, begun.adapter, begun.navigation_goal, begun.number) == (
        'move_forward',
        'adapter',
        1,
        1,
    )
    ended = it.setpoint('adapter', HOLD_S + 0.01, 1000.0)
    assert ended is not None
    assert (ended.motion, ended.navigation_goal) == ('', 0)
    assert it.setpoint('adapter', HOLD_S + RELEASED_S + 0.1, 1001.0) is None


def test_each_press_is_a_motion_of_its_own() -> None:
    it = ManualDriving('me', MOTIONS)
    numbers = []
    for at in (0.0, 10.0):
        it.hold('turn_left', at)
        said = it.setpoint('adapter', at, 1000.0)
        assert said is not None
        numbers.append((said.navigation_goal, said.number))
        it.hold('', at + 0.1)
        it.setpoint('adapter', at + 0.1, 1000.0)
    assert numbers == [(1, 1), (2, 2)]


def test_what_is_no_motion_drives_nothing() -> None:
    it = ManualDriving('me', MOTIONS)
    it.hold('rm -rf', 0.0)
    assert it.setpoint('adapter', 0.0, 1000.0) is None


@given(st.lists(st.tuples(st.sampled_from(['', 'move_forward', 'turn_left']), st.floats(0, 1))))
def test_sequences_grow_and_numbers_are_never_given_twice(
    presses: list[tuple[str, float]],
) -> None:
    it, now = ManualDriving('me', MOTIONS), 0.0
    said = []
    for motion, wait in presses:
        it.hold(motion, now)
        each = it.setpoint('adapter', now, now)
        if each is not None:
            said.append(each)
        now += wait
    assert [each.sequence for each in said] == list(range(1, len(said) + 1))
    numbers = [each.number for each in said if each.motion]
    assert numbers == sorted(numbers)


def test_every_fault_has_a_node_and_can_be_switched() -> None:
    assert {node_of(fault) for fault in FAULT_NODES} == {*NODES}
    assert toggled(('tf_off',), 'tf_off', None) == ()
    assert toggled(('tf_off',), 'camera_off', True) == ('tf_off', 'camera_off')
    assert toggled(('tf_off',), 'tf_off', True) == ('tf_off',)
