"""A verdict refuses if any of its guards does."""

from __future__ import annotations

from bt_executive.core.guard_view_and_verdict import Verdict, allows, refuses


def test_any_refusal_refuses_and_the_first_one_gives_the_reason() -> None:
    readings = allows('catalogue'), refuses('mast', 'Need to close mast'), refuses('zone', 'Near')
    assert Verdict('nudge', readings).refusal == readings[1]
    later = Verdict('nudge', (readings[1], allows('zone')))
    assert not later.allowed, 'whoever comes after a refusal does not take it back'
    assert later.reason == 'Need to close mast'


def test_without_a_refusal_it_allows() -> None:
    verdict = Verdict('nudge', (allows('catalogue'), allows('mast')))
    assert (verdict.allowed, verdict.refusal, verdict.reason) == (True, None, '')
