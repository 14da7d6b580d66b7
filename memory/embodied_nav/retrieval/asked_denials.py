"""What a question denies, in the words in which `wording` reads a denial. Pure.

"Not the red mug, the other one" is the mug other than the red mug, and
木头的那个不要，另一条船 is 不是木头的，船.
"""

from __future__ import annotations

import re

_DENIES = re.compile(
    r"\b(?:not|except|other than|apart from|instead of|isn't|aren't|without)\b"
    '|[除]|以外|之外|不是|不要|ではない|でない|じゃない|ではなく|じゃなく'
)
_THE_OTHER = re.compile(
    r',?\s*\b(?:but )?(?:the|an) ?other(?: ones?)?(?=[?.!]*$)'
    '|还有(?=别的|其[他它])|别的|其[他它]的?|另(?:外)?(?:的|[一那][个只辆张台条棵把艘块根件座])?'
    '|(?:別|他|ほか)の|もう[一1](?:つ|個|人|台|本|方)の'
)
_NOT_THIS = re.compile(
    r'^(?:no,? )?not (?:the |that |this |an? )?(?P<this>[\w\' -]*?(?P<head>[\w-]+)), '
    r'(?:but )?(?:the|an) ?other(?: one)?\b(?P<rest>[^,]*)$'
)
_READ_AS = (
    (re.compile(r'\bwith nothing\b'), 'without'),
    (re.compile(r'\binstead of\b'), 'other than'),
    (re.compile('^(?P<what>[^，,。]+?)的?(?:[那这][个只辆张台条棵把艘块根件座]?)?不要[，,]'),
     r'不是\g<what>的，'),
    (re.compile('(?P<one>[^、。]+?)(?:く|で)も(?P<two>[^、。]+?)(?:く|で)もない'),
     r'\g<one>ではない、\g<two>ではない、'),
    (re.compile('(?:では|じゃ)なく(?:て)?[、]?'), 'ではない、'),
)  # fmt: skip


def with_plain_denials(text: str) -> str:
    """Return a question with what it denies said in one way, and without "the other one"."""
    if both := _NOT_THIS.match(text):
        text = f'the {both["head"]}{both["rest"]} other than the {both["this"]}'
    for pattern, instead in _READ_AS:
        text = pattern.sub(instead, text)
    return _THE_OTHER.sub(' ', text) if _DENIES.search(text) else text
