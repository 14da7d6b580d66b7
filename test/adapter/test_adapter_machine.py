"""The whole adapter without ROS, against a rover with a mast and a latch, in any order of events.

Callers, the executive's heartbeats, the joint states and the rover's answers come and go as
Hypothesis likes. What is asserted is the ground truth of the rover, not what the adapter believes:
it never rolls with its mast out, and when nobody watches any more a stop is on its way.
"""

from __future__ import annotations

from collections.abc import Callable

from any_adapter import AnyAdapter
from hypothesis import settings
import pytest

from curiosity_adapter.base_motions import Base
from curiosity_adapter.base_or_mast_exclusivity import Exclusivity
from curiosity_adapter.mast_state import MastJoints
from curiosity_adapter.motion_guards import Limits
from curiosity_adapter.permit_and_deadman import Deadman
from curiosity_adapter.standstill_by_tf_and_odometry import StandstillMonitor
from curiosity_adapter.start_and_stop_requests import OwedStop
from rover_common.motion_by_transforms import MotionMonitor

TestAnyAdapter = pytest.mark.slow(AnyAdapter.TestCase)
TestAnyAdapter.settings = settings(stateful_step_count=40, deadline=None)


def driving(*, strangers: bool = False) -> AnyAdapter:
    machine = AnyAdapter()
    machine.begin(strangers=strangers, closed=True, driving=True)
    assert machine.rolling
    return machine


def test_it_moves_when_it_may_and_stands_when_it_is_told_to() -> None:
    machine = driving()
    machine.call('mast_open')
    machine.time_passes(2)
    assert not machine.queues['mast_open']
    machine.call('move_stop')
    machine.all_goes_well(2)
    assert not machine.rolling
    assert machine.calls, 'that it stands is not seen yet'
    machine.all_goes_well(8)
    assert not machine.calls
    machine.teardown()


def brakes_that_fail(machine: AnyAdapter) -> None:
    """The rover answers its stop and rolls on; its transforms tell."""
    machine.call('move_stop')
    machine.all_goes_well(10)  # it is seen to stand
    machine.call('move_forward')
    machine.all_goes_well(1)
    machine.brakes_fail = True
    machine.call('move_stop')
    machine.all_goes_well(1)
    machine.call('mast_open')
    machine.all_goes_well(25)


def test_the_mast_stays_closed_while_the_rover_rolls_on_after_its_stop() -> None:
    machine = driving()
    brakes_that_fail(machine)
    assert machine.rolling
    assert not machine.mast_out
    machine.brakes_fail = False
    machine.all_goes_well(60)
    assert not machine.rolling
    assert not machine.calls
    machine.teardown()


def brakes_that_fail_unseen(machine: AnyAdapter) -> None:
    """As above, and nothing tells where the rover is."""
    machine.call('move_stop')
    machine.all_goes_well(10)  # it is seen to stand
    machine.call('move_forward')
    machine.all_goes_well(4)
    machine.brakes_fail, machine.located = True, False
    machine.call('move_stop')
    machine.all_goes_well(30)
    machine.call('mast_open')
    machine.all_goes_well(80)


def test_the_mast_stays_closed_while_nobody_sees_whether_the_rover_stands() -> None:
    machine = driving()
    brakes_that_fail_unseen(machine)
    assert machine.rolling
    assert not machine.mast_out
    assert machine.parts.status(None, None).at_rest is None
    assert machine.stopped_at > machine.now - 1.2, 'it is sent again and again'
    machine.stops_have_an_effect_or_none(False)
    machine.all_goes_well(30)
    assert not machine.rolling
    assert not machine.mast_out
    machine.located = True
    machine.all_goes_well(10)
    assert machine.parts.status(None, None).at_rest is True
    machine.call('mast_open')
    machine.all_goes_well(25)
    assert machine.mast_out
    machine.teardown()


def a_mast_that_is_out(machine: AnyAdapter) -> None:
    machine.call('move_stop')
    machine.all_goes_well(2)
    machine.call('mast_open')
    machine.all_goes_well(25)
    machine.call('move_forward')
    machine.all_goes_well(2)


def a_race(machine: AnyAdapter) -> None:
    machine.call('move_stop')
    machine.all_goes_well(10)  # it is seen to stand: a motion may begin at once
    machine.call('move_forward')
    machine.call('mast_open')
    machine.time_passes(20)


def a_stop_that_overtakes(machine: AnyAdapter) -> None:
    machine.call('move_stop')
    machine.all_goes_well(80)  # no copy of the first start can come any more
    machine.call('move_forward')
    machine.call('move_stop')
    machine.take('move_stop')
    machine.answer(machine.taken[0])
    machine.call('mast_open')
    machine.time_passes(20)


def a_stranger(machine: AnyAdapter) -> None:
    machine.a_stranger_moves_the_mast(0.0)
    machine.time_passes(20)


def a_silent_executive(machine: AnyAdapter) -> None:
    machine.the_executive_comes_or_goes(False)
    machine.time_passes(20)


def silent_joints(machine: AnyAdapter) -> None:
    machine.the_joint_states_come_or_go(False)
    machine.time_passes(40)


def patience(machine: AnyAdapter) -> None:
    machine.time_passes(100)


def stands(*_arguments: object) -> bool:
    return False


def nothing(*_arguments: object, **_named: object) -> None:
    return None


BREAKAGES = [
    (a_mast_that_is_out, Exclusivity, '_mast_refusal', nothing),
    (a_race, Exclusivity, 'mast_hindrance', nothing),
    (brakes_that_fail, MotionMonitor, 'rolls', stands),
    (brakes_that_fail_unseen, StandstillMonitor, 'doubt', nothing),
    (a_stop_that_overtakes, OwedStop, 'start_sent', nothing),
    (a_stranger, Exclusivity, 'stop_reason', nothing),
    (a_silent_executive, Deadman, 'due', nothing),
    (silent_joints, MastJoints, 'silence', nothing),
    (patience, Limits, 'due', nothing),
    (patience, Base, 'watch', nothing),
]


@pytest.mark.parametrize(('story', 'where', 'what', 'instead'), BREAKAGES)
def test_what_must_hold_finds_deliberate_breakages(
    story: Callable[[AnyAdapter], None], where: type, what: str, instead: object
) -> None:
    whole = driving(strangers=story is a_stranger)
    story(whole)
    whole.teardown()
    broken = driving(strangers=story is a_stranger)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(where, what, instead)
        with pytest.raises(AssertionError):
            story(broken)
    broken.teardown()
