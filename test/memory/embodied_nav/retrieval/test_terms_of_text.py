"""The words of captions and questions in three languages, and what they deny."""

from __future__ import annotations

import pytest

from embodied_nav.retrieval.other_languages import without_stop_words
from embodied_nav.retrieval.parsed_query import parse_query
from embodied_nav.retrieval.synonyms_and_dictionary import concepts_of, split_compound
from embodied_nav.retrieval.terms_of_text import terms_of


@pytest.mark.parametrize(
    ('text', 'terms', 'negated'),
    [
        ('Where did you see the layered rocks?', ['layered', 'rocks'], []),
        ('an old pear tree without leaves', ['old', 'pear', 'tree'], ['leaves']),
        ("a barrel that isn't rusty", ['barrel'], ['rusty']),
        ('the container other than the orange container', ['container'], ['orange', 'container']),
        ('the rock that is not layered and red', ['rock', 'red'], ['layered']),
        ('赤い消火器はどこにありますか', ['赤い', '消火器'], []),
        ('錆びていないドラム缶', ['ドラム缶'], ['錆び']),
        ('大きな岩以外の岩', ['岩'], ['大き', '岩']),
        ('昨日見た黄色いトラックまで行って', ['昨日', '黄色い', 'トラック'], []),
        ('你在哪里看到了黄色的卡车', ['黄色', '卡车'], []),
        ('不是橙色的集装箱', ['集装箱'], ['橙色']),
        ('除了蓝色的以外的箱子', ['箱子'], ['蓝色']),
        ('红色木长椅', ['红色', '木', '长椅'], []),
        ('有鱼的池塘', ['有鱼', '池塘'], []),
        ('where am I', ['am'], []),
        ('shelf A', ['shelf', 'a'], []),
        ('a shelf within 5 m', ['shelf', '5', 'm'], []),
        ('the rock larger than a car', ['rock', 'larger than', 'car'], []),
        ('go to the other rock', ['other', 'rock'], []),
        ('a rock other than Bishop', ['rock'], ['bishop']),
        ('a car that is neither red nor blue', ['car'], ['red', 'blue']),
        ('a vehicle that is not red, blue or a bus', ['vehicle'], ['red', 'blue', 'bus']),
        ('the check-in desk', ['checkin', 'desk'], []),
        ('你在哪里看到过山羊', ['山羊'], []),
        ('着陆器在哪儿', ['着陆器'], []),
        ('有没有大象', ['大象'], []),
        ('太阳能电池板在哪里', ['太阳能电池板'], []),
        ('风车以外的机器', ['机器'], ['风车']),
        ('a bed without green sheets', ['bed'], ['green', 'sheets']),
        ('a cup that has no broken handle', ['cup'], ['broken', 'handle']),
        ('a tree without leaves', ['tree'], ['leaves']),
        ('a sword not made of steel', ['sword'], ['steel']),
        ('去那棵橡树', ['橡树'], []),
        ('这张桌子在哪里', ['桌子'], []),
        ('誰かの傘', ['傘'], []),
    ],
)
def test_the_terms_of_a_text(text: str, terms: list[str], negated: list[str]) -> None:
    found = terms_of(text)
    assert [term.text for term in found if not term.negated] == terms
    assert [term.text for term in found if term.negated] == negated


def test_a_verb_that_else_frames_a_question_may_be_the_purpose() -> None:
    assert [term.text for term in parse_query('something to sit on').terms] == ['sit']
    assert [term.text for term in parse_query('where does the rock sit').terms] == ['rock']


def test_each_language_has_a_word_for_the_same_thing() -> None:
    for same in (('truck', 'トラック', '卡车'), ('red', '赤い', '红色'), ('two', '二つ', '两个')):
        assert len({concepts_of(each) for each in same}) == 1
        assert concepts_of(same[0])
    assert concepts_of('移动起重机') == concepts_of('crane')
    assert split_compound('木长椅') == ('木', '长椅')
    assert split_compound('红绿灯') == split_compound('小屋') == ('', '')


@pytest.mark.parametrize(
    ('text', 'terms'),
    [
        ('¿dónde puedo encontrar el arroz?', ['arroz']),
        ('où puis-je trouver du pain', ['pain']),
        ("où est-ce qu'on vend les billets", ['billets']),
        ('wo kann ich die Laterne finden', ['laterne']),
        ('dove posso trovare il pane', ['pane']),
        ('onde posso encontrar o pão', ['pão']),
        ('waar kan ik brood vinden', ['brood']),
        ('где можно найти хлеб', ['хлеб']),
        ('gdzie mogę znaleźć chleb', ['chleb']),
        ('head over to the muddy jeep', ['muddy', 'jeep']),
        ('the shower head over the tub', ['shower', 'head', 'tub']),
        ('let me see the statue', ['statue']),
        ('is there a bench anywhere?', ['bench']),
        ('the lift with the out-of-order sign', ['lift', 'broken', 'sign']),
        ('梯子はどこにしまってある？', ['梯子']),
        ('蛇口まで案内してもらえますか', ['蛇口']),
        ('能不能带我去水井那边', ['水井']),
        ('有没有梯子可以借', ['梯子']),
        ('der gerade Baum', ['gerade', 'baum']),  # the straight tree
        ('man with hat', ['man', 'hat']),
        ('la grande puerta izquierda', ['grande', 'puerta', 'izquierda']),
    ],
)
def test_what_only_frames_a_question_is_left_out(text: str, terms: list[str]) -> None:
    query = without_stop_words(parse_query(text))
    assert [term.text for term in query.terms] == terms
    assert not query.excluded


@pytest.mark.parametrize(
    ('text', 'accepts_any'),
    [
        ('where could I sit', True),
        ('is there one of the red rocks', True),
        ('which rock has a flat top', False),
        ('rock with a flat top', False),
        ('shelf A', False),
    ],
)
def test_an_article_of_something_else_says_nothing_of_the_thing(
    text: str, accepts_any: bool
) -> None:
    assert parse_query(text).accepts_any is accepts_any


@pytest.mark.parametrize(
    ('text', 'terms'),
    [
        ('where did we leave the axe?', ['axe']),
        ('Where do the cooks keep the big pot?', ['big', 'pot']),
        ("where's the boat moored?", ['boat']),
        ('where was the ladder left', ['ladder']),
        ('where is the left glove?', ['left', 'glove']),
        ('where is the door on the left?', ['door', 'left']),
        ("where's the door to the left", ['door', 'left']),
        ('where is the parked car?', ['parked', 'car']),
    ],
)
def test_where_a_thing_is_kept_does_not_say_which_one(text: str, terms: list[str]) -> None:
    assert [term.text for term in parse_query(text, may_imply=False).terms] == terms


@pytest.mark.parametrize('text', ['アルミのはしごはどこ？', 'はしごはアルミ', 'アルミとはしご'])
def test_a_known_thing_in_hiragana_is_not_cut(text: str) -> None:
    assert {term.text for term in parse_query(text).terms} == {'アルミ', 'はしご'}
