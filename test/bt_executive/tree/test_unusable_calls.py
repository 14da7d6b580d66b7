"""Calls that cannot be used: each is refused in the tree, seen in the trace, and counted."""

from __future__ import annotations

from typing import Any

from known import known
import pytest
from tree_bench import MakeBench, Propose

from bt_executive.core.executive_ports import Answer, Proposal

FAULT = 'The arguments of move_forward are not a JSON object: \'{"duration_s":\''


def test_unusable_arguments_again_and_again_ask_the_operator(bench: MakeBench) -> None:
    calls = [Proposal(f'c{number}', 'move_forward', {}, '', FAULT) for number in range(3)]
    it = bench(*calls, Answer('as you say'))
    it.status(mast_is_open=False, mast='closed')
    it.goal('drive')
    it.until(lambda: it.context.state.hci.question)
    assert 'The same proposal was refused 3 times in a row' in it.context.state.hci.question
    refused = [event for event in it.events if known(event.data).get('guard') == 'arguments']
    assert [each.error_reason for each in refused] == [FAULT] * 3
    assert '/adapter/move_forward' not in it.robot.names
    assert [each.error_reason for each in it.planner.results] == [FAULT] * 2


@pytest.mark.parametrize(
    ('tool', 'arguments', 'given', 'reason'),
    [
        ('move_forward', {'duration_s': None}, {}, ''),
        ('move_forward', {'duration_s': 1.0}, {'duration_s': 1.0}, ''),
        ('move_forward', {'speed': None}, {'speed': None}, "'speed' was unexpected"),
        ('navigate_to', {'x': None, 'y': 1.0}, {'x': None, 'y': 1.0}, 'is not of type'),
    ],
)
def test_null_for_an_optional_argument_means_that_it_is_not_given(
    bench: MakeBench,
    propose: Propose,
    tool: str,
    arguments: dict[str, Any],
    given: dict[str, Any],
    reason: str,
) -> None:
    it = bench(propose(tool, **arguments), Answer('done'))
    it.status(mast_is_open=False, mast='closed')
    it.goal('drive')
    it.until(lambda: it.messages('DECIDE'))
    (decided,) = [event for event in it.events if event.kind == 'DECIDE'][:1]
    assert known(decided.data)['arguments'] == given
    if reason:
        assert reason in str(decided.error_reason)
    else:
        assert known(decided.data)['guard'] != 'arguments'


@pytest.mark.parametrize(
    ('name', 'told'),
    [
        ('m\u043eve_forward', 'U+043E CYRILLIC SMALL LETTER O'),
        ('ｍove_forward', 'U+FF4D FULLWIDTH LATIN SMALL LETTER M'),
        ('move_forward\u200b', 'U+200B ZERO WIDTH SPACE'),
        ('move_forward\\u200b', r"'move_forward\u200b'"),
        ('move_forward ', "'move_forward '"),
        ('Move_forward', "'Move_forward'"),
    ],
)
def test_a_name_that_only_looks_like_one_is_refused_with_what_is_odd(
    bench: MakeBench, propose: Propose, name: str, told: str
) -> None:
    it = bench(propose(name), Answer('done'))
    it.status(mast_is_open=False, mast='closed')
    it.goal('drive')
    it.until(lambda: it.planner.results)
    reason = it.planner.results[0].error_reason
    assert told in reason
    assert 'did you mean move_forward?' in reason
    assert it.robot.names.count('/adapter/move_forward') == 0
