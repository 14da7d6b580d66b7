"""Number words up to 99 of languages that text_to_num does not support."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
import re

# Numbers from one on (forms of one number separated by a slash), the tens, the first ten, and
# the start of a unit.
_LANGUAGES = (
    (
        'jeden/jedną/jedna dwa/dwie trzy cztery pięć sześć siedem osiem dziewięć dziesięć '
        'jedenaście dwanaście trzynaście czternaście piętnaście szesnaście siedemnaście '
        'osiemnaście dziewiętnaście',
        'dwadzieścia trzydzieści czterdzieści pięćdziesiąt sześćdziesiąt',
        20,
        r'\s(?:sekund|minut|metr|godzin|stopni)',
    ),
    (
        'один/одну/одна два/две три четыре пять шесть семь восемь девять десять одиннадцать '
        'двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать '
        'девятнадцать',
        'двадцать тридцать сорок пятьдесят шестьдесят',
        20,
        r'\s(?:сек|мин|метр|час|градус)',
    ),
    (
        'bir iki üç dört beş altı yedi sekiz dokuz',
        'on yirmi otuz kırk elli altmış',
        10,
        r'\s(?:saniye|dakika|metre|saat|derece)',
    ),
    (
        '한 두 세 네 다섯 여섯 일곱 여덟 아홉',
        '열 스물/스무 서른 마흔 쉰',
        10,
        r'\s?(?:초|분|시간)(?![가-힣]{3})',
    ),
)


def _numbers(words: str, first: int, step: int) -> Iterator[tuple[str, int]]:
    for at, forms in enumerate(words.split()):
        for word in forms.split('/'):
            yield word, first + at * step


def _pattern(ones: Iterable[str], tens: Iterable[str], unit: str) -> re.Pattern[str]:
    one = '|'.join(sorted(ones, key=len, reverse=True))
    ten = '|'.join(tens)
    return re.compile(
        rf'(?<!\w)(?:(?P<ten>{ten})(?:\s?(?P<more>{one}))?|(?P<one>{one}))(?={unit})'
    )


_VALUES = [
    {**dict(_numbers(ones, 1, 1)), **dict(_numbers(tens, ten, 10))}
    for ones, tens, ten, _ in _LANGUAGES
]
_PATTERNS = [
    _pattern(dict(_numbers(ones, 1, 1)), dict(_numbers(tens, ten, 10)), unit)
    for ones, tens, ten, unit in _LANGUAGES
]


def other_numbers_in_digits(text: str) -> str:
    """Replace number words before a unit by digits, in Polish, Russian, Turkish and Korean."""
    for values, pattern in zip(_VALUES, _PATTERNS, strict=True):
        text = pattern.sub(partial(_digits, values), text)
    return text


def _digits(values: dict[str, int], found: re.Match[str]) -> str:
    return str(sum(values[each] for each in found.groups() if each))
