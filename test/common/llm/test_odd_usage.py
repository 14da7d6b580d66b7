"""Counts of tokens that are none, over every provider's own client library."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from model_protocols import USED, Reply
from model_server import ModelServer
from odd_usage import ODD, each_odd
import pytest

from rover_common.config.load import load_config
from rover_common.config.settings import Price
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_ports import Message
from rover_common.llm.model_source import make_chat
from rover_common.llm.model_usage import Meter, ModelUse, drop_odd_counts

KEYS = dict.fromkeys(('OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'AZURE_OPENAI_API_KEY'), 'sk-1')
PROTOCOLS = ('openai', 'anthropic', 'ollama')  # Azure has OpenAI's
WORDS = 'A layered rock. ' * 40
ASKED = [Message('user', 'What do you see there, in front of the rover? ' * 40)]
each_way = pytest.mark.parametrize('whole', [False, True], ids=['each count', 'as a whole'])


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer(mind=lambda _asked: Reply(WORDS))
    yield made
    made.close()


def chat_at(server: ModelServer, provider: str, budget: int) -> Any:
    planner = load_config().executive.planner
    values = {'provider': provider, 'model': 'test-model', 'base_url': server.base_url(provider)}
    return make_chat(planner.model_copy(update=values), KEYS, budget)


@pytest.mark.slow
@each_way
@pytest.mark.parametrize('provider', PROTOCOLS)
def test_an_answer_with_odd_counts_costs_what_it_has_in_words(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, provider: str, whole: bool
) -> None:
    for odd in each_odd(monkeypatch, whole):
        chat = chat_at(server, provider, budget=500)
        assert chat.ask(ASKED) == WORDS, odd
        assert chat.use() == ModelUse(calls=1), odd
        with pytest.raises(ModelError, match='is used up'):
            chat.ask(ASKED)


@pytest.mark.parametrize('odd', ODD, ids=repr)
def test_what_can_be_stays(odd: Any) -> None:
    good = {'prompt_tokens': USED[0], 'service_tier': 'x', 'cost': 0.2, 'queue_time': odd}
    details = {'prompt_tokens_details': {'cached_tokens': 7}}
    assert not drop_odd_counts({'usage': {**good, **details}, 'count': odd, 'message': 'words'})
    answer = {'usage': {**good, **details, 'completion_tokens': odd}}
    assert drop_odd_counts(answer) == (odd is not None)
    assert {name: answer['usage'][name] for name in good | details} == {**good, **details}


@pytest.mark.parametrize(('tokens_in', 'tokens_out'), [(-900, 5), (5, -900), (-1, -1)])
def test_no_answer_gives_tokens_back(tokens_in: int, tokens_out: int) -> None:
    meter = Meter(Price(input_usd=1.0, output_usd=1.0), 100)
    told: Any = {'input_tokens': tokens_in, 'output_tokens': tokens_out, 'total_tokens': 0}
    for _ in range(10):
        meter.count([HumanMessage('x' * 400)], AIMessage('y' * 400, usage_metadata=told))
    assert meter.is_used_up
    use = meter.use
    assert min(use.input_tokens, use.output_tokens) >= 0 <= use.cost_usd
