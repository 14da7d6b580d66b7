"""The sentence encoder, with its own weights, loaded once for all of these."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
import pytest

from rover_common.llm import sentence_encoder as module
from rover_common.llm.encoder_token_vectors import TokenStates
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_ports import Embedder
from rover_common.llm.sentence_encoder import DIMENSIONS, SentenceEncoder, sentence_encoder

pytestmark = pytest.mark.long  # reads 33 MB of weights
TEXTS = ['Raise the mast', '电池还剩多少电?', '電池の残量は?', 'Größe ½ ﬁn', 'ما هذا؟', '배터리']


def test_equal_meanings_are_near_in_every_language() -> None:
    encoder: Embedder = sentence_encoder()
    rows = encoder.embed(
        ['How full is the battery?', '電池の残量は?', '电池还剩多少电?', 'Raise the mast']
    )
    assert rows.shape == (4, DIMENSIONS)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-3)
    alike = rows @ rows[0]
    assert min(alike[1:3]) > 0.5 > 0.3 > alike[3]


def test_a_text_without_words_has_no_meaning_and_no_text_no_row() -> None:
    encoder = sentence_encoder()
    rows = encoder.embed(['', ' \n', '?!', '\ud800', 'rock'])
    assert [bool(row.any()) for row in rows] == [False, False, False, False, True]
    assert encoder.embed([]).shape == (0, DIMENSIONS)
    assert encoder.embed(['rock ' * 100_000]).shape == (1, DIMENSIONS)


def test_the_same_text_is_encoded_once_by_whatever_thread_asks() -> None:
    asked: list[str] = []

    class Counting(TokenStates):
        def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
            asked.extend(texts)
            return np.eye(len(texts), DIMENSIONS, dtype=np.float32)

    encoder = SentenceEncoder()
    encoder._loaded = sentence_encoder()._encoder()
    encoder._layers = Counting(encoder._loaded)
    with ThreadPoolExecutor(8) as threads:
        rows = list(threads.map(encoder.embed, [['a', 'b', 'a'], ['b', 'a']] * 20))
    assert sorted(asked) == ['a', 'b']
    assert all(np.array_equal(each[-1], rows[0][0]) for each in rows)


def test_only_so_many_sentences_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, 'REMEMBERED', 2)
    encoder = SentenceEncoder()
    encoder._loaded = sentence_encoder()._encoder()
    assert len(encoder.embed(['one', 'two', 'three'])) == 3
    assert list(encoder._rows) == ['two', 'three']


@pytest.mark.parametrize('installed', [True, False])
@pytest.mark.parametrize('damaged', ['sp.model', 'weights.npz'])
def test_what_is_missing_or_damaged_is_said_with_what_mends_it(
    installed: bool, damaged: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for each in ('sp.model', 'weights.npz'):
        (tmp_path / each).symlink_to(module._resources() / each)
    (tmp_path / damaged).unlink()
    (tmp_path / damaged).write_bytes(b'\0' * 10)
    monkeypatch.setattr(module, '_resources', lambda: tmp_path)
    monkeypatch.setattr(module, 'is_installed', lambda: installed)
    for embed in (SentenceEncoder().embed, SentenceEncoder().embed_lasting):
        with pytest.raises(ModelError, match='pip install') as found:
            embed(['rock'])
        assert not found.value.again


def test_both_tokenizers_split_every_language_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip('sentencepiece')
    fast = module._tokenizer()
    monkeypatch.setattr(module, 'find_spec', lambda _: None)
    slow = module._tokenizer()
    assert type(fast) is not type(slow)
    for text in TEXTS:
        assert slow.encode(text, add_bos=True, add_eos=True) == fast.encode(
            text, out_type=int, add_bos=True, add_eos=True
        )
