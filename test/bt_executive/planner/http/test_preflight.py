"""Tried as a new user would: what is missing is said before anything moves, with what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from llama_cpp import llama_cpp  # noqa: F401 - a fixture
from model_protocols import OpenAI, Reply
import model_server as faults
from model_server import NO_TOOLS
import pytest

from bt_executive.core.executive_ports import Notice
from bt_executive.planner import model_server_probe
from bt_executive.planner.configured_planner import check_provider, make_planner, smoke_test
from rover_common.config.settings import PlannerSettings
from rover_common.errors import ConfigError
from rover_common.llm.providers import catalogue

pytestmark = pytest.mark.long

WITH_KEYS = ('openai', 'azure', 'anthropic')
ALL = (*WITH_KEYS, 'ollama')


def refusal(settings: PlannerSettings, environment: dict[str, str]) -> str:
    with pytest.raises(ConfigError) as caught:
        check_provider(settings, environment)
    return str(caught.value)


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine makes nothing late."""
    monkeypatch.setattr(model_server_probe, 'TIMEOUT_S', 120.0)


@pytest.fixture
def settings_for(config_for: Any) -> Callable[..., PlannerSettings]:
    return lambda provider, **overrides: config_for(provider, **overrides).executive.planner


@pytest.fixture
def environment() -> dict[str, str]:
    return dict.fromkeys(('OPENAI_API_KEY', 'AZURE_OPENAI_API_KEY', 'ANTHROPIC_API_KEY'), 'right')


@pytest.mark.parametrize('provider', WITH_KEYS)
def test_no_key(settings_for: Any, provider: Any) -> None:
    settings = settings_for(provider, planner__base_url='')
    variable = catalogue.CATALOGUE[provider].key
    azure = {'AZURE_OPENAI_ENDPOINT': 'http://127.0.0.1:9'}
    assert f'set the environment variable {variable}' in refusal(settings, azure)


@pytest.mark.parametrize('provider', WITH_KEYS)
@pytest.mark.parametrize('key', ['sk-se\ncret', 'sk-se cret', 'sk-sé-cret', 'sk-se\x00cret'])
def test_what_cannot_be_a_key_is_refused_and_not_quoted(
    settings_for: Any, provider: Any, key: str
) -> None:
    variable = catalogue.CATALOGUE[provider].key
    sentence = refusal(settings_for(provider), {variable: key})
    assert f'{variable} holds no key' in sentence
    assert 'cret' not in sentence
    assert 'sk-' not in sentence


def test_a_server_of_ones_own_needs_no_key(settings_for: Any) -> None:
    assert 'test-model at http://127.0.0.1' in check_provider(settings_for('openai'), {}).sentence


@pytest.mark.parametrize('provider', WITH_KEYS)
def test_a_wrong_key(
    settings_for: Any, server: Any, environment: dict[str, str], provider: Any
) -> None:
    server.key = 'another'
    sentence = refusal(settings_for(provider), environment)
    assert f'check the environment variable {catalogue.CATALOGUE[provider].key}' in sentence
    assert 'right' not in sentence


@pytest.mark.parametrize('provider', ALL)
def test_a_wrong_url(settings_for: Any, environment: dict[str, str], provider: Any) -> None:
    settings = settings_for(provider, planner__base_url='http://127.0.0.1:9')
    assert 'cannot be reached at http://127.0.0.1:9' in refusal(settings, environment)


def test_a_url_without_v1(settings_for: Any, server: Any, environment: dict[str, str]) -> None:
    settings = settings_for('openai', planner__base_url=server.url)
    assert 'planner.base_url usually ends in /v1' in refusal(settings, environment)


@pytest.mark.parametrize('url', ['http://', 'http://[', 'nonsense nonsense', 'http://127.0.0.1:x'])
def test_no_url_at_all(settings_for: Any, environment: dict[str, str], url: str) -> None:
    assert refusal(settings_for('openai', planner__base_url=url), environment)


@pytest.mark.usefixtures('llama_cpp')
@pytest.mark.parametrize('provider', [*ALL, 'llamacpp'])
@pytest.mark.parametrize('url', ['http://127.0.0.1:99999/v1', '127.0.0.1:99999', 'http://['])
def test_what_is_no_address_is_refused_before_any_request(
    settings_for: Any, environment: dict[str, str], provider: Any, url: str
) -> None:
    settings = settings_for(provider, planner__base_url=url)
    with pytest.raises(ConfigError, match=r'planner\.base_url is .* no address'):
        catalogue.access(settings, environment)


@pytest.mark.parametrize(
    ('named', 'url'),
    [
        ('0.0.0.0', 'http://0.0.0.0:11434'),
        ('rover-host', 'http://rover-host:11434'),
        (':8000', 'http://127.0.0.1:8000'),
        ('[::1]', 'http://[::1]:11434'),
        ('127.0.0.1:8000/ollama/', 'http://127.0.0.1:8000/ollama'),
        ('http://rover-host', 'http://rover-host'),
        ('https://rover-host/', 'https://rover-host'),
    ],
)
def test_the_address_of_ollama_is_read_as_ollama_does(
    settings_for: Any, named: str, url: str
) -> None:
    settings = settings_for('ollama', planner__base_url='')
    assert catalogue.access(settings, {'OLLAMA_HOST': named}).url == url


@pytest.mark.parametrize('provider', ALL)
def test_no_model(settings_for: Any, environment: dict[str, str], provider: Any) -> None:
    sentence = refusal(settings_for(provider, planner__model=''), environment)
    assert 'set planner.model (' in sentence


def test_a_model_that_is_not_there(settings_for: Any, environment: dict[str, str]) -> None:
    sentence = refusal(settings_for('ollama', planner__model='gpt-9'), environment)
    assert 'it has: test-model' in sentence


def test_a_list_of_other_names_is_a_warning(
    settings_for: Any, environment: dict[str, str], config_for: Any, keys: Any
) -> None:
    warnings: list[str] = []
    settings = settings_for('openai', planner__model='any-name')
    assert 'any-name at http' in check_provider(settings, environment, warnings.append).sentence
    assert ["does not name the model 'any-name'" in each for each in warnings] == [True]
    planner = make_planner(config_for('openai', planner__model='any-name'), lambda: None)
    (notice,) = planner.news()
    planner.close()
    assert isinstance(notice, Notice)
    assert 'It lists: test-model' in notice.sentence
    assert 'It lists: test-model' in smoke_test(settings, environment)


@pytest.mark.parametrize('provider', ['openai', 'ollama'])
def test_names_of_models_are_told_short_and_without_control_characters(
    settings_for: Any, server: Any, environment: dict[str, str], provider: str
) -> None:
    server.models = ['\x1b]0;owned\x07', 'x' * 1_000_000]
    settings, warnings = settings_for(provider, planner__model='gpt-9'), list[str]()
    if provider == 'ollama':
        sentence = refusal(settings, environment)
    else:
        check_provider(settings, environment, warnings.append)
        (sentence,) = warnings
    assert ']0;owned' in sentence
    assert sentence.isprintable()
    assert len(sentence) < 300


def test_a_list_that_is_nested_without_end_is_none(settings_for: Any, server: Any) -> None:
    server.listing = lambda handler, *_: handler.answer(b'[' * 200_000)
    assert 'test-model at http://127.0.0.1' in check_provider(settings_for('openai'), {}).sentence


@pytest.mark.parametrize('fault', faults.DRIPPING)
@pytest.mark.parametrize('provider', ['openai', 'ollama'])
def test_a_server_whose_list_drips_is_not_waited_for(
    settings_for: Any,
    server: Any,
    environment: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    provider: str,
    fault: faults.Fault,
) -> None:
    monkeypatch.setattr(model_server_probe, 'TIMEOUT_S', 0.3)
    server.listing = fault
    assert 'did not come to an end in time' in refusal(settings_for(provider), environment)


def test_a_model_of_ollama_that_cannot_call_tools(settings_for: Any) -> None:
    assert 'cannot call tools' in refusal(settings_for('ollama', planner__model=NO_TOOLS), {})


def test_a_model_elsewhere_that_cannot_call_tools_is_found_by_trying(
    settings_for: Any, environment: dict[str, str]
) -> None:
    settings = settings_for('openai', planner__model=NO_TOOLS)
    with pytest.raises(ConfigError, match='does not support tools'):
        smoke_test(settings, environment)


@pytest.mark.parametrize('provider', ALL)
def test_a_trial_asks_for_a_few_tokens(
    settings_for: Any, server: Any, environment: dict[str, str], provider: Any
) -> None:
    assert 'answered within' in smoke_test(settings_for(provider), environment)
    assert len(server.asked) == 1
    assert [tool['function']['name'] for tool in server.asked[0].tools] == ['ready']


@pytest.mark.parametrize('text', ['', ' \n', '<think>well</think>'])
def test_a_trial_with_an_empty_answer_is_a_fault(
    settings_for: Any, server: Any, environment: dict[str, str], text: str
) -> None:
    server.mind = lambda _asked: Reply(text)
    with pytest.raises(ConfigError, match='its answer was empty'):
        smoke_test(settings_for('openai'), environment)


def test_a_trial_whose_tokens_were_used_up_by_thinking_is_no_fault(
    settings_for: Any, server: Any, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OpenAI, '_end', lambda *_: 'length')
    server.mind = lambda _asked: Reply('')
    assert 'answered within' in smoke_test(settings_for('openai'), environment)


def test_a_trial_that_fails_says_why(
    settings_for: Any, server: Any, environment: dict[str, str]
) -> None:
    server.always = faults.status(429)
    with pytest.raises(ConfigError, match='is overloaded'):
        smoke_test(settings_for('openai'), environment)


def test_hosted_models_are_off_in_the_tests(
    settings_for: Any, environment: dict[str, str]
) -> None:
    settings = settings_for('openai', planner__base_url='')
    assert 'api.openai.com is not asked' in refusal(settings, environment)


@pytest.mark.parametrize('content', [None, '', 'no json', '{}', '{"goal": 1, "said": {}}'])
def test_a_record_that_is_none(config_for: Any, tmp_path: Path, content: str | None) -> None:
    record = tmp_path / 'record.jsonl'
    if content is not None:
        record.write_text(content)
    with pytest.raises(ConfigError, match=r'planner\.record'):
        make_planner(config_for('recorded', planner__record=str(record)), lambda: None)


def test_a_key_is_never_shown(settings_for: Any) -> None:
    where = catalogue.access(settings_for('openai'), {'OPENAI_API_KEY': 'sk-secret'})
    assert 'sk-secret' not in repr(where)
