"""A thing of which some word of the question was not said is offered, never driven to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from remembered_worlds import Things, asked, memory_of
import yaml

from embodied_nav.spatial_memory import SpatialMemory

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
    found = {
        text: recall.reason
        for text in ASKED['invented'][language]
        if (recall := asked(described[captions], text)).target is not None
    }
    assert not found


@pytest.mark.parametrize('language', WISHES)
@pytest.mark.parametrize('captions', ASKED['described'])
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
        *(
            'base',
            'the north',
            'ドック',
            'south camp',
            'west camp',
            'old base camp',
            'base camp 3',
        ),
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
    target = asked(places, text).target
    assert target is not None
    assert target.name == name
