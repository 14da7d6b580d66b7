"""The operator's stop of an approved composite, in the middle of each kind of branch."""

from __future__ import annotations

from composite_lives import CompositeLives
import pytest

from bt_executive.core.inputs import StopRequested

INNER = 'robot.tools.inner={sequence: [one, two]}'
# Plan; how often servers fail at first; what was asked for when the stop comes, and what was done.
KINDS = {
    'sequence': ('sequence: [one, two, three]', {}, 'one two', ['one']),
    'fallback': ('fallback: [one, two, three]', {'one': 1}, 'one two', []),
    'parallel': ('parallel: [one, two]', {}, 'one two', []),
    'parallel of sequences': (
        'parallel: [ { sequence: [look, one] }, { sequence: [say, two] } ]',
        {},
        'look one say two',
        ['look', 'say'],
    ),
    'retry': ('retry: { times: 3, do: again }', {'again': 1}, 'again again', []),
    'timeout': ('timeout: { seconds: 20.0, do: one }', {}, 'one', []),
    'guard': ('guard: { that: [mast_open], do: one }', {}, 'one', []),
    'composite': ('sequence: [inner, three]', {}, 'one two', []),
}


@pytest.mark.parametrize('kind', KINDS)
def test_a_stop_ends_all_of_it_and_the_approval(kind: str) -> None:
    plan, fails, words, done = KINDS[kind]
    asked = words.split()
    lives = CompositeLives(f'{plan}, approve: true', INNER, **fails)
    lives.never_ends.update({asked[-1]} if 'parallel' not in kind else {'one', 'two'})
    lives.propose_it()
    lives.approve()
    lives.until_asked(*asked)
    lives.go(2)
    it = lives.it
    open_calls = {call.server_call_id for call in it.context.running_calls()}
    assert open_calls
    it.inbox.put(StopRequested('operator'))
    lives.go(2)
    assert open_calls <= {*it.robot.cancelled}
    lives.go(60)
    assert dict(lives.asked) == {name: asked.count(name) for name in asked}
    assert not it.context.running_calls()
    assert not it.context.holders
    assert not it.context.approvals.waiting()
    (ending,) = it.reporter.endings
    assert ending['outcome'] == 'interrupted'
    (told,) = (result for proposal, result in it.context.progress.history if proposal.tool == 'do')
    assert told.data.get('done', []) == done
    lives.it.goal('do it again')
    lives.go(3)
    lives.propose('do')
    lives.go(10)
    assert it.context.approvals.waiting(), 'what was agreed to was the one before'
