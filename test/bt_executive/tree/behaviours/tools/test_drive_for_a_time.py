"""A timed drive is done when poses show it, on the tree's bench with a manual clock."""

from __future__ import annotations

from collections.abc import Callable

from driving_bench import DONE, MOVE, STOP
from known import known
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.executive_ports import Answer, ToolResult
from bt_executive.core.inputs import PoseReceived

SPEED_M_S = 0.485


def see(it: TreeBench, x: float, late_s: float = 0.0, yaw: float = 0.0) -> None:
    it.inbox.put(PoseReceived(it.now, x, 0.0, yaw, stamp=it.now - late_s))


@pytest.fixture
def driving(bench: MakeBench, propose: Propose) -> TreeBench:
    """A drive of 4 s, confirmed just now, by a robot that tells where it is."""
    it = bench(propose('move_forward', duration_s=4.0), Answer('there'))
    it.robot.replies = {MOVE: DONE, STOP: DONE}
    it.status(mast_is_open=False, mast='closed')
    see(it, 0.0)
    it.goal('drive')
    it.until(lambda: it.context.round.motion_until is not None)
    return it


def result(
    it: TreeBench, where: Callable[[float], float | None], late_s: float = 0.0
) -> ToolResult:
    """Of the drive. `where`: s since it began → x in m, or no pose at that time."""
    began = it.now
    while not it.planner.results:
        assert it.now < began + 10.0
        it.pass_time(0.1)
        x = where(it.now - late_s - began)
        if x is not None:
            see(it, x, late_s)
    return it.planner.results[0]


def stopped_at(seconds: float) -> Callable[[float], float]:
    return lambda now: SPEED_M_S * max(min(now, seconds), 0.0)


@pytest.mark.slow
def test_a_drive_tells_how_far_it_came(driving: TreeBench) -> None:
    done = result(driving, stopped_at(4.0))
    assert done.ok
    assert done.data['driven_m'] == pytest.approx(4.0 * SPEED_M_S, abs=0.06)
    assert done.data['expected_m'] == pytest.approx(4.0 * SPEED_M_S)


@pytest.mark.parametrize(
    ('seconds', 'told'),
    [(0.0, 'did not start to move within 2 s'), (0.5, 'stands'), (2.4, 'stands')],
)
def test_a_drive_that_somebody_stopped_at_the_robot_itself_has_failed(
    driving: TreeBench, seconds: float, told: str
) -> None:
    began = driving.now
    failed = result(driving, stopped_at(seconds))
    assert f'the robot {told}' in failed.error_reason
    assert 'something holds it, or somebody else stopped it' in failed.error_reason
    assert known(driving.context.state.skills.last_result).error_code == 'OFF_COURSE'
    told_of = [event for event in driving.events if event.kind == 'ERROR' and event.tool_name]
    assert [known(event.data)['error_code'] for event in told_of] == ['OFF_COURSE']
    assert driving.robot.names == [MOVE, STOP]
    assert driving.now < began + 4.0


@pytest.mark.slow
def test_poses_that_come_late_are_waited_for(driving: TreeBench) -> None:
    done = result(driving, stopped_at(4.0), late_s=1.5)
    assert done.ok
    assert done.data['driven_m'] == pytest.approx(4.0 * SPEED_M_S, abs=0.06)


def test_poses_that_come_late_show_a_stop_all_the_same(driving: TreeBench) -> None:
    assert not result(driving, stopped_at(1.5), late_s=1.5).ok


@pytest.mark.slow
def test_a_drive_whose_end_nobody_saw_is_not_called_done(driving: TreeBench) -> None:
    drive = stopped_at(4.0)
    failed = result(driving, lambda now: drive(now) if now < 3.0 else None)
    assert failed.error_reason == (
        'it is not known how far the robot came: no new pose for 2 s (guards.pose_max_age_s)'
    )


def test_a_robot_whose_clock_is_behind_is_measured_all_the_same(
    bench: MakeBench, propose: Propose
) -> None:
    behind_s = 3.0
    it = bench(propose('move_forward', duration_s=4.0), Answer('there'))
    it.robot.replies = {MOVE: DONE, STOP: DONE}
    it.status(mast_is_open=False, mast='closed')
    see(it, 0.0, behind_s)
    it.goal('drive')
    it.until(lambda: it.context.round.motion_until is not None)
    drive, began = stopped_at(4.0), it.now
    while not it.planner.results:
        it.pass_time(0.1)
        see(it, drive(it.now - began), behind_s)
    assert it.planner.results[0].data['driven_m'] == pytest.approx(4.0 * SPEED_M_S, abs=0.06)


def test_a_first_pose_in_the_middle_of_a_drive_says_nothing_of_it(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('move_forward', duration_s=4.0), Answer('there'))
    it.robot.replies = {MOVE: DONE, STOP: DONE}
    it.status(mast_is_open=False, mast='closed')
    it.goal('drive')
    it.until(lambda: it.context.round.motion_until is not None)
    began = it.now
    while not it.planner.results:
        it.pass_time(0.1)
        if it.now > began + 3.0:
            see(it, 7.0, yaw=1.5)
    assert it.planner.results[0].ok
    assert it.planner.results[0].data['driven_m'] is None


def test_a_robot_that_never_tells_where_it_is_may_drive(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('move_nudge'), Answer('there'))
    it.robot.replies = {MOVE: DONE, STOP: DONE}
    it.status(mast_is_open=False, mast='closed')
    it.goal('drive')
    done = result(it, lambda _: None)
    assert done.ok
    assert done.data['driven_m'] is None


@pytest.mark.slow
def test_a_frame_that_jumps_to_and_fro_is_no_drive_and_no_fault(driving: TreeBench) -> None:
    drive = stopped_at(4.0)
    done = result(driving, lambda now: drive(now) + 50.0 * (int(now) % 2))
    assert done.ok


@pytest.mark.parametrize(
    ('seen', 'driven_m'),
    [((0.0, 0.6, 1.3), 1.3), ((0.0, 0.0, 0.0), 0.0), ((), None), ((0.0, 0.0, 51.3), None)],
    ids=['moved', 'stood', 'unknown', 'jumped'],
)
def test_a_drive_whose_start_was_not_confirmed_says_how_far_it_came(
    bench: MakeBench, propose: Propose, seen: tuple[float, ...], driven_m: float | None
) -> None:
    it = bench(propose('move_forward', duration_s=4.0), Answer('there'))
    it.robot.replies = {STOP: DONE}
    it.status(mast_is_open=False, mast='closed')
    for x in seen[:1]:
        see(it, x)
    it.goal('drive')
    it.until(lambda: MOVE in it.robot.names)
    for x in seen:
        see(it, x)
        it.pass_time(0.5)
    it.robot.answer(MOVE, success=False, message='it did not answer within 3 s')
    it.until(lambda: it.planner.results)
    (failed,) = it.planner.results
    assert (failed.ok, failed.data['driven_m']) == (False, driven_m)
