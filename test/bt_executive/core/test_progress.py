"""How often a goal has led nowhere."""

from __future__ import annotations

from bt_executive.core.progress import PING_PONG_ROUNDS, ProgressMonitor


def refuse(struggle: ProgressMonitor, tool: str, reason: str = 'no', **arguments: float) -> None:
    struggle.count(tool, arguments, ok=False, refused=True, reason=reason)


def test_the_same_refusal_counts_until_the_proposal_or_the_reason_changes() -> None:
    struggle = ProgressMonitor()
    for expected in (1, 2, 3):
        refuse(struggle, 'move', seconds=2.0)
        assert struggle.same_refusal == expected
    refuse(struggle, 'move', seconds=3.0)
    assert struggle.same_refusal == 1
    refuse(struggle, 'move', 'still no', seconds=3.0)
    assert struggle.same_refusal == 1
    assert struggle.failures == 5


def test_a_failure_between_two_refusals_ends_their_row() -> None:
    struggle = ProgressMonitor()
    refuse(struggle, 'move')
    struggle.count('look', {}, ok=False, refused=False, reason='dark')
    assert struggle.same_refusal == 0
    refuse(struggle, 'move')
    assert struggle.same_refusal == 1


def test_success_and_the_operators_word_forget_everything() -> None:
    struggle = ProgressMonitor()
    for _ in range(PING_PONG_ROUNDS):
        refuse(struggle, 'move')
    struggle.count('look', {}, ok=True, refused=False, reason='')
    assert (struggle.failures, struggle.same_refusal, struggle.ping_pong) == (0, 0, False)


def test_going_back_and_forth_is_two_in_turn_for_six_rounds() -> None:
    struggle = ProgressMonitor()
    for number in range(PING_PONG_ROUNDS):
        assert not struggle.ping_pong
        refuse(struggle, 'ab'[number % 2])
    assert struggle.ping_pong
    refuse(struggle, 'c')
    assert not struggle.ping_pong


def test_one_thing_again_and_again_is_no_going_back_and_forth() -> None:
    struggle = ProgressMonitor()
    for _ in range(PING_PONG_ROUNDS):
        refuse(struggle, 'a')
    assert not struggle.ping_pong
