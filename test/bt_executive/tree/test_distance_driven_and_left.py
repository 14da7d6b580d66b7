"""What a gate measures of its own motion counts, whatever the poses show of it."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st
import pytest
from tree_bench import TreeBench

from bt_executive.core.call_states import CallInput
from bt_executive.core.inputs import PoseReceived, ServerCallUpdate

STEP_M, PERIOD_S = 0.02, 0.1  # of a gate's own motion: 0.2 m/s
BUDGET_M = 1.0
STRAIGHT = '/gates/base/straight'
HOP = 'robot.tools.hop={sequence: [{drive: {distance_m: 3.0}}]}'


class Drive:
    """A drive of 3 m by the shipped turtlebot, whose goal may drive for 1 m.

    `hop`: it is a member of a composite tool.
    """

    def __init__(self, tool: str = 'drive') -> None:
        overrides = [f'executive.goal.max_distance_m={BUDGET_M}', HOP]
        self.it = TreeBench((), overrides, 'turtlebot')
        self.see(0.0)
        self.it.status(moving=False, moving_at_gates={'base': False})
        arguments = {'distance_m': 3.0} if tool == 'drive' else {}
        self.it.goal('drive', tool=tool, arguments=arguments)
        self.it.until(lambda: STRAIGHT in self.it.robot.names, bound=100)
        self.server_call_id = next(each for each, name in self.it.robot.sent if name == STRAIGHT)
        self.answer(CallInput.ACCEPT)

    def answer(self, happened: CallInput, **fields: float) -> None:
        self.it.inbox.put(ServerCallUpdate(self.server_call_id, happened, fields))

    def see(self, x: float) -> None:
        self.it.inbox.put(PoseReceived(self.it.now, x, 0.0, 0.0, stamp=self.it.now))

    def go_on(self, pose: Callable[[float], float | None]) -> float:
        """Drives until it is ended or 3 m are over; returns the m that the gate has measured."""
        come = 0.0
        while come < 3.0 and self.it.context.permits.current.number:
            come += STEP_M
            self.answer(CallInput.PROGRESS, distance_m=come, angle_rad=0.0)
            if (x := pose(come)) is not None:
                self.see(x)
            self.it.status(moving=True, moving_at_gates={'base': True})
            self.it.tick(after=PERIOD_S)
        return come

    @property
    def counted_m(self) -> float:
        progress = self.it.context.progress
        return float(progress.distance_m + progress.assumed_m)


@pytest.mark.parametrize(
    ('pose', 'least_m'),
    [
        (lambda come: come, 0.9),
        (lambda _come: 0.0, 0.9),
        (lambda come: -come, 0.9),
        (lambda come: min(come, 0.4), 0.9),
        (lambda come: come / 2.0, 1.8),
    ],
    ids=['as far', 'frozen with new stamps', 'backwards', 'freezes on the way', 'slips'],
)
@pytest.mark.parametrize('tool', ['drive', 'hop'])
@pytest.mark.slow
def test_a_budget_of_distance_ends_a_gates_motion(
    tool: str, pose: Callable[[float], float], least_m: float
) -> None:
    """Poses that move say how far it was; such as stand say nothing."""
    assert least_m <= Drive(tool).go_on(pose) <= least_m * 1.25


@pytest.mark.slow
@given(st.integers(1, 5), st.floats(0.0, 0.03))
def test_poses_that_show_the_motion_make_it_no_longer(every: int, late_m: float) -> None:
    """However seldom and late they come, up to a few ticks."""
    drive, ticks = Drive(), 0

    def pose(come: float) -> float | None:
        nonlocal ticks
        ticks += 1
        return max(come - late_m, 0.0) if ticks % every == 0 else None

    come = drive.go_on(pose)
    assert drive.counted_m == pytest.approx(come, abs=0.15)


@pytest.mark.parametrize('silent_s', [0.0, 1.5, 5.0, 500.0])
@pytest.mark.slow
def test_a_drive_by_a_server_ends_when_no_pose_comes_however_long_there_was_none(
    silent_s: float,
) -> None:
    it = TreeBench((), (), 'nav2')
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, stamp=it.now))
    for _ in range(round(silent_s)):
        it.status(moving=False, moving_at_gates={'base': False})
        it.tick(after=silent_s / round(silent_s))
    it.status(moving=False, moving_at_gates={'base': False})
    it.goal('go', tool='navigate_to', arguments={'x': 50.0, 'y': 0.0})
    it.until(lambda: it.context.permits.current.number, bound=100)
    for _ in range(25):
        it.status(moving=True, moving_at_gates={'base': True})
        it.tick(after=0.1)
    assert not it.context.permits.current.number
    for _ in range(30):
        it.status(moving=False, moving_at_gates={'base': False})
        it.tick(after=0.1)
    reasons = [each.error_reason or '' for each in it.events]
    assert any('how far the robot drives' in each for each in reasons), reasons


@pytest.mark.parametrize('speed_m_s', [0.2, 0.485])
@pytest.mark.parametrize('jumps_every', [3, 10, 25])
@pytest.mark.slow
def test_what_a_server_drives_counts_although_its_poses_jump(
    speed_m_s: float, jumps_every: int
) -> None:
    """Each jump hides a step, and what had not come to a step before."""
    it, driven_m, offset_m = TreeBench((), (), 'nav2'), 0.0, 0.0
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, stamp=it.now))
    it.status(moving=False, moving_at_gates={'base': False})
    it.goal('go', tool='navigate_to', arguments={'x': 50.0, 'y': 0.0})
    it.until(lambda: it.context.permits.current.number, bound=100)
    for tick in range(100):
        it.now += 0.1
        driven_m += 0.1 * speed_m_s
        offset_m = 5.0 - offset_m if tick % jumps_every == 0 else offset_m
        it.inbox.put(PoseReceived(it.now, driven_m, offset_m, 0.0, stamp=it.now))
        it.status(moving=True, moving_at_gates={'base': True})
        it.tick()
    counted_m = it.context.progress.counted_m
    assert driven_m - 0.1 <= counted_m <= 1.3 * driven_m
