"""Nobody is led to a thing of which some word was not said, nor to what may be denied."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from hypothesis import settings
import pytest
from remembered_worlds import Things, asked, led_to, memory_of
import yaml

from embodied_nav.observation import Observation
from embodied_nav.query_and_recall_types import Query, RecallOutcome
from embodied_nav.retrieval.other_languages import without_stop_words
from embodied_nav.retrieval.parsed_query import parse_query
from embodied_nav.retrieval.terms_of_text import Term
from embodied_nav.retrieval.unsupported_and_excluded_terms import is_required as required
from embodied_nav.spatial_memory import SpatialMemory
from rover_common.llm.sentence_encoder import sentence_encoder

ASKED = yaml.safe_load(Path(__file__).with_name('qualified_things.yaml').read_text('utf-8'))
PLACES: Things = {
    'base camp': ('place', 5, 0, ''),
    'base camp 2': ('place', 14, 3, ''),
    'north camp': ('place', 23, 6, ''),
    '北基地': ('place', 32, 9, ''),
    'estación norte': ('place', 41, 12, ''),
    'ドック１': ('place', 50, 15, ''),
}


WISHES = {  # of somebody who says what he needs: of a thing that is named, no other will do
    'en': (
        ('I want the {}', 'we need the {}', "I'm at the {}", 'my friend is at the {}'),
        ('hollow rock', 'wet boat', 'striped door', 'burnt tree', 'haunted chair', 'frozen truck'),
    ),
    'ja': (
        ('{}が欲しい', '{}に行きたい', '{}が必要です', '{}を見てみたい'),
        ('空洞の岩', '濡れたボート', '縞模様のドア', '恐竜の椅子', '透明なトラック', '丸い岩'),
    ),
    'zh': (
        ('我想去{}', '我需要{}', '我要去看{}', '哪里能找到{}'),
        ('空心的石头', '湿的船', '条纹的门', '另一个椅子', '透明的卡车', '空心石头'),
    ),
}


@pytest.fixture(scope='module')
def described() -> Iterator[dict[str, SpatialMemory]]:
    made = {language: _memory_of(things) for language, things in ASKED['described'].items()}
    yield made
    for each in made.values():
        each.close()


@pytest.fixture(scope='module')
def places() -> Iterator[SpatialMemory]:
    memory = memory_of(PLACES)
    yield memory
    memory.close()


def _memory_of(things: Mapping[str, tuple[str, str]]) -> SpatialMemory:
    return memory_of(
        {
            name: (label, 9.0 * at, 3.0 * at, caption)
            for at, (name, (label, caption)) in enumerate(things.items())
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize('language', ASKED['invented'])
@pytest.mark.parametrize('captions', ASKED['described'])
def test_no_language_finds_what_nobody_said(
    described: dict[str, SpatialMemory], language: str, captions: str
) -> None:
    """Each is asked of captions in one language; `make steady` asks all of all."""
    texts = ASKED['invented'][language]
    if settings().max_examples <= 15:
        texts = texts[list(described).index(captions) :: len(described)]
    sentence_encoder().embed(texts)  # in one batch
    found = {
        text: recall.reason
        for text in texts
        if (recall := asked(described[captions], text)).target is not None
    }
    assert not found


@pytest.mark.parametrize('language', WISHES)
@pytest.mark.parametrize('captions', ASKED['described'])
@pytest.mark.slow
def test_nobody_is_led_to_another_thing_than_the_wanted_one(
    described: dict[str, SpatialMemory], language: str, captions: str
) -> None:
    sentences, things = WISHES[language]
    found = {
        text: recall.reason
        for text in (sentence.format(thing) for sentence in sentences for thing in things)
        if (recall := asked(described[captions], text)).target is not None
    }
    assert not found


@pytest.mark.slow
@pytest.mark.parametrize('language', ASKED['said'])
def test_each_language_finds_what_was_said(
    described: dict[str, SpatialMemory], language: str
) -> None:
    missed = {}
    for captions, questions in ASKED['said'][language].items():
        for text, name in questions.items():
            recall = asked(described[captions], text)
            if recall.target is None or recall.target.name != name or recall.target.unsupported:
                missed[captions, text] = recall.reason
    assert not missed


@pytest.mark.parametrize(
    'text',
    [
        *('base', 'the north', 'ドック', 'south camp', 'west camp', 'old base camp'),
        'base camp 3',
        *('南基地', '东基地', '北基地2', '旧北基地', '秘密基地', 'ドック２', 'ドック12'),
        *('estación sur', 'estación este', 'estación norte 2', 'antigua estación norte', 'norte'),
    ],
)
def test_a_part_of_a_name_is_no_name(places: SpatialMemory, text: str) -> None:
    assert asked(places, text).target is None


@pytest.mark.parametrize(
    ('text', 'name'),
    [
        *(('base camp', 'base camp'), ('base camp 2', 'base camp 2'), ('Base Camp', 'base camp')),
        *(('north camp', 'north camp'), ('go to the north camp', 'north camp')),
        *(('北基地', '北基地'), ('去北基地', '北基地'), ('ドック1', 'ドック１')),
        *(('estación norte', 'estación norte'), ('estacion norte', 'estación norte')),
        *(
            ('ve a la estación norte', 'estación norte'),
            ('llévame a la estación norte', 'estación norte'),
        ),
    ],
)
def test_a_place_is_found_by_its_name(places: SpatialMemory, text: str, name: str) -> None:
    assert led_to(asked(places, text)) == name


SEEN = {  # label and captions
    'benches': ('bench', 'a wooden bench', 'a bench with a plaque'),
    'red one': ('bench', 'a red bench', 'a wooden bench'),
    'broken one': ('bench', 'a broken bench overgrown with nettles', 'a wooden bench'),
    'bridges': ('bridge', '谷川にかかる揺れるつり橋', 'a flat stone bridge over a ditch'),
    'printers': ('printer', 'a printer that is out of toner', '靠窗的小型黑白打印机'),
    'colours': ('bench', 'a blue bench', 'a bench with a plaque'),
    'materials': ('sledge', 'a long wooden sledge', 'a sledge with a rope'),
    'metals': ('box', 'a metal box', 'a box with a lid'),
    'goals': ('goal', 'a goal with a torn net', 'a goal with a brand new net'),
    'bicycles': ('bicycle', "a child's bicycle with stickers", 'a bicycle with a basket'),
    'buckets': ('bucket', 'a red bucket', 'a blue bucket', 'a white bucket'),
    'machines': ('vending machine', 'a machine out of order', 'a machine for coffee'),
    'sheds': ('shed', '屋根が壊れた小屋', 'a shed full of tools'),
    'propellers': ('propeller', 'a propeller with a broken blade', 'a bronze propeller'),
    'freezers': ('freezer', 'a freezer with ice cream', 'a freezer with peas'),
    'trees': ('tree', 'a tall tree', 'a dead tree without leaves'),
}


@pytest.mark.parametrize(
    ('world', 'text', 'found'),
    [
        ('red one', "the bench that isn't red", 'a wooden bench'),
        ('red one', '赤くないベンチ', 'a wooden bench'),
        ('red one', '不是红色的长椅', 'a wooden bench'),
        ('broken one', 'a bench that is not broken', 'a wooden bench'),
        ('broken one', '壊れていないベンチ', 'a wooden bench'),
        ('trees', 'a tree without leaves', 'a dead tree without leaves'),
        ('colours', 'the bench that is not red', 'a blue bench'),
        ('colours', '赤くないベンチ', 'a blue bench'),
        ('materials', "a sledge that isn't plastic", 'a long wooden sledge'),
        ('goals', "the goal whose net isn't torn", 'a goal with a brand new net'),
        ('bicycles', "not the child's bicycle, the other one", 'a bicycle with a basket'),
        ('buckets', 'the bucket that is neither red nor blue', 'a white bucket'),
        ('buckets', '赤くも青くもないバケツがいい', 'a white bucket'),
        ('machines', '故障していない自動販売機を使いたい', 'a machine for coffee'),
        ('machines', 'a vending machine that is not broken', 'a machine for coffee'),
        ('sheds', '屋根が壊れていない小屋', 'a shed full of tools'),
        ('propellers', 'a propeller with nothing broken', 'a bronze propeller'),
        ('freezers', 'a freezer instead of the ice cream freezer', 'a freezer with peas'),
        ('red one', '除了红色的，还有别的长椅吗', 'a wooden bench'),
        ('red one', '红色的那个不要，另一个长椅在哪', 'a wooden bench'),
        ('red one', '不要红色的，要木头的长椅', 'a wooden bench'),
        ('red one', '赤ではなく、木のベンチ', 'a wooden bench'),
        ('benches', 'not the striped bench, the other one', None),
        ('benches', '除了条纹的，还有别的长椅吗', None),
        ('goals', "the goal whose posts aren't crooked", None),
        ('benches', '脚が曲がっていないベンチ', None),
        ('machines', 'a vending machine with nothing spilt on it', None),
        ('metals', 'a box that is not steel', None),
        ('benches', "a bench that isn't broken", None),
        ('benches', '壊れていないベンチ', None),
        ('bridges', "a bridge that doesn't sway", 'a flat stone bridge over a ditch'),
        ('printers', 'トナーが切れていないプリンター', None),
    ],
)
@pytest.mark.slow
def test_nobody_is_led_to_what_may_be_denied(
    memory: SpatialMemory,
    seen: Callable[..., Observation],
    world: str,
    text: str,
    found: str | None,
) -> None:
    label, *captions = SEEN[world]
    for at, caption in enumerate(captions):
        memory.observe(seen(f'thing_{at}', 40.0 * at, 0.0, label=label, caption=caption))
    recall = memory.recall(Query(text=text))
    if found is None:
        assert recall.outcome is not RecallOutcome.FOUND
        assert recall.target is None
    else:
        assert recall.target is not None, recall.reason
        assert recall.target.caption == found


@pytest.mark.parametrize(
    ('text', 'terms', 'excluded'),
    [
        ('any tractor except the one with the flat tyre', ['tractor'], [['punctured', 'tyre']]),
        ('a kettle that nobody is using', ['kettle'], [['using']]),
        ("the ladder that hasn't been painted", ['ladder'], [['painted']]),
        ("a window which can't be opened", ['window'], [['opened']]),
        ("the oven that's not on", ['oven'], [['on']]),
        ("the dog that isn't on a lead", ['dog'], [['lead']]),
        ('a space that is free, not the one for lorries', ['space', 'free'], [['lorries']]),
        ('a machine which does not take coins', ['machine'], [['coins']]),
        ("the vase that hasn't got any flowers", ['vase'], [['flowers']]),
        ('a barrel that has nothing in it', ['barrel', 'empty'], []),
        ('an ink drum other than the black one', ['ink', 'drum'], [['black']]),
        ("not the kid's bike, the other one", ['bike'], [['kid', 'bike']]),
        ('鍵のかかっていないドア', ['ドア'], [['鍵', 'かかっ']]),
        ('花の入っていない花瓶', ['花瓶'], [['花', '入っ']]),
        ('雨に濡れていないベンチ', ['ベンチ'], [['雨', '濡れ']]),
        ('白でも茶色でもない馬', ['馬'], [['白'], ['茶色']]),
        ('コーヒー以外の飲み物', ['飲み物'], [['コーヒー']]),
        ('不会动的钟', ['钟'], [['动']]),
        ('除了咖啡还有什么喝的', ['喝'], [['咖啡']]),
        ('我不要有洞的水桶', ['水桶'], [['洞']]),
        ('除那辆红色的以外，其他的车在哪', ['车'], [['红色']]),
        ('el perro que no está atado', ['perro'], [['atado']]),
        ('un cubo sin agujeros', ['cubo'], [['agujeros']]),
        ("la chaise qui n'est pas cassée", ['chaise'], [['cassée']]),
        ('das Auto, nicht das rote', ['auto'], [['rote']]),
        ('ein Eimer ohne ein Loch', ['eimer'], [['loch']]),
        ('la porta che non è chiusa', ['porta'], [['chiusa']]),
        ('um balde sem furo', ['balde'], [['furo']]),
        ('een emmer zonder gat', ['emmer'], [['gat']]),
        ('ведро без дыры', ['ведро'], [['дыры']]),
        ('wiadro bez dziury', ['wiadro'], [['dziury']]),
        ('빨갛지 않은 의자', ['의자'], [['빨갛지']]),
        ('구멍이 없는 양동이', ['양동이'], [['구멍']]),
        ('the big sin of omission', ['big', 'sin', 'omission'], []),
    ],
)
def test_what_a_question_denies_is_not_asked_for(
    text: str, terms: list[str], excluded: list[list[str]]
) -> None:
    query = without_stop_words(parse_query(text))
    assert [term.text for term in query.terms] == terms
    assert [[term.text for term in group] for group in query.excluded] == excluded


@pytest.mark.parametrize(
    ('text', 'term'),
    [
        ('找一个放大镜', '放大镜'),
        ('走廊尽头的灯', '走廊'),
        ('拿铁咖啡机', '拿铁咖啡机'),
        ('离合器', '离合器'),
    ],
)
def test_no_verb_is_cut_from_a_name(text: str, term: str) -> None:
    assert ''.join(each.text for each in parse_query(text).terms).startswith(term)


@pytest.mark.parametrize(
    ('question', 'word', 'is_required'),
    [
        ('the green rock', 'green', True),
        ('I want to go to the green rock', 'green', True),  # whoever asks is not green
        ('3 つの岩', '3', True),
        ('my hands are dirty', 'dirty', False),  # what is asked for is not
        ('we are dirty, where could we wash', 'dirty', False),
        ('the boulder', 'boulder', False),
    ],
)
def test_what_must_be_said_of_an_answer(question: str, word: str, is_required: bool) -> None:
    assert required(Term(word), parse_query(question)) is is_required
