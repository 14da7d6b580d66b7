"""What the encoder has of each piece of a text comes to the vector that it gives of the text."""

from __future__ import annotations

import numpy as np
import pytest

from rover_common.llm.sentence_encoder import sentence_encoder
from rover_common.llm.token_states import features, token_states

pytestmark = pytest.mark.long  # the sentence encoder
TEXTS = (
    'raise the mast',
    'ok',
    '桅杆升起来,拍张照',
    'マストを上げて',
    'vira à esquerda uns 3 segundos',
)


@pytest.mark.parametrize('text', TEXTS)
def test_they_come_to_the_vector_of_the_text(text: str) -> None:
    backend = sentence_encoder()._encoder()
    rows = features(backend, np.array([1, *backend.sp.encode(text, out_type=int), 2]))
    sum_ = (rows.sum(axis=0) @ backend.cnn_W + len(rows) * backend.cnn_b) / np.sqrt(len(rows))
    first = np.maximum(sum_ @ backend.p1 + np.maximum(sum_ @ backend.d0, 0) @ backend.d1, 0)
    vector = np.tanh(first @ backend.p3 + np.maximum(first @ backend.d2, 0) @ backend.d3)
    own = sentence_encoder().embed([text])[0]
    assert vector / np.linalg.norm(vector) == pytest.approx(own, abs=1e-4)


@pytest.mark.parametrize('text', [*TEXTS, 'a ∂ b … c', '½ m … ④'])
def test_pieces_begin_within_the_text_in_its_order(text: str) -> None:
    begins, states = token_states(sentence_encoder()._encoder(), text)
    assert len(begins) == len(states)
    assert begins == sorted(begins)
    assert all(0 <= each < len(text) for each in begins)


def test_of_no_words_there_are_none() -> None:
    begins, states = sentence_encoder().read(' …')
    assert (begins, len(states)) == ([], 0)
