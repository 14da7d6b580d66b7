"""How often a goal has led nowhere."""

from __future__ import annotations

from bt_executive.core.round_decision import PING_PONG_ROUNDS, ProgressMonitor


def refuse(monitor: ProgressMonitor, tool: str, reason: str = 'no', **arguments: float) -> None:
    monitor.count(tool, arguments, ok=False, refused=True, reason=reason)


def test_the_same_refusal_counts_until_the_proposal_or_the_reason_changes() -> None:
    monitor = ProgressMonitor()
    for expected in (1, 2, 3):
        refuse(monitor, 'move', seconds=2.0)
        assert monitor.same_refusal == expected
    refuse(monitor, 'move', seconds=3.0)
    assert monitor.same_refusal == 1
    refuse(monitor, 'move', 'still no', seconds=3.0)
    assert monitor.same_refusal == 1
    assert monitor.failures == 5


def test_a_failure_between_two_refusals_ends_their_row() -> None:
    monitor = ProgressMonitor()
    refuse(monitor, 'move')
    monitor.count('look', {}, ok=False, refused=False, reason='dark')
    assert monitor.same_refusal == 0
    refuse(monitor, 'move')
    assert monitor.same_refusal == 1


def test_success_and_the_operators_word_forget_everything() -> None:
    monitor = ProgressMonitor()
    for _ in range(PING_PONG_ROUNDS):
        refuse(monitor, 'move')
    monitor.count('look', {}, ok=True, refused=False, reason='')
    assert (monitor.failures, monitor.same_refusal, monitor.ping_pong) == (0, 0, False)


def test_going_back_and_forth_is_two_in_turn_for_six_rounds() -> None:
    monitor = ProgressMonitor()
    for number in range(PING_PONG_ROUNDS):
        assert not monitor.ping_pong
        refuse(monitor, 'ab'[number % 2])
    assert monitor.ping_pong
    refuse(monitor, 'c')
    assert not monitor.ping_pong


def test_one_thing_again_and_again_is_no_going_back_and_forth() -> None:
    monitor = ProgressMonitor()
    for _ in range(PING_PONG_ROUNDS):
        refuse(monitor, 'a')
    assert not monitor.ping_pong
