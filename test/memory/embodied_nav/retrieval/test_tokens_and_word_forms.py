"""Words in their plainest form, in the languages that a rover is asked in."""

from __future__ import annotations

import pytest

from embodied_nav.retrieval.tokens_and_word_forms import misspelt, stem, tokens


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
def test_the_terms_of_a_text(text: str, words: list[str]) -> None:
    assert tokens(text) == words


@pytest.mark.parametrize(
    ('word', 'plain'),
    [('rocks', 'rock'), ('cities', 'city'), ('boxes', 'box'), ('glass', 'glass'), ('bus', 'bus')],
)
def test_endings_go(word: str, plain: str) -> None:
    assert stem(word) == plain


@pytest.mark.parametrize(
    ('word', 'meant', 'is_slip'),
    [
        ('layerd', 'layered', True),
        ('laeyred', 'layered', True),
        ('craterr', 'crater', True),
        ('black', 'block', False),
        ('bridge', 'ridge', False),
        ('copper', 'chopper', False),
    ],
)
def test_a_slip_of_the_pen_is_no_other_word(word: str, meant: str, is_slip: bool) -> None:
    assert misspelt(word, meant) is is_slip
