"""Which goals the operator's stop ends, through the whole tree."""

from __future__ import annotations

from driving_bench import DONE, driving

from bt_executive.core.inbox import SafetyEvent, StopRequested

STATUS = '/adapter/get_status'


def test_a_goal_that_comes_right_behind_a_stop_is_pursued_after_it() -> None:
    it = driving()
    it.robot.replies |= {STATUS: DONE | {'message': '{}'}}
    it.goal('waits')
    it.inbox.put(StopRequested('the operator'))
    it.goal('after it', tool='get_status')
    it.tick()
    assert [each['outcome'] for each in it.reporter.endings] == ['interrupted'] * 2
    it.until(lambda: len(it.reporter.endings) == 3)
    assert it.reporter.endings[-1]['outcome'] == 'reached'
    assert it.robot.names.count(STATUS) == 1


def test_a_second_stop_ends_what_came_behind_the_first() -> None:
    it = driving()
    it.inbox.put(StopRequested('the operator'))
    it.goal('after it', tool='get_status')
    it.inbox.put(StopRequested('the operator'))
    it.tick()
    assert [each['outcome'] for each in it.reporter.endings] == ['interrupted'] * 2


def test_in_safe_a_goal_behind_a_stop_is_refused() -> None:
    it = driving()
    it.inbox.put(StopRequested('the operator'))
    it.goal('after it', tool='get_status')
    it.inbox.put(SafetyEvent('cliff', 'the scanner'))
    it.tick(2)
    assert [each['outcome'] for each in it.reporter.endings] == ['interrupted', 'failed']
    assert STATUS not in it.robot.names
