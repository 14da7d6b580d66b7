"""Two publishers that contradict each other are noticed; one that follows another is not."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
import pytest

from rover_common.conflicting_publishers import LASTS_S, MOST_FRAMES, DisputedFrames, OneSender
from rover_common.geometry.transforms import SET_BACK_S, Transform

QUIET_S = 1.5


@given(
    runs=st.lists(st.integers(1, 10), min_size=1, max_size=20),
    gap_s=st.floats(0.0, 3.0),
)
def test_runs_that_follow_each_other_are_one_at_a_time(runs: list[int], gap_s: float) -> None:
    senders, now = OneSender(QUIET_S), 0.0
    for run, messages in enumerate(runs):
        now += gap_s
        for _ in range(messages):
            now += 0.2
            assert senders.receive(f'run {run}', now)


@given(
    period_s=st.floats(0.02, 1.0),
    offset=st.floats(0.05, 0.95),
    ever_new=st.booleans(),
)
def test_two_that_are_alive_are_not_believed_until_one_is_silent(
    period_s: float, offset: float, ever_new: bool
) -> None:
    senders, usable = OneSender(QUIET_S), []
    for number in range(200):
        at = number * period_s
        usable += [senders.receive('a', at)]
        other = f'b{number}' if ever_new else 'b'
        usable += [senders.receive(other, at + offset * period_s)]
    first = usable.index(False)
    assert first == 2, 'when the first one is heard again'
    assert not any(usable[first:])
    silent = 200 * period_s + QUIET_S + 1e-6
    assert senders.receive('a', silent)


BASE = 'base_link'


def pose(x: float, stamp: float) -> Transform:
    return Transform(x=x, stamp=stamp)


@given(
    speed=st.floats(-3.0, 3.0),
    period_s=st.floats(0.005, 0.5),
    swaps=st.sets(st.integers(1, 98)),
    jumps_every=st.sampled_from([0, 1]),
)
def test_one_publisher_is_believed_in_any_order_and_with_a_jump_a_second(
    speed: float, period_s: float, swaps: set[int], jumps_every: int
) -> None:
    stamps = [100.0 + number * period_s for number in range(100)]
    for each in swaps:
        stamps[each], stamps[each + 1] = stamps[each + 1], stamps[each]
    frames = DisputedFrames()
    for number, stamp in enumerate(stamps):
        jumped = 5.0 * (int(stamp) % 2) if jumps_every and not swaps else 0.0
        arrives = 50.0 + number * period_s
        assert not frames.update(BASE, pose(speed * (stamp - 100.0) + jumped, stamp), arrives)


@given(
    periods_s=st.tuples(st.floats(0.01, 0.1), st.floats(0.01, 0.1)),
    ahead_s=st.sampled_from([-1e9, -20.0, 20.0, 1e9]) | st.floats(-1.5, 1.5),
    away_m=st.floats(1.5, 1e6),
    speed=st.floats(0.0, 0.5),
)
@example(periods_s=(0.0625, 0.0625), ahead_s=-0.5, away_m=2.0, speed=0.0)  # as if at 5 m/s
@pytest.mark.slow
def test_two_that_disagree_are_noticed_and_until_one_is_silent(
    periods_s: tuple[float, float], ahead_s: float, away_m: float, speed: float
) -> None:
    """Whoever moves, however far ahead or behind the clock of one of them is.

    Near each other, one who moves fast would be where the other one is when the later clock is
    there; they are noticed when it tells a moment of the earlier one.
    """
    at_once = 0.35
    is_set_back = abs(ahead_s) > SET_BACK_S + max(periods_s)
    noticed_from = at_once + (0.0 if is_set_back else abs(ahead_s))
    messages = sorted(
        (number * period, who) for who, period in enumerate(periods_s) for number in range(300)
    )
    until = min(300 * each for each in periods_s)
    frames, disputed = DisputedFrames(), dict[float, bool]()
    for at, who in messages:
        if at <= until:
            moved = -speed * at if who == 0 else away_m
            stamp = 2e9 + at + (ahead_s if who else 0.0)
            disputed[at] = frames.update(BASE, pose(moved, stamp), at)
    assert all(each for at, each in disputed.items() if noticed_from <= at <= until)
    after = until + LASTS_S + 0.01
    frames.update(BASE, pose(0.0, 2e9 + after), after)
    assert not frames.update(BASE, pose(0.0, 2e9 + after + 1.5), after + 1.5)


@pytest.mark.parametrize('frames', [10, 5 * MOST_FRAMES])
def test_frames_are_told_apart_and_bounded(frames: int) -> None:
    disputed = DisputedFrames()
    for number in range(frames):
        assert not disputed.update(f'frame {number}', pose(float(number), 1.0), 1.0)
    assert len(disputed) <= MOST_FRAMES
