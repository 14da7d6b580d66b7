"""The port's chat models and embedders over real HTTP, against the model server of the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
import ssl
import threading
from types import SimpleNamespace
from typing import Any

from llama_cpp import llama_cpp  # noqa: F401 - a fixture
from model_protocols import OpenAI, Reply
from model_server import DRIPPING, Fault, ModelServer, garbage, half_stream, silence, status
import numpy as np
from odd_usage import each_odd
import pytest

from rover_common.config.load import load_config
from rover_common.config.settings import ModelSettings
from rover_common.errors import ConfigError
from rover_common.llm.bounded_http import tls
from rover_common.llm.hosted_models import HostedChat, HostedEmbedder, Wire
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_ports import Message, Picture
from rover_common.llm.model_source import make_chat, make_embedder
from rover_common.llm.model_usage import ModelUse
from rover_common.llm.providers import catalogue

pytestmark = pytest.mark.slow

Chats = Callable[..., HostedChat]
Settings = Callable[..., ModelSettings]
KEY = 'sk-the-right-key'
KEYS = dict.fromkeys(('OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'AZURE_OPENAI_API_KEY'), KEY)
PROVIDERS = ('openai', 'azure', 'anthropic', 'ollama')
HELLO = (Message('system', 'You are brief.'), Message('user', 'Hello?'))


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer(mind=lambda _asked: Reply('A layered rock.'))
    yield made
    made.close()


@pytest.fixture
def settings_for(server: ModelServer) -> Settings:
    def make(provider: str, **more: Any) -> ModelSettings:
        planner = load_config().executive.planner
        quick = planner.retry.model_copy(update={'first_wait_s': 0.02, 'longest_wait_s': 0.05})
        values = {'provider': provider, 'model': 'test-model', 'retry': quick}
        return planner.model_copy(update={**values, 'base_url': server.base_url(provider), **more})

    return make


@pytest.fixture
def chat_for(settings_for: Settings) -> Chats:
    def make(provider: str = 'openai', budget: int = 100_000, **more: Any) -> HostedChat:
        return make_chat(settings_for(provider, **more), KEYS, budget)

    return make


@pytest.mark.parametrize('provider', PROVIDERS)
def test_an_answer_comes_piece_by_piece(chat_for: Chats, provider: str) -> None:
    chat = chat_for(provider)
    pieces = list(chat.stream(HELLO))
    assert ''.join(pieces) == 'A layered rock.'
    assert len(pieces) > 1
    assert chat.use().calls == 1


@pytest.mark.usefixtures('llama_cpp')
@pytest.mark.parametrize('provider', ['openai', 'ollama', 'llamacpp'])
def test_a_server_of_ones_own_needs_no_key(
    settings_for: Settings, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    monkeypatch.delenv('OPENAI_API_KEY', raising=False)
    chat = make_chat(settings_for(provider), {}, 100_000)
    assert ''.join(chat.stream(HELLO)) == 'A layered rock.'


@pytest.mark.parametrize('provider', PROVIDERS)
def test_a_picture_goes_with_the_question(
    chat_for: Chats, server: ModelServer, provider: str
) -> None:
    chat_for(provider).ask(HELLO, [Picture(b'\xff\xd8jpeg')])
    assert '/9hqcGVn' in str(server.bodies[-1])  # base64 of the bytes


@pytest.mark.parametrize('provider', ['openai', 'azure', 'ollama'])
def test_certificates_are_read_once_for_all_clients(
    settings_for: Settings, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    make_chat(settings_for(provider), KEYS, 1000).ask(HELLO)
    read: list[object] = []
    monkeypatch.setattr(ssl, 'create_default_context', read.append)
    make_chat(settings_for(provider), KEYS, 1000).ask(HELLO)
    make_embedder(settings_for(provider), KEYS, 1000).embed(['a'])
    assert read == []


@pytest.mark.parametrize('provider', ['openai', 'azure'])
def test_a_proxy_that_httpx_does_not_know_hinders_nobody_who_needs_none(
    settings_for: Settings, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    """As desktops set it; the server is on this machine."""
    monkeypatch.setenv('all_proxy', 'socks://127.0.0.1:1/')
    assert make_chat(settings_for(provider), KEYS, 1000).ask(HELLO) == 'A layered rock.'
    assert make_embedder(settings_for(provider), KEYS, 1000).embed(['a']).size


@pytest.mark.parametrize('provider', PROVIDERS)
def test_certificates_that_cannot_be_read_are_one_sentence_with_the_variable(
    settings_for: Settings, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    make_chat(settings_for(provider), KEYS, 1000).ask(HELLO)  # Ollama's library reads them, too
    monkeypatch.setenv('SSL_CERT_FILE', '/none')
    tls.cache_clear()
    with pytest.raises(ModelError, match=r"^The certificates .* SSL_CERT_FILE is '/none'; set"):
        make_chat(settings_for(provider), KEYS, 1000).ask(HELLO)
    if provider != 'anthropic':
        with pytest.raises(ConfigError, match=r"SSL_CERT_FILE is '/none'"):
            make_embedder(settings_for(provider), KEYS, 1000)


def test_a_library_that_cannot_be_loaded_is_one_sentence(
    settings_for: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: str) -> None:
        raise ValueError('Unknown scheme for proxy URL')

    monkeypatch.setattr(catalogue, 'import_module', refuse)
    with pytest.raises(ModelError, match=r'library of ollama cannot be loaded .* all_proxy'):
        make_chat(settings_for('ollama'), KEYS, 1000).ask(HELLO)
    with pytest.raises(ConfigError, match='all_proxy'):
        make_embedder(settings_for('ollama'), KEYS, 1000)


def test_a_passing_fault_is_asked_again(chat_for: Chats, server: ModelServer) -> None:
    server.faults.extend([status(503), garbage])
    assert chat_for().ask(HELLO) == 'A layered rock.'


def test_a_refused_key_is_not_asked_again_and_never_told(
    chat_for: Chats, server: ModelServer
) -> None:
    server.key = 'another'
    with pytest.raises(ModelError, match='refuses the key') as fault:
        chat_for().ask(HELLO)
    assert KEY not in str(fault.value)


def test_no_answer_beyond_the_budget(chat_for: Chats, server: ModelServer) -> None:
    chat = chat_for(budget=10)
    chat.ask(HELLO)
    with pytest.raises(ModelError, match='budget of 10 tokens'):
        chat.ask(HELLO)
    assert len(server.asked) == 1


def test_a_question_is_given_up_from_another_thread(chat_for: Chats, server: ModelServer) -> None:
    chat = chat_for()
    server.faults.append(silence)
    ended: list[str] = []

    def ask() -> None:
        try:
            chat.ask(HELLO)
        except ModelError as fault:
            ended.append(fault.sentence)

    thread = threading.Thread(target=ask)
    thread.start()
    while not server.asked:
        thread.join(0.01)
    while thread.is_alive():  # it may not be in the call yet when it is cut
        chat.cut()
        thread.join(0.05)
    assert ended == ['The question was given up.']
    assert chat.use() == ModelUse(), 'nothing came of it'
    assert chat.ask(HELLO) == 'A layered rock.'


@pytest.mark.parametrize('provider', ['openai', 'azure', 'ollama'])
def test_texts_become_vectors_of_unit_length_in_their_order(
    settings_for: Settings, provider: str
) -> None:
    rows = make_embedder(settings_for(provider), KEYS, 1000).embed(['abc', 'a b c d', ''])
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0)
    assert rows[1] == pytest.approx(np.array([7.0, 3.0]) / np.hypot(7.0, 3.0))


def test_embeddings_are_asked_for_again(settings_for: Settings, server: ModelServer) -> None:
    server.faults.append(status(500))
    assert len(make_embedder(settings_for('openai'), KEYS, 1000).embed(['a', 'b'])) == 2


@pytest.mark.parametrize('fault', DRIPPING)
@pytest.mark.parametrize(
    'ask',
    [
        lambda settings: make_chat(settings, KEYS, 1000).ask(HELLO),
        lambda settings: make_embedder(settings, KEYS, 1000).embed(['a']),
    ],
    ids=['words', 'vectors'],
)
def test_an_answer_that_drips_is_cut_when_its_time_is_over(
    settings_for: Settings,
    server: ModelServer,
    ask: Callable[[ModelSettings], object],
    fault: Fault,
) -> None:
    server.always = fault
    settings = settings_for('openai')
    request = settings.request.model_copy(update={'silence_s': 60.0, 'whole_s': 0.3})
    once = settings.retry.model_copy(update={'attempts': 1})
    settings = settings.model_copy(update={'request': request, 'retry': once})
    with pytest.raises(ModelError, match='did not come to an end in time'):
        ask(settings)


@pytest.mark.parametrize(
    'rows', [[[{'a': 1}]], [[10**400]], [['x']], [[None]], [[1.0], [2.0]], [[1.0, [2.0]]], [None]]
)
def test_vectors_that_are_none_are_refused(settings_for: Settings, rows: Any) -> None:
    settings = settings_for('openai')
    client = SimpleNamespace(embed_documents=lambda _texts: rows)
    embedder = HostedEmbedder(client, settings, Wire(settings, str), 1000)
    with pytest.raises(ModelError, match='vectors that do not fit the texts'):
        embedder.embed(['abc'])


def test_a_provider_without_embeddings_is_told_at_once(settings_for: Settings) -> None:
    with pytest.raises(ConfigError, match='anthropic has no embeddings'):
        make_embedder(settings_for('anthropic'), KEYS, 1000)


WORDS = 'A layered rock. ' * 40
LONG = [Message('user', 'What do you see there, in front of the rover? ' * 40)]


def test_half_an_answer_costs_what_came_of_it(chat_for: Chats, server: ModelServer) -> None:
    server.mind, server.always = lambda _asked: Reply(WORDS), half_stream
    broken_off, closed = chat_for(budget=500), chat_for(budget=400)
    with pytest.raises(ModelError, match='broke off'):
        list(broken_off.stream(LONG))
    next(closed.stream(LONG))  # nobody wants the rest
    for chat in (broken_off, closed):
        assert replace(chat.use(), estimated_tokens=0) == ModelUse(calls=1)
        with pytest.raises(ModelError, match='is used up'):
            chat.ask(LONG)


@pytest.mark.parametrize(
    ('end', 'sentence'),
    [('length', 'was cut off at planner.max_answer_tokens'), ('content_filter', 'refused')],
)
def test_an_answer_that_did_not_end_by_itself_is_none(
    chat_for: Chats, server: ModelServer, monkeypatch: pytest.MonkeyPatch, end: str, sentence: str
) -> None:
    monkeypatch.setattr(OpenAI, '_end', lambda *_: end)
    server.mind = lambda _asked: Reply('The way is clear, save')
    with pytest.raises(ModelError, match=sentence):
        chat_for().ask(HELLO)
    assert len(server.bodies) == 1, 'the same question would end so again'


@pytest.mark.parametrize('whole', [False, True], ids=['each count', 'as a whole'])
@pytest.mark.parametrize('provider', ['openai', 'anthropic', 'ollama'])  # Azure has OpenAI's
def test_an_answer_with_odd_counts_costs_what_it_has_in_words(
    chat_for: Chats,
    server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    provider: str,
    whole: bool,
) -> None:
    server.mind = lambda _asked: Reply(WORDS)
    for odd in each_odd(monkeypatch, whole):
        chat = chat_for(provider, budget=500)
        assert chat.ask(LONG) == WORDS, odd
        assert replace(chat.use(), estimated_tokens=0) == ModelUse(calls=1), odd
        with pytest.raises(ModelError, match='is used up'):
            chat.ask(LONG)
