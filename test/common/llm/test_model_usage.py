"""Counts of tokens: what can be none is left out, and gives nothing back."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from model_protocols import USED
from odd_usage import ODD
import pytest

from rover_common.config.settings import Price
from rover_common.llm.model_usage import Meter, drop_odd_counts


@pytest.mark.parametrize('odd', ODD, ids=repr)
def test_what_can_be_stays(odd: Any) -> None:
    good = {'prompt_tokens': USED[0], 'service_tier': 'x', 'cost': 0.2, 'queue_time': odd}
    details = {'prompt_tokens_details': {'cached_tokens': 7}}
    assert not drop_odd_counts({'usage': {**good, **details}, 'count': odd, 'message': 'words'})
    answer = {'usage': {**good, **details, 'completion_tokens': odd}}
    assert drop_odd_counts(answer) == (odd is not None)
    assert {name: answer['usage'][name] for name in good | details} == {**good, **details}


def test_chunks_cost_what_their_message_costs() -> None:
    told: Any = {'input_tokens': 40, 'output_tokens': 30, 'total_tokens': 70}
    spoken, ended = (
        AIMessageChunk(content='y' * 400),
        AIMessageChunk(content='', usage_metadata=told),
    )
    whole, received, half = (Meter(Price(input_usd=1.0, output_usd=1.0), 100) for _ in range(3))
    whole.count([HumanMessage('x')], [spoken + ended])
    received.count([HumanMessage('x')], [spoken, ended])
    assert received.use == whole.use
    assert (whole.use.calls, whole.use.tokens) == (1, 70)
    half.count([], [])
    assert half.use.calls == 0
    half.count([HumanMessage('x')], [spoken])
    assert half.is_used_up
    assert (half.use.tokens, half.use.tokens_of_budget) == (0, 100)


def test_counts_of_all_chunks_so_far_are_not_added_up() -> None:
    told: list[Any] = [
        {'input_tokens': 40, 'output_tokens': number, 'total_tokens': 40 + number}
        for number in (1, 2, 3)
    ]
    meter = Meter(Price(input_usd=1.0, output_usd=1.0), 100)
    chunks = [AIMessageChunk(content='y', usage_metadata=each) for each in told]
    meter.count([HumanMessage('x')], chunks)
    assert (meter.use.calls, meter.use.input_tokens, meter.use.output_tokens) == (1, 40, 3)
    assert not meter.is_used_up


@pytest.mark.parametrize(('tokens_in', 'tokens_out'), [(-900, 5), (5, -900), (-1, -1)])
def test_no_answer_gives_tokens_back(tokens_in: int, tokens_out: int) -> None:
    meter = Meter(Price(input_usd=1.0, output_usd=1.0), 100)
    told: Any = {'input_tokens': tokens_in, 'output_tokens': tokens_out, 'total_tokens': 0}
    for _ in range(10):
        meter.count([HumanMessage('x' * 400)], [AIMessage('y' * 400, usage_metadata=told)])
    assert meter.is_used_up
    use = meter.use
    assert min(use.input_tokens, use.output_tokens) >= 0 <= use.cost_usd
