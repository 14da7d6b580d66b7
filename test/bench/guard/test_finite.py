"""The finite part is explored to its end, and a broken table is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest
from shares import share

from bench.guard.finite.approvals import Approvals
from bench.guard.finite.calls import OneCall
from bench.guard.finite.explore import Machine, explore
from bench.guard.finite.goals_at_a_gate import MeasuredGoals
from bench.guard.finite.modes import Modes
from bench.guard.finite.permits import Link
from bench.guard.finite.velocities_at_a_gate import Velocities
from bench.guard.mutation import IN_FINITE, hunt, read_hints
from bt_executive.approval import approval_registry
from bt_executive.core import call_states, modes, reduce_operator_inputs
from bt_executive.core.call_states import CallInput, CallState
from bt_executive.core.call_table import Leases
from bt_executive.core.inputs import PauseRequested
from bt_executive.core.stop_confirmation import StopConfirmation
from gates.permit_rules import PermitRules

pytestmark = pytest.mark.long


@pytest.mark.parametrize('machine', [Modes, OneCall, Velocities.standstill])
def test_every_state_holds_every_invariant(machine: Callable[[], Machine]) -> None:
    found = explore(machine.__name__, machine())
    assert not found.fault, str(found)
    assert found.complete
    assert found.states > 40


@pytest.mark.parametrize(
    ('machine', 'states'),  # more than until the removal of any of its rules is seen
    [(Approvals, 500), (Link, 1000), (Velocities, 1500), (MeasuredGoals, 1000)],
)
def test_the_states_near_the_begin_hold_every_invariant(
    machine: Callable[[], Machine], states: int
) -> None:
    """All of them take longer than a test may: `bt-executive guard-bench --finite`."""
    most = share(states, 1500)
    found = explore(machine.__name__, machine(), most)
    assert not found.fault, str(found)
    assert found.states == most


@contextmanager
def call_table(state: CallState, happened: CallInput, after: CallState) -> Iterator[None]:
    row = {**call_states.TRANSITIONS[state], happened: after}
    with mock.patch.dict(call_states.TRANSITIONS, {state: row}):
        yield


def without_pause() -> Any:
    rows = {
        **reduce_operator_inputs.INTERRUPTIONS,
        PauseRequested: ('pause', lambda state, _source: state),
    }
    return mock.patch.object(reduce_operator_inputs, 'INTERRUPTIONS', rows)


FAULTS: dict[str, tuple[Callable[[], Machine], Callable[[], Any], str]] = {
    'SAFE below CHARGE': (
        Modes,
        lambda: mock.patch.object(modes, 'MODES', (modes.KEEP_CHARGED, *modes.MODES)),
        'SAFE is latched',
    ),
    'goals above a stop': (
        Modes,
        lambda: mock.patch.object(
            modes, 'MODES', (modes.STAY_SAFE, modes.KEEP_CHARGED, modes.PURSUE_GOALS, modes.REST)
        ),
        'a stop is served',
    ),
    'a pause that does nothing': (Modes, without_pause, "the operator's pause"),
    'anybody resets': (
        Modes,
        lambda: mock.patch.object(
            reduce_operator_inputs, 'OF_AGENTS', ('stop', 'pause', 'resume')
        ),
        'pause',
    ),
    'late words count as done': (
        OneCall,
        lambda: call_table(CallState.EXPIRED, CallInput.SUCCEED, CallState.SUCCEEDED),
        'after the time is over',
    ),
    'what has ended begins again': (
        OneCall,
        lambda: call_table(CallState.CANCELLED, CallInput.PROGRESS, CallState.RUNNING),
        'stays as it ended',
    ),
    'done without acceptance': (
        OneCall,
        lambda: call_table(CallState.SENT, CallInput.SUCCEED, CallState.SUCCEEDED),
        'never accepted',
    ),
    'a lease that is not kept': (
        OneCall,
        lambda: mock.patch.object(Leases, 'conflicts', return_value={}),
        'the resource stays',
    ),
    'an approval that is used again': (
        Approvals,
        lambda: mock.patch.object(
            approval_registry, 'replace', lambda entry, **new: _kept(entry, new)
        ),
        'used once',
    ),
    'an approval of another situation': (
        Approvals,
        lambda: mock.patch.object(approval_registry, 'describe_change', return_value=None),
        'the situation that was shown',
    ),
    'a permit that starts twice': (
        Link,
        lambda: mock.patch.object(PermitRules, '_is_used', return_value=False),
        'one motion at most',
    ),
    'a stop that any status confirms': (
        Link.driving,
        lambda: mock.patch.object(StopConfirmation, 'confirmed_by', return_value=True),
        'once a stop is confirmed',
    ),
}


def _kept(entry: Any, new: dict[str, Any]) -> Any:
    if new.get('state') is approval_registry.RequestState.USED:
        return entry
    return replace(entry, **new)


@pytest.mark.parametrize('name', FAULTS)
def test_a_broken_table_is_found(name: str) -> None:
    machine, broken, said = FAULTS[name]
    with broken():
        found = explore(name, machine(), most=20_000)
    assert said in found.fault, str(found)
    assert found.path


@pytest.mark.parametrize(
    'rule', [rule for rule, by in read_hints().items() if by.startswith(IN_FINITE)]
)
def test_a_removed_rule_is_found_where_it_was_found_last(rule: str) -> None:
    """A rule that no case can bring about alone. An exploration that sees less fails here."""
    (mutant,) = hunt((), only=(rule,))
    assert mutant.killed_by == read_hints()[rule], mutant
