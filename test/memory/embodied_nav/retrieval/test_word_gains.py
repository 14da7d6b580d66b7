"""What a word of a question adds: a thing that is said to be so is nearer with it than without."""

from __future__ import annotations

import pytest

from embodied_nav.embedding.word_vectors import Meanings
from embodied_nav.retrieval.analysed_description import said_of
from embodied_nav.retrieval.asked_words import MOST_COMPARED, asked_of
from embodied_nav.retrieval.word_gains import gains_of
from embodied_nav.retrieval.word_support import supports_of
from rover_common.llm.sentence_encoder import sentence_encoder


def is_said(text: str, word: str, said: str) -> bool:
    asked, encoder = asked_of(text), sentence_encoder()
    meanings = Meanings(encoder)
    meanings.learn(meanings.unknown((*asked.units, *asked.compared, *said_of(said).terms)))
    gains = gains_of(asked, encoder.embed([said]), meanings)
    assert gains is not None
    (support,) = supports_of(asked, [said_of(said)], meanings)
    says = gains.says([[value for _, value in support.words]])
    return bool(says[0][support.texts.index(word)])


@pytest.mark.parametrize(
    ('text', 'word', 'said'),
    [
        ('装土豆的拖车', '装土豆', 'trailer, a flat trailer loaded with sacks of potatoes'),
        ('挖出来的土堆', '挖出来', 'spoil heap, a hill of earth that was dug out'),
    ],
)
def test_the_whole_text_says_it_in_other_words(text: str, word: str, said: str) -> None:
    assert is_said(text, word, said)


@pytest.mark.parametrize(
    ('text', 'word'),
    [
        ('the robot trolley', 'robot'),
        ('the musical trolley', 'musical'),
        ('恐竜のトロリー', '恐竜'),
        ('恐龙的手推车', '恐龙'),
    ],
)
def test_what_nobody_spoke_of_is_not_said(text: str, word: str) -> None:
    assert not is_said(text, word, 'trolley, a row of luggage trolleys pushed together')


def test_a_single_word_and_a_long_question_are_not_compared() -> None:
    nothing = Meanings(None)
    for text in ('rock', ' '.join(f'thing{at}' for at in range(MOST_COMPARED + 1))):
        assert asked_of(text).compared == ()
        assert gains_of(asked_of(text), sentence_encoder().embed(['rock']), nothing) is None


def test_without_the_vectors_nothing_is_known() -> None:
    rows = sentence_encoder().embed(['rock, a red rock'])
    assert gains_of(asked_of('the striped rock'), rows, Meanings(None)) is None
