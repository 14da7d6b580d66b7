"""Words in their plainest form, in the languages that a rover is asked in."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
import numpy as np
import pytest

from embodied_nav.embedding.hashed import DIMENSIONS, HashedEmbedder
from embodied_nav.embedding.tokens import head_of, stem, tokens


@pytest.mark.parametrize(
    ('text', 'words'),
    [
        ('Where did you see the layered rocks?', ['layer', 'rock']),
        ('receptionDesk_5', ['reception', 'desk', '5']),
        ('ＦＵＬＬ width', ['full', 'width']),
        ('岩石はどこですか', ['岩石']),
        ('north rimにあるクレーター', ['north', 'rim', 'クレ', 'レー', 'ータ', 'ター']),
        ('火星岩石', ['火星', '星岩', '岩石']),
        ('', []),
    ],
)
def test_the_words_of_a_text(text: str, words: list[str]) -> None:
    assert tokens(text) == words


@pytest.mark.parametrize(
    ('word', 'plain'),
    [('rocks', 'rock'), ('cities', 'city'), ('boxes', 'box'), ('glass', 'glass'), ('bus', 'bus')],
)
def test_endings_go(word: str, plain: str) -> None:
    assert stem(word) == plain


@pytest.mark.parametrize(
    ('text', 'head'),
    [
        ('where is the flat rock near a dune?', 'rock'),
        ('dusty parachute', 'parachute'),
        ('ventifact number 12', 'ventifact'),
        ('露頭はどこ', '露頭'),
        ('where is it?', ''),
    ],
)
def test_the_head_says_what_kind_is_asked_for(text: str, head: str) -> None:
    assert head_of(text) == head


@given(st.text(max_size=60))
@example('Ï:Ý')  # they meet in one place with opposite signs
def test_any_text_has_a_vector(text: str) -> None:
    (row,) = HashedEmbedder().embed([text])
    assert row.shape == (DIMENSIONS,)
    words = set(tokens(text))
    lengths = [0.0] if not words else [1.0] if len(words) == 1 else [1.0, 0.0]
    assert any(np.linalg.norm(row) == pytest.approx(each, abs=1e-5) for each in lengths)


def test_alike_words_are_near() -> None:
    rows = HashedEmbedder().embed(['layered rocks', 'layered rock', 'parachute'])
    assert rows[0] @ rows[1] > 0.9
    assert abs(rows[0] @ rows[2]) < 0.3
