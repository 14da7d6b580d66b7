"""What begins after a tool waits for a status that was made after that tool had ended."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest
from statuses import status_of
from tree_bench import TreeBench, make_bench, propose

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import ServerCallUpdate, StatusReceived, TopicReceived
from bt_executive.core.reading_ages import MAY_BE_SILENT_S, LatestEnd
from bt_executive.core.robot_state import ReceivedHeartbeat, RobotState
from rover_common.permit import Heartbeat

OPEN, MOVE, STOP = '/adapter/mast_open', '/adapter/move_forward', '/adapter/move_stop'
CLOSED = {'mast': 'closed', 'mast_is_open': False, 'moving': False, 'at_rest': True}


def late_status(it: TreeBench, sequence: int, **facts: Any) -> None:
    """A status arrives now that was made when the adapter knew of that heartbeat."""
    heard = {'heartbeat': {'sender': it.robot.heartbeat.sender, 'sequence': sequence}}
    it.inbox.put(StatusReceived(it.now, status_of({**CLOSED, **heard, **facts})))


@pytest.fixture
def opened() -> TreeBench:
    """The mast has just been opened, and the next tool is to drive."""
    it = make_bench(propose('mast_open'), propose('move_nudge'), Answer('done'))
    it.robot.replies = {name: {'success': True, 'message': ''} for name in (OPEN, MOVE, STOP)}
    it.status(mast='closed', mast_is_open=False, moving=False)
    it.goal()
    before = it.robot.heartbeat.sequence
    for _ in range(30):
        it.tick(after=0.1)
        late_status(it, before)
        if OPEN in it.robot.names:
            break
    assert OPEN in it.robot.names
    return it


def test_a_status_of_before_that_comes_late_allows_nothing(opened: TreeBench) -> None:
    """It says that the mast is closed; it was, when it was made."""
    it, before = opened, 0
    for _ in range(40):
        it.tick(after=0.1)
        late_status(it, before)
    assert MOVE not in it.robot.names
    it.until(lambda: it.planner.results, step=0.1)
    it.facts |= {'mast': 'open', 'mast_is_open': True}
    it.until(lambda: len(it.planner.results) == 2)
    assert MOVE not in it.robot.names
    assert it.planner.results[1].error_reason == 'Need to close mast'


def test_a_status_of_afterwards_does(opened: TreeBench) -> None:
    it = opened
    it.tick(after=0.1)
    it.status(mast='closed', mast_is_open=False)
    it.until(lambda: MOVE in it.robot.names)


@pytest.mark.slow
def test_what_is_waited_for_is_told(opened: TreeBench) -> None:
    it = opened
    for _ in range(200):
        it.tick(after=0.1)
        late_status(it, 0)
        if len(it.planner.results) == 2:
            break
    assert (
        it.planner.results[1].error_reason
        == 'No status from the adapter since the last tool ended'
    )


@given(
    end=st.integers(0, 100),
    heard=st.none() | st.tuples(st.sampled_from(['we', 'others']), st.integers(0, 100)),
    arrived=st.none() | st.floats(0.0, 20.0),
)
def test_only_a_beat_of_afterwards_or_no_beats_at_all_and_a_later_arrival_count(
    end: int, heard: tuple[str, int] | None, arrived: float | None
) -> None:
    robot = RobotState(heard_beat=ReceivedHeartbeat(*heard) if heard else None, status_at=arrived)
    shown = LatestEnd('call', Heartbeat('we', end, 0.0), at=10.0).is_shown_by(robot)
    if heard:
        assert shown is (heard[0] == 'we' and heard[1] >= end)
    else:
        assert shown is (arrived is not None and arrived > 10.0)


# --- another robot, whose parts are known from a topic -------------------------------------------

ROBOT_STATE = '/robot/robot_state'


def hand(it: TreeBench, holding: bool, at: float) -> None:
    values: dict[str, Any] = {'holding': holding, 'place': 'desk', 'charge': 90.0, 'busy': False}
    it.inbox.put(TopicReceived(at, ROBOT_STATE, values))


@pytest.fixture
def picked() -> TreeBench:
    """Something was just picked up, which the topic does not say yet; then comes the next pick."""
    return pick_one()


def pick_one(*overrides: str) -> TreeBench:
    it = TreeBench(
        [*(propose('pick', object=each) for each in ('apple', 'banana')), Answer('done')],
        ['tools.pick.approve=false', 'tools.pick.postcondition={}', *overrides],
        'pyrobosim',
    )
    hand(it, False, it.now)
    it.status(moving=False)
    it.goal('pick up both')
    it.until(lambda: it.robot.sent)
    server_call_id, _ = it.robot.sent[-1]
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
    told = {'execution_result': {'status': 0, 'message': ''}}
    it.inbox.put(ServerCallUpdate(server_call_id, CallInput.SUCCEED, told))
    it.until(lambda: it.planner.results)
    return it


def test_a_value_of_a_topic_of_before_allows_nothing(picked: TreeBench) -> None:
    it, before = picked, len(picked.robot.sent)
    ended = it.now
    while it.now < ended + MAY_BE_SILENT_S / 2.0:
        hand(it, False, ended - 1.0)  # it comes now, and was so before
        it.tick(after=0.1)
        it.status(moving=False)
    assert len(it.robot.sent) == before
    hand(it, True, it.now)
    it.until(lambda: len(it.planner.results) == 2)
    assert len(it.robot.sent) == before
    assert it.planner.results[1].error_reason == 'The hand holds something'


def test_a_value_of_a_topic_of_afterwards_does(picked: TreeBench) -> None:
    it, before = picked, len(picked.robot.sent)
    hand(it, False, it.now + 0.01)
    it.until(lambda: len(it.robot.sent) > before)


def test_a_topic_that_may_be_silent_is_not_waited_for_for_ever() -> None:
    """It says once that the hand is empty, and that this holds for an hour."""
    it = pick_one('state.holding.max_age_s=3600.0')
    ended, before = it.now, len(it.robot.sent)
    it.until(lambda: len(it.robot.sent) > before)
    assert it.now >= ended + MAY_BE_SILENT_S - 1.0
