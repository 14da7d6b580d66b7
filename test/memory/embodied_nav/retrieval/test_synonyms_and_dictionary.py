"""A word may be said in another one, of the same language or not, as a dictionary has it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from embodied_nav.observation import Observation
from embodied_nav.query_and_recall_types import Query
from embodied_nav.retrieval.parsed_query import parse_query
from embodied_nav.retrieval.synonyms_and_dictionary import (
    concepts_of,
    gloss_of,
    parts_of,
    senses_of,
    with_implied,
)
from embodied_nav.retrieval.terms_of_text import Term
from embodied_nav.retrieval.text_of_thing import document_of
from embodied_nav.spatial_memory import SpatialMemory


@pytest.mark.parametrize(
    ('text', 'word'),
    [
        ('a white orchid on a mossy branch', '苔'),
        ('a low cave with bats', 'コウモリ'),
        ('a fallen spruce, a fallen tree', '倒木'),
        ('two sofas', 'couch'),
        ('the armour of a knight', '盔甲'),
        ('船底に穴のあいた救命艇', 'lifeboat'),
        ('a table for picnics', '野餐桌'),
        ('a dented bucket', 'へこん'),
    ],
)
def test_a_word_is_said_by_what_a_dictionary_has_for_it(text: str, word: str) -> None:
    assert document_of(text).contains_synonym(Term(word))


@pytest.mark.parametrize(
    ('text', 'word'),
    [
        ('an apple tree', '倒木'),
        ('a layered rock', 'sing'),
        ('a layered rock', '恐竜'),
        ('a red door', '空洞'),
        ('a round table', '野餐桌'),
        ('a basket for a picnic', '野餐桌'),
        ('a white orchid', ''),
        ('a white orchid', 'an'),
        ('', '苔'),
    ],
)
def test_other_words_are_not_said(text: str, word: str) -> None:
    assert not document_of(text).contains_synonym(Term(word))


@pytest.mark.parametrize(
    ('word', 'group'),
    [('隕石', ()), ('风车', ('windmill',)), ('墓石', ('grave',)), ('移动起重机', ('crane',))],
)
def test_a_word_is_no_kind_of_its_last_sign_if_a_dictionary_has_another_meaning(
    word: str, group: tuple[str, ...]
) -> None:
    assert concepts_of(word) == group


def test_a_word_is_of_the_kind_that_its_first_meaning_names() -> None:
    assert concepts_of('郵便受け') == concepts_of('letterbox')
    assert concepts_of('畑') == ()  # a field, which is none of the kinds


def test_what_is_a_police_car_is_a_car_and_a_vehicle() -> None:
    assert with_implied(['police car']) == {'police car', 'car', 'vehicle'}
    assert with_implied(['car']) == {'car', 'vehicle'}


def test_a_compound_of_another_language_is_its_words_together() -> None:
    shovel = document_of('shovel, 入口の横に立てかけた雪かきスコップ')
    assert shovel.contains_compound(['snow', 'shovel'])
    assert not shovel.contains_compound(['coal', 'shovel'])


def test_what_is_in_no_dictionary_means_nothing() -> None:
    assert senses_of('鼟鼟鼟') == senses_of('x') == frozenset()


def test_a_word_in_no_dictionary_is_cut_at_the_longest_words_of_it_or_not_at_all() -> None:
    assert parts_of('便携燃气炉') == ('便携', '燃气', '炉')
    assert parts_of('救命艇') == ('救命艇',)
    assert parts_of('ゖゖ燃气') == ('ゖゖ燃气',)
    assert parts_of('brickwork') == ('brickwork',)


@pytest.mark.parametrize(
    ('word', 'japanese', 'chinese'),
    [
        ('線路', 'railway track', 'line'),
        ('停めた', '', ''),  # a verb may mean much
        ('充電スタンド', 'charging station', 'charging station'),  # in no other dictionary
        ('鼟鼟鼟', '', ''),
    ],
)
def test_the_first_meaning_of_a_word_in_english(word: str, japanese: str, chinese: str) -> None:
    assert (gloss_of(word, True), gloss_of(word, False)) == (japanese, chinese)


def test_a_question_in_signs_is_encoded_in_english_if_each_of_its_words_is_known() -> None:
    assert parse_query('遮断機の信号はどこ？').texts[0] == 'railway crossing gate traffic light'
    assert '鼟鼟' in parse_query('鼟鼟の信号はどこ？').texts[0]
    assert parse_query('where is the signal?').texts[0] == 'signal'


@pytest.mark.slow
def test_a_thing_is_found_by_what_a_dictionary_has_for_its_words(
    memory: SpatialMemory, seen: Callable[..., Observation]
) -> None:
    captions = {'cave': 'a low cave with a muddy floor', 'orchid': 'an orchid on a mossy branch'}
    for at, (label, caption) in enumerate(captions.items()):
        memory.observe(seen(f'thing_{at}', 40.0 * at, 0.0, label=label, caption=caption))
    assert memory.recall(Query(text='苔のついた蘭')).hits[0].caption == captions['orchid']


@pytest.mark.parametrize(
    ('text', 'is_found'),
    [
        ('恐竜のキーホルダーが付いた青いリュックはどこ', True),
        ('恐竜のキーホルダーが濡れた青いリュックはどこ', False),
        ('where is the backpack that keeps a dinosaur', True),
        ('where is the backpack that eats a dinosaur', False),
    ],
)
@pytest.mark.slow
def test_a_verb_that_only_ties_need_not_be_said(
    memory: SpatialMemory, seen: Callable[..., Observation], text: str, is_found: bool
) -> None:
    caption = 'a blue backpack with a dinosaur key ring'
    memory.observe(seen('thing_0', 0.0, 0.0, label='backpack', caption=caption))
    memory.observe(seen('thing_1', 40.0, 0.0, label='tree', caption='a tall tree'))
    assert (memory.recall(Query(text=text)).target is not None) is is_found


def test_words_of_one_group_are_one() -> None:
    same = {
        'red': 'reddish',
        'blue': 'bluish',
        'red ': '赤い',
        'green': '绿色',
        'wood': '木製',
    }
    for one, other in {**same, 'leaf': 'leaves', 'truck': '卡车', 'fox': 'キツネ'}.items():
        assert concepts_of(one.strip()) == concepts_of(other) != (), (one, other)
    for one, other in {'gold': 'cold', 'black': 'block', 'tiny': 'tin', '木材': '木'}.items():
        assert concepts_of(one) != concepts_of(other), (one, other)
