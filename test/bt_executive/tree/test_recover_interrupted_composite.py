"""A composite that a kill or a stop interrupts, in the middle of each kind of branch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
import random
from typing import Any, NamedTuple

from composite_lives import CompositeLives
import pytest
from shares import share

from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import StopRequested
from bt_executive.tree.composite_progress import digest_of
from bt_executive.tree.persistent_state import RoundPart

RESTARTED = 'The executive was restarted while do was under way'
MAY_BE_ASKED_TWICE = {'look', 'again'}
INNER = 'robot.tools.inner={sequence: [one, two]}'
GUARDED = '{ guard: { that: [mast_open], do: two } }'
# Plan, other tools, and how often servers fail at first.
PLANS = {
    'sequence': ('sequence: [one, two, three]', (), {}),
    'fallback': ('fallback: [one, two, three]', (), {'one': 1}),
    'parallel': ('sequence: [ { parallel: [one, two, look] }, three ]', (), {}),
    'parallel that fails': ('fallback: [ { parallel: [one, two] }, three ]', (), {'two': 1}),
    'retry': ('sequence: [ { retry: { times: 3, do: again } }, one ]', (), {'again': 2}),
    'retry in a parallel': (
        'parallel: [ { retry: { times: 2, do: again } }, { sequence: [two, one] } ]',
        (),
        {'again': 1},
    ),
    'timeout': ('sequence: [one, { timeout: { seconds: 9.0, do: two } }, three]', (), {}),
    'guard': (f'sequence: [one, {GUARDED}, three]', (), {}),
    'composite': ('sequence: [inner, three]', (INNER,), {}),
    'composite in a retry': (
        'sequence: [ { retry: { times: 2, do: tries } }, three ]',
        ('robot.tools.tries={sequence: [look, again]}',),
        {'again': 1},
    ),
}
kinds = pytest.mark.parametrize('kind', PLANS)


def lives_of(kind: str) -> CompositeLives:
    plan, others, fails = PLANS[kind]
    return CompositeLives(plan, *others, **fails)


class Usual(NamedTuple):
    """What servers are asked and what is done where nobody is killed, and in how many steps."""

    asked: Counter[str]
    done: list[Any]
    steps: int


@cache
def undisturbed(kind: str) -> Usual:
    lives = lives_of(kind)
    lives.propose_it()
    steps = 0
    while not any(proposal.tool == 'do' for proposal, _ in lives.it.context.progress.history):
        lives.go()
        steps += 1
    return Usual(lives.asked, lives.result().data['done'], steps)


def killed_after(kind: str, *, every: int = 1, forgets: bool = False) -> Iterator[CompositeLives]:
    """Lives of which each was killed some steps later than the one before."""
    lives = lives_of(kind)
    lives.forgets = forgets
    lives.propose_it()
    for moment in range(1, undisturbed(kind).steps + 1):
        lives.go()
        if moment % every == 1 % every:
            yield lives.crashed()


def nothing_is_left(lives: CompositeLives) -> None:
    lives.it.planner.say(Answer('That is all.'))
    lives.go(5)
    assert not lives.it.context.holders
    assert not lives.it.context.running_calls()
    assert not lives.faults


@pytest.mark.slow
@kinds
def test_killed_at_any_moment_it_is_done_as_if_nothing_had_been(kind: str) -> None:
    usual = undisturbed(kind)
    for moment, lives in enumerate(killed_after(kind, every=share(3, 1))):
        result = lives.result()
        assert result.ok, (moment, result)
        assert sorted(result.data['done']) == sorted(usual.done), moment
        for name in usual.asked.keys() - {'look'}:
            assert lives.asked[name] == usual.asked[name], (moment, name)
        nothing_is_left(lives)


@pytest.mark.slow
@kinds
def test_what_servers_have_forgotten_is_the_end_of_it_and_is_said(kind: str) -> None:
    usual = undisturbed(kind)
    ends = set()
    for moment, lives in enumerate(killed_after(kind, every=share(4, 2), forgets=True)):
        result = lives.result()
        ends.add(result.ok)
        assert result.ok or RESTARTED in result.error_reason, (moment, result)
        for name in usual.asked.keys() - MAY_BE_ASKED_TWICE:
            assert lives.asked[name] <= usual.asked[name], (moment, name)
        nothing_is_left(lives)
    assert False in ends, 'some of the moments were in the middle of a call'


@pytest.mark.slow
@pytest.mark.parametrize('seed', range(share(8, 20)))
def test_killed_again_and_again_with_any_part_of_it_on_disk_nothing_is_done_twice(
    seed: int,
) -> None:
    chance = random.Random(seed)
    kind = chance.choice(list(PLANS))
    usual = undisturbed(kind)
    lives = lives_of(kind)
    lives.propose_it()
    for _ in range(chance.randint(1, 4)):
        lives.forgets = chance.random() < 0.2
        for _ in range(chance.randint(1, usual.steps)):
            lives.store.at_once = chance.random() < 0.5
            lives.go()
            if chance.random() < 0.7:
                lives.store.sync()
        lives.crash(chance.randint(0, len(lives.store.puts)))
    lives.store.at_once = True
    lives.store.sync()
    result = lives.result()
    assert result.ok or RESTARTED in result.error_reason, result
    for name in usual.asked.keys() - MAY_BE_ASKED_TWICE:
        assert lives.asked[name] <= usual.asked[name], (kind, name)
    nothing_is_left(lives)


@pytest.mark.slow
def test_what_may_be_done_twice_begins_anew_where_it_cannot_be_known() -> None:
    lives = CompositeLives('sequence: [one, again, two]')
    lives.forgets = True
    lives.propose_it()
    lives.until_asked('one', 'again')
    lives.crash()
    assert lives.result().data['done'] == ['one', 'again', 'two']
    assert lives.asked == {'one': 1, 'again': 2, 'two': 1}


@pytest.mark.slow
def test_the_resource_of_a_member_that_waited_for_its_server_is_free_again() -> None:
    lives = CompositeLives('sequence: [again, one]')
    lives.it.robot.absent.add('/one')
    lives.propose_it()
    lives.until_asked('again')
    while not lives.it.context.holders:
        lives.go()
    assert not lives.it.context.running_calls(), 'the member holds its resource, and waits'
    lives.crash()
    result = lives.result()
    assert result.ok, result.error_reason
    assert lives.asked == Counter(('again', 'one'))
    assert not lives.it.context.holders


def test_what_was_done_is_told_with_what_is_next() -> None:
    lives = lives_of('sequence')
    lives.propose_it()
    lives.until_asked('one', 'two')
    lives.crash()
    lives.until_asked('one', 'two', 'three')
    words = 'do goes on after the restart: one: done, two: done; next: three'
    assert words in [event.message for event in lives.it.events]
    assert lives.result().data['done'] == ['one', 'two', 'three']


@pytest.mark.slow
def test_results_of_the_run_before_are_arguments_of_this_one() -> None:
    by = 'robot.tools.by={action: {name: /by, type: demo/action/Do}, args: {n: {type: boolean}}, '
    by += 'timeout_s: 30.0, approve: false}'
    lives = CompositeLives('sequence: [one, { by: { n: "${one.result.ok}" } }]', by)
    lives.propose_it()
    lives.until_asked('one')
    lives.crash()
    lives.until_asked('one', 'by')
    (call,) = (each for each in lives.it.context.calls.all() if each.skill == 'by')
    assert dict(call.arguments) == {'n': True}


@pytest.mark.slow
def test_the_operators_own_goes_on_too() -> None:
    lives = lives_of('sequence')
    lives.by_hand()
    lives.until_asked('one', 'two')
    lives.crash()
    lives.until_asked('one', 'two', 'three')
    for _ in range(60):
        lives.go()
    (ending,) = lives.it.reporter.endings
    assert ending['outcome'] == 'reached'


@pytest.mark.slow
def test_a_retry_counts_on() -> None:
    lives = CompositeLives('retry: { times: 3, do: again }', again=99)
    lives.propose_it()
    lives.until_asked('again', 'again')
    lives.crash()
    result = lives.result()
    assert not result.ok
    assert lives.asked['again'] == 3


@pytest.mark.parametrize('used_s', [0.0, 4.0, 8.0])
@pytest.mark.slow
def test_a_timeout_has_what_is_left_of_it(used_s: float) -> None:
    lives = CompositeLives('timeout: { seconds: 10.0, do: one }')
    lives.never_ends.add('one')
    lives.propose_it()
    lives.until_asked('one')
    lives.go(round(used_s / 0.2))
    lives.crash()
    began = lives.it.now
    result = lives.result()
    assert result.error_reason == 'Not done within 10 s'
    assert 10.0 - used_s - 1.0 <= lives.it.now - began <= 10.0 - used_s + 3.0
    assert lives.asked['one'] == 1
    nothing_is_left(lives)


@pytest.mark.slow
def test_what_is_left_of_a_timeout_counts_for_what_comes_next() -> None:
    lives = CompositeLives('timeout: { seconds: 10.0, do: { sequence: [one, two] } }')
    lives.never_ends.update({'one', 'two'})
    lives.propose_it()
    lives.until_asked('one')
    lives.go(25)
    lives.end_what_runs()
    lives.crash()
    lives.until_asked('one', 'two')
    began = lives.it.now
    assert lives.result().error_reason == 'Not done within 10 s'
    assert lives.it.now - began < 6.5
    nothing_is_left(lives)


@pytest.mark.slow
def test_a_guard_that_does_not_hold_any_more_refuses_what_is_left() -> None:
    lives = CompositeLives(f'sequence: [one, {GUARDED}]')
    lives.propose_it()
    lives.until_asked('one')
    lives.crash()
    lives.it.facts |= {'mast': 'half', 'mast_is_open': False}
    result = lives.result()
    assert not result.ok
    assert result.data['done'] == ['one']
    assert lives.asked == {'one': 1}


@pytest.mark.slow
@pytest.mark.parametrize(
    ('inside', 'done'),
    [('sequence: [again, look]', ['again', 'look']), ('sequence: [tries]', ['tries'])],
)
def test_a_guard_at_the_start_is_not_asked_again_in_the_middle(
    inside: str, done: list[str]
) -> None:
    first = 'robot.guards.first={where: {mast: open}, at: start, reason: "It is not open"}'
    tries = 'robot.tools.tries={sequence: [again, look]}'
    lives = CompositeLives(f'guard: {{ that: [first], do: {{ {inside} }} }}', tries, first)
    lives.propose_it()
    lives.until_asked('again', 'look')
    lives.crash()
    lives.it.facts |= {'mast': 'closed', 'mast_is_open': False}
    assert lives.result().data['done'] == done
    assert lives.asked == {'again': 1, 'look': 2}, 'nobody hears the first answer of a service'


@pytest.mark.slow
def test_a_fallback_stays_with_what_it_has_come_to() -> None:
    """The guard would allow its first member again."""
    guarded = '{ guard: { that: [mast_open], do: one } }'
    lives = CompositeLives(f'sequence: [ {{ fallback: [ {guarded}, two ] }}, three ]')
    lives.propose_it()
    lives.until_asked('one')
    lives.it.facts |= {'mast': 'half', 'mast_is_open': False}
    lives.until_asked('one', 'two')
    lives.crash()
    assert lives.result().data['done'] == ['two', 'three']
    assert lives.asked == {'one': 1, 'two': 1, 'three': 1}


@pytest.mark.slow
def test_what_a_parallel_has_interrupted_does_not_begin_again() -> None:
    inner = '{ parallel: [ { sequence: [look, one] }, two ] }'
    lives = CompositeLives(f'sequence: [ {{ fallback: [ {inner}, again ] }}, three ]', two=1)
    lives.never_ends.add('one')
    lives.propose_it()
    lives.until_asked('look', 'one', 'two', 'again')
    lives.crash()
    assert lives.result().data['done'] == ['look', 'again', 'three']
    assert lives.asked == {'look': 1, 'one': 1, 'two': 1, 'again': 1, 'three': 1}


@pytest.mark.slow
def test_what_is_seen_to_be_done_is_done() -> None:
    lives = CompositeLives('sequence: [seen, one]')
    lives.forgets = True
    lives.propose_it()
    lives.until_asked('seen')
    lives.crash()
    assert lives.result().data['done'] == ['seen', 'one']
    assert lives.asked['seen'] == 1


@pytest.mark.slow
def test_what_its_server_says_and_nothing_shows_has_failed() -> None:
    lives = CompositeLives('sequence: [seen, one]')
    lives.propose_it()
    lives.until_asked('seen')
    lives.crash()
    lives.it.facts |= {'mast': 'half', 'mast_is_open': False}
    result = lives.result()
    assert 'seen: its server says that it is done, but mast is half' in result.error_reason
    assert lives.asked == {'seen': 1}


@pytest.mark.slow
def test_an_approval_counted_for_the_run_before() -> None:
    lives = CompositeLives('sequence: [one, two, three], approve: true')
    lives.propose_it()
    lives.approve()
    lives.until_asked('one', 'two')
    lives.crash()
    lives.go(40)
    assert lives.asked == {'one': 1, 'two': 1}, 'the rest waits for a human'
    (request,) = lives.it.context.approvals.waiting()
    assert request.amounts_to == 'the rest, after a restart: one: done, two: done; next: three'
    lives.approve()
    assert lives.result().data['done'] == ['one', 'two', 'three']


@pytest.mark.slow
def test_nobody_is_asked_when_nothing_is_left_to_do() -> None:
    lives = CompositeLives('sequence: [one, two], approve: true')
    lives.propose_it()
    lives.approve()
    lives.until_asked('one', 'two')
    lives.crash()
    assert lives.result().data['done'] == ['one', 'two']


@pytest.mark.parametrize('how', ['kill', 'stop in order'])
@pytest.mark.slow
def test_a_rest_that_waits_for_a_human_outlives_the_next_end_as_well(how: str) -> None:
    lives = CompositeLives('sequence: [one, two], approve: true')
    lives.propose_it()
    lives.approve()
    lives.until_asked('one')
    lives.crash()
    lives.go(20)
    assert lives.it.context.approvals.waiting()
    lives.crash() if how == 'kill' else lives.shut_down()
    lives.approve()
    assert lives.result().data['done'] == ['one', 'two']
    assert lives.asked == {'one': 1, 'two': 1}


@pytest.mark.slow
def test_whoever_is_not_given_the_rest_is_told_what_was_done() -> None:
    lives = lives_of('sequence')
    lives.propose_it()
    lives.until_asked('one', 'two')
    lives.crash()
    lives.it.robot.absent.add('/three')
    result = lives.result()
    assert not result.ok
    assert result.data['done'] == ['one', 'two']


@pytest.mark.slow
def test_another_plan_is_not_gone_on_with() -> None:
    lives = lives_of('sequence')
    lives.propose_it()
    lives.until_asked('one')
    lives.overrides = tuple(
        each.replace('[one, two, three]', '[two, one, three]') for each in lives.overrides
    )
    lives.crash()
    result = lives.result()
    assert 'its plan is another one now' in result.error_reason
    assert lives.asked == {'one': 1}


def test_plans_that_differ_have_different_digests() -> None:
    plans = [
        lives_of(kind).it.context.registry['do'].skill.plan for kind in ('sequence', 'fallback')
    ]
    assert len({digest_of(plan) for plan in plans if plan}) == 2


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
@pytest.mark.slow
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


@pytest.mark.parametrize('asked', ['one', 'two'])
def test_one_whose_progress_an_earlier_version_did_not_keep_is_not_begun_again(asked: str) -> None:
    lives = lives_of('sequence')
    lives.propose_it()
    while not lives.asked[asked]:
        lives.go()
    lives.store.puts = [replace(put, parts=as_before(put.parts)) for put in lives.store.puts]
    lives.crash()
    before = lives.asked.copy()
    result = lives.result()
    assert not result.ok
    assert result.error_reason == f'{RESTARTED}; what it has done was not kept'
    assert lives.asked == before
    nothing_is_left(lives)


def as_before(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Parts as they were when a round had nothing of its composites."""
    return {
        name: replace(value, composites={}) if isinstance(value, RoundPart) else value
        for name, value in parts.items()
    }
