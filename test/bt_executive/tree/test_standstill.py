"""An executive that the machine did not let run: what it forgives, and what it does not begin."""

from __future__ import annotations

from dataclasses import replace

from driving_bench import MOVE, STOP, driving, mode
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import ApprovalGiven, PoseReceived
from bt_executive.core.state import Mode
from rover_common.clocks import Clocks, Standstill

PERIOD_S, LONGEST_GAP_S = 0.1, 0.35
HICCUP_S = 0.4


def step_as_the_clocks_say(it: TreeBench, clocks: Clocks, *, gap: float) -> None:
    it.now += gap
    it.executive.step(clocks())


@pytest.mark.parametrize('between', [0, 1, 10])
def test_silence_of_the_adapter_is_found_between_hiccups(bench: MakeBench, between: int) -> None:
    it = bench()
    clocks = Clocks(lambda: it.now, lambda: it.now, LONGEST_GAP_S, PERIOD_S)
    it.status()
    it.executive.step(clocks())
    began = it.now
    while mode(it) is not Mode.SAFE:
        for _ in range(between):
            step_as_the_clocks_say(it, clocks, gap=PERIOD_S)
        step_as_the_clocks_say(it, clocks, gap=HICCUP_S)
        assert it.now - began < 15.0
    assert it.context.state.world.safety_reason == 'the adapter is silent'


def test_a_drive_goes_on_over_a_suspension() -> None:
    it = driving()
    it.now += 3.0
    it.executive.step(replace(it.moment, standstills=(Standstill(it.now, 3.0),)))
    assert STOP not in it.robot.names


def test_nothing_begins_on_what_was_known_before_a_suspension(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('move_nudge'), Answer('done'))
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.tick()
    it.goal('go')
    it.now += 60.0
    asleep = (Standstill(it.now, 60.0),)
    for _ in range(5):
        it.executive.step(replace(it.moment, standstills=asleep))
    assert it.robot.names == []
    it.status()
    it.executive.step(replace(it.moment, standstills=asleep))
    assert it.robot.names == [MOVE]


def about_to_ask(bench: MakeBench, propose: Propose) -> TreeBench:
    """A tool has begun and waited for its server, which is there now."""
    it = bench(propose('move_nudge'), Answer('done'))
    it.robot.absent = {MOVE}
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.goal('go')
    it.pass_time(1.0)
    it.robot.absent = set()
    return it


def test_no_server_is_asked_on_what_was_known_before_a_suspension(
    bench: MakeBench, propose: Propose
) -> None:
    it = about_to_ask(bench, propose)
    it.now += 60.0
    asleep = (Standstill(it.now, 60.0),)
    for _ in range(3):
        it.executive.step(replace(it.moment, standstills=asleep))
    assert MOVE not in it.robot.names
    it.status()
    it.executive.step(replace(it.moment, standstills=asleep))
    assert it.robot.names == [MOVE]


def test_no_server_is_asked_while_somebody_else_drives(bench: MakeBench, propose: Propose) -> None:
    it = about_to_ask(bench, propose)
    it.status(moving=True)
    it.pass_time(1.0)
    assert MOVE not in it.robot.names
    it.status(moving=False)
    it.pass_time(0.2)
    assert it.robot.names == [MOVE]


def test_what_hinders_a_tool_for_too_long_is_told(bench: MakeBench, propose: Propose) -> None:
    it = about_to_ask(bench, propose)
    it.status(moving=True)
    it.until(lambda: it.planner.results)
    assert it.planner.results[0].error_reason == 'Move in progress'
    assert MOVE not in it.robot.names


def test_an_approved_drive_waits_for_a_pose_after_a_suspension(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('move_nudge'), Answer('done'), overrides=['approval.mode=always'])
    it.robot.absent = {MOVE}
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, stamp=it.now))
    it.goal('go')
    it.until(it.context.approvals.waiting)
    (request,) = it.context.approvals.waiting()
    it.inbox.put(ApprovalGiven(request.request_id, 'approve'))
    it.pass_time(1.0)
    it.robot.absent = set()
    it.now += 60.0
    asleep = (Standstill(it.now, 60.0),)
    it.status()
    it.executive.step(replace(it.moment, standstills=asleep))
    it.executive.step(replace(it.moment, standstills=asleep))
    assert MOVE not in it.robot.names
    it.inbox.put(PoseReceived(it.now, 3.0, 0.0, 0.0, stamp=it.now))
    it.executive.step(replace(it.moment, standstills=asleep))
    it.pass_time(1.0)
    assert MOVE not in it.robot.names
    assert (
        it.planner.results[0].error_reason == 'Approved for another situation: the robot has moved'
    )
