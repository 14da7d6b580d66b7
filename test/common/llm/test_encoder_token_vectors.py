"""What the encoder has of each piece of a text comes to the vector that it gives of the text."""

from __future__ import annotations

import numpy as np
import pytest

from rover_common.llm import encoder_token_vectors
from rover_common.llm.encoder_token_vectors import TokenStates
from rover_common.llm.sentence_encoder import sentence_encoder

pytestmark = pytest.mark.long  # the sentence encoder
TEXTS = (
    'raise the mast',
    'ok',
    '桅杆升起来,拍张照',
    'マストを上げて',
    'vira à esquerda uns 3 segundos',
)


@pytest.fixture
def states() -> TokenStates:
    """The layers of the encoder, without a row that is kept."""
    return TokenStates(sentence_encoder()._encoder())


def test_vectors_are_those_of_the_package_whatever_was_read_before(states: TokenStates) -> None:
    package = sentence_encoder()._encoder()
    several = [*TEXTS, 'raise the mast and wait', 'the mast', 'mast the raise', 'ok ok ' * 200]
    assert states.vectors(several) == pytest.approx(package.encode(several), abs=1e-5)
    for text in reversed(several):
        assert states.vectors([text]) == pytest.approx(package.encode([text]), abs=1e-5)


def test_more_pieces_than_are_kept_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder_token_vectors, 'KEPT', 64)
    package = sentence_encoder()._encoder()
    states = TokenStates(package)
    texts = [' '.join(f'{word} {at}' for at in range(8)) for word in ('rock', 'mast', 'go')]
    long = ' '.join(map(str, range(64)))
    for each in (*texts, long, *texts):
        assert states.vectors([each]) == pytest.approx(package.encode([each]), abs=1e-5)


@pytest.mark.parametrize('text', TEXTS)
def test_features_come_to_the_vector_of_the_text(text: str, states: TokenStates) -> None:
    backend = sentence_encoder()._encoder()
    rows = states.features([[1, *backend.sp.encode(text, out_type=int), 2]])
    sum_ = (rows.sum(axis=0) @ backend.cnn_W + len(rows) * backend.cnn_b) / np.sqrt(len(rows))
    first = np.maximum(sum_ @ backend.p1 + np.maximum(sum_ @ backend.d0, 0) @ backend.d1, 0)
    vector = np.tanh(first @ backend.p3 + np.maximum(first @ backend.d2, 0) @ backend.d3)
    own = backend.encode([text])[0]
    assert vector / np.linalg.norm(vector) == pytest.approx(own, abs=1e-4)


@pytest.mark.parametrize('text', [*TEXTS, 'a ∂ b … c', '½ m … ④'])
def test_pieces_begin_within_the_text_in_its_order(text: str) -> None:
    begins, rows = sentence_encoder().read(text)
    assert len(begins) == len(rows)
    assert begins == sorted(begins)
    assert all(0 <= each < len(text) for each in begins)


def test_of_no_words_there_are_none() -> None:
    begins, states = sentence_encoder().read(' …')
    assert (begins, len(states)) == ([], 0)
