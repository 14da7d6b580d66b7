"""What is said in a hurry is asked as it would be written, and what is written stays."""

from __future__ import annotations

import pytest

from embodied_nav.retrieval.casual_speech import written_form


@pytest.mark.parametrize(
    ('spoken', 'written'),
    [
        ("where'd the drone land?", 'where is the drone?'),
        ('have we got any spare tyres?', 'is there any spare tyres?'),
        ('so, where is the red door?', 'where is the red door?'),
        ('I gotta sit down', 'I have to sit down'),
        ('the tyres are a bit soft', 'the tyres are soft'),
        ('the one that is kinda dark', 'the one that is dark'),
        ('ワゴンどこ？', 'ワゴンはどこ？'),
        ('ねこ車どこ置いた？', 'ねこ車はどこ置いた？'),
        ('寝るとこどこ', '寝るところはどこ'),
        ('赤い岩んとこ行って', '赤い岩に行って'),
        ('ヘルメットの棚見せて', 'ヘルメットの棚を見せて'),
        ('雨が降ってきた、傘ある？', '雨が降ってきた、傘はある？'),
        ('シーツ外に干したいんだけど', 'シーツ外に干したい'),
        ('古タイヤの山を見せて', '古タイヤの山積みを見せて'),
        ('空酒瓶往哪儿扔？', '空酒瓶在哪里？'),
        ('工具车推哪儿去了', '工具车在哪里'),
    ],
)
def test_what_is_spoken_is_read_as_it_is_written(spoken: str, written: str) -> None:
    assert written_form(spoken) == written


@pytest.mark.parametrize(
    'text',
    [
        'where did you see the socket?',
        'go to the oil drum',
        'well by the barn',
        'so far north',
        'okay button',
        'find a bit for the drill',
        'where is a bit',
        'show me a good place to sit',
        'ワゴンはどこ？',
        'ベンチまで行って',
        '銀行って何？',
        '岩はいくつありますか',
        '公園がある',
        '富士の山はどこ',
        '雪の山はどこ',
        '灭火器在哪里？',
        '那座石桥在哪里',
        '哪里有水？',
    ],
)
def test_what_is_written_stays_as_it_is(text: str) -> None:
    assert written_form(text) == text
