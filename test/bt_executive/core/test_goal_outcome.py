"""How a goal ends: by evidence, whatever the planner says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.core.goal_outcome import (
    FINISH,
    Evidence,
    Outcome,
    Role,
    end_of_goal,
    end_of_tool,
    not_confirmed,
    succeeded,
)
from bt_executive.core.value_formatting import result_sentence

DONE = ToolResult(ok=True)
REFUSED = ToolResult(ok=False, error_reason='Need to close mast')
REJECTED = ToolResult(ok=False, error_reason='Rejected by the operator')
UNSEEN = not_confirmed(DONE, 'how far the robot came was not measured')
ROLES = {
    'drive': Role.ACT,
    'open': Role.ACT,
    'status': Role.READ,
    'topic': Role.READ,
    'speak': Role.CONTROL,
    FINISH: Role.CONTROL,
}
Step = tuple[str, ToolResult]


def evidence(*steps: Step, **fields: object) -> Evidence:
    history = [(Proposal('id', tool, {}), result) for tool, result in steps]
    known = Evidence(history, lambda name: ROLES.get(name, Role.ACT), lambda name: name in ROLES)
    return replace(known, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ('steps', 'outcome', 'missing'),
    [
        ([], 'answered', ''),
        ([('speak', DONE)], 'answered', ''),
        ([('status', DONE)], 'answered', ''),
        ([('topic', REFUSED), ('status', DONE)], 'answered', ''),
        ([('topic', REFUSED)], 'claimed', 'Need to close mast'),
        ([('drive', DONE)], 'reached', ''),
        ([('drive', REFUSED), ('open', DONE), ('drive', DONE)], 'reached', ''),
        ([('drive', UNSEEN)], 'claimed', 'drive: how far the robot came was not measured'),
        ([('drive', REJECTED)], 'claimed', 'drive: Rejected by the operator'),
        ([('drive', REJECTED), ('status', DONE)], 'claimed', 'drive: Rejected by the operator'),
        ([('drive', REJECTED), ('open', DONE)], 'claimed', 'drive: Rejected by the operator'),
        ([('open', DONE), ('drive', REFUSED)], 'claimed', 'drive: Need to close mast'),
        ([('drive', DONE), ('drive', UNSEEN), ('status', DONE)], 'claimed', 'drive: how far'),
        ([('drіve', REFUSED)], 'claimed', 'drіve: Need to close mast'),  # a look-alike name
        ([('drіve', REFUSED), ('drive', DONE)], 'reached', ''),
        ([('drіve', REFUSED), ('drive', UNSEEN)], 'claimed', 'drіve: Need to close mast; drive'),
    ],
)
@pytest.mark.parametrize('finished', [False, True], ids=['words', 'finish'])
def test_the_planners_word_is_no_evidence(
    steps: list[Step], outcome: str, missing: str, finished: bool
) -> None:
    told = [*steps, (FINISH, DONE)] if finished else steps
    ending = end_of_goal('Done, I drove 5 m', finished, evidence(*told))
    if finished and not steps:
        outcome, missing = 'claimed', 'no tool was asked for'
    assert ending.outcome == outcome
    assert ending.missing.startswith(missing)
    assert bool(ending.missing) == (outcome == 'claimed')
    assert ending.answer.startswith('Done, I drove 5 m')
    assert ending.missing in ending.answer


def test_a_question_may_be_answered_by_finish() -> None:
    ending = end_of_goal('I can drive', True, evidence((FINISH, DONE), asks=True))
    assert ending.outcome == 'answered'


@pytest.mark.parametrize('steps', [[], [('drive', REJECTED)], [('drive', DONE)]])
def test_a_condition_that_is_measured_decides_alone(steps: list[Step]) -> None:
    met, unmet = (
        evidence(*steps, not_met=()),
        evidence(*steps, not_met=('mast is open, not closed',)),
    )
    assert end_of_goal('It is so', False, met).outcome == 'reached'
    ending = end_of_goal('It is so', True, unmet)
    assert (ending.outcome, ending.missing) == ('claimed', 'mast is open, not closed')


STEPS = st.lists(
    st.tuples(
        st.sampled_from([*ROLES, 'drіve', 'fly']),
        st.sampled_from([DONE, REFUSED, REJECTED, UNSEEN]),
    ),
    max_size=8,
)


@pytest.mark.slow
@given(steps=STEPS, words=st.text(max_size=20), finished=st.booleans(), asks=st.booleans())
def test_nothing_is_reached_without_a_confirmed_act_and_none_in_doubt(
    steps: list[Step], words: str, finished: bool, asks: bool
) -> None:
    outcome = end_of_goal(words, finished, evidence(*steps, asks=asks)).outcome
    acts = [(tool, result) for tool, result in steps if ROLES.get(tool, Role.ACT) is Role.ACT]
    latest = dict(acts)
    doubted = [tool for tool, result in latest.items() if tool in ROLES and result is not DONE]
    if outcome == 'reached':
        assert DONE in latest.values()
        assert not doubted
    if outcome == 'answered':
        assert not acts
    if doubted or (acts and DONE not in latest.values()):
        assert outcome == 'claimed'


@pytest.mark.parametrize(
    ('result', 'not_met', 'outcome'),
    [
        (DONE, None, 'reached'),
        (DONE, (), 'reached'),
        (UNSEEN, None, 'claimed'),
        (UNSEEN, (), 'claimed'),
        (DONE, ('driven_m is not known',), 'claimed'),
        (REFUSED, None, 'failed'),
        (REFUSED, (), 'failed'),
    ],
)
def test_a_tool_by_hand_counts_by_its_result(
    result: ToolResult, not_met: tuple[str, ...] | None, outcome: str
) -> None:
    assert end_of_tool(result, not_met).outcome == outcome


def test_only_a_question_succeeds_by_an_answer() -> None:
    found = {each: (succeeded(each, False), succeeded(each, True)) for each in get_args(Outcome)}
    good = {each: both for each, both in found.items() if any(both)}
    assert good == {'reached': (True, True), 'answered': (False, True)}


@pytest.mark.parametrize(
    ('data', 'words'),
    [
        (
            {'message': 'Arrived, 0.08 m from the goal', 'distance': 0.0834},
            'Arrived, 0.08 m from the goal',
        ),
        ({'message': 'Arrived at 0.08 m', 'left_m': 0.2}, 'Arrived at 0.08 m; left 0.2 m'),
        ({'message': 'It took 3 s', 'tries': 3}, 'It took 3 s; tries 3'),
        ({'message': 'mean 0.0', 'is_low': False}, 'mean 0.0; not low'),
        ({'distance': 0.0834}, 'distance 0.0834'),
        (
            {'at_rest': True, 'motion': None, 'last_refusal': None, 'tilt_rad': None},
            'at rest; none or not known: motion, last refusal, tilt',
        ),
        ({'driven_m': None}, 'none or not known: driven'),
    ],
)
def test_a_number_that_the_servers_sentence_has_is_told_once(
    data: dict[str, Any], words: str
) -> None:
    assert result_sentence(ToolResult(ok=True, data=data)) == words
