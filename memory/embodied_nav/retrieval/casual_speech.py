"""Rewrites what people say or type in a hurry into the sentences that the parsers know. Pure.

"Got any spare tyres?" asks whether there are some, and ワゴンどこ is ワゴンはどこ without a
particle: the cutter of Japanese phrases, which learned from newspapers, takes it for one word.
"""

from __future__ import annotations

from collections.abc import Iterable
import re

from embodied_nav.retrieval.japanese_and_chinese_terms import is_japanese


def _rules(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(pattern, re.IGNORECASE), written) for pattern, written in pairs)


_ENGLISH = _rules(
    (
        (r"\b(where|what|how|who)'d\b", r'\1 did'),
        (r"\b(where|what|how|who)'ve\b", r'\1 have'),
        (r'\bgotta\b', 'have to'),
        (r'\bgonna\b', 'going to'),
        (r'\bwanna\b', 'want to'),
        (r'\bgimme\b', 'give me'),
        (r'\blemme\b', 'let me'),
        (r"\bain't\b", 'is not'),
        (r"(?<=\w )'em\b", 'them'),
        (r"(?<=\w)('[sm]|'re| is| are| was| were| feels?) a (?:wee |little )?bit(?= \w)", r'\1'),
        (r' (?:kinda|sorta)\b', ''),
        (r'^(?:(?:so|hey|oi|okay|ok|well|um+), )+', ''),  # "well by the barn" is a thing
        (r'^(?:(?:have|has) (?:we|you|they|any(?:body|one)) )?got (?:any|some|an?)\b',
         'is there any'),
        (r"^(?:(?:i|we)(?:'d| would)? |anyone )?fancy (?=(?:an?|some|\w+ing)\b)", 'i want '),
        (r'\bwhere (?:did|has) ((?:the|our|my|that) .+?)'
         r' (?:land|go|gone|got|get|end up|ended up|wander off|disappear(?:ed)?)(?: to)?(?=\W*$)',
         r'where is \1'),
    )
)  # fmt: skip
_END = '(?=[？?。!！、]*$)'
_BARE = r'(?<=[^\sはがをにへでのもと、，])'  # behind a word without a particle
_WHERE = (
    'どこ(?:だっけ|だった|だろ|だ|です|に?ある|に?いる|やった|行った|いった'
    '|に?(?:置いた|おいた|しまった|[停止と]めた|[停止]まってる|捨てる))?(?:の|っけ|か|かな|よ|ね)?'
)
_SHOW = (
    '(?:見せ|みせ|探し|さがし|教え|おしえ|連れてっ|連れて行っ|案内し|持ってき)て'
    '(?:くれ|ください|よ|ね)?'
)
_GO = '(?:行って|いって)'
_JAPANESE = _rules(
    (
        ('んとこ(?!ろ)', 'のところ'),
        (rf'とこ(?=(?:まで|[にへはを])?(?:{_WHERE}|{_SHOW}|{_GO}){_END})', 'ところ'),
        (rf'のところ(?=(?:まで|[にへ])?{_GO}{_END})', ''),
        (rf'{_BARE}(?={_WHERE}{_END})', 'は'),
        (rf'{_BARE}(?={_SHOW}{_END})', 'を'),
        (rf'{_BARE}(?<![銀旅飛発進歩実急流通運走持連てで])(?={_GO}{_END})', 'に'),
        (
            r'(?:^|(?<=[、。\s]))([^はがも、。\s]*[^はがをにへでのもと、。\s])(?<!いくつ)'
            rf'(?=(?:ある|あるの|あるかな|あります|ありますか){_END})',
            r'\1は',
        ),
        (f'(?:んだけど|のだけど|んですけど|のですが|んだが|んだよね?|んだ){_END}', ''),
        ('(?<=[ァ-ヺー砂石土薪箱])の山(?=[はをにへがまど]|$)', 'の山積み'),
    )
)
_CHINESE = _rules(
    (
        (f'(?:都|该|要|得)?往哪(?:儿|里|边)?(?:扔|放|搁|倒|丢|送)[啊呢了]?{_END}', '在哪里'),
        (
            f'[放搁停摆丢扔收存挂跑藏推骑开]?(?:在|到)?哪(?:儿|里|边)?去?[了啊呢的]{_END}',
            '在哪里',
        ),
        ('地儿(?=[在呢吗？?]|$)', '地方'),
    )
)


def written_form(text: str) -> str:
    """Return a question as it would be written; one without casual words stays as it is."""
    for pattern, written in _JAPANESE if is_japanese(text) else (*_ENGLISH, *_CHINESE):
        text = pattern.sub(written, text)
    return text
