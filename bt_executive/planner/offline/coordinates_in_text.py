"""Coordinates and headings in words, as “x 2 y -3”; all numbers of a text in digits."""

from __future__ import annotations

from functools import cache
import re

from bt_executive.planner.offline.number_and_unit_words import (
    HAN,
    RUSSIAN_NUMBERS,
    han_number,
    in_digits,
    one_of,
    small_number,
    unit_words,
)

# “1,2 Radiant”, “a 2,5 y 8 metros”: not in brackets, where it separates x and y.
_DECIMAL_COMMA = (
    r'(?<![\d.,(])(\d+),(\d{1,2})(?=\s?(?:%s)(?!\w)|\s+(?:y|et|und|e|en|и)(?: y)?\s*=?\s*-?\d)'
)
_MINUS = re.compile(
    r'(?:\b(?:minus|negative|moins|menos|meno)\s*|マイナス|마이너스 ?|负\s?)(?=\d)'
)
_MINUS_WORD = re.compile(r'\b((?:minus|negative|moins|menos|meno) )([a-zà-ÿ]{2,8})\b')
_SPOKEN_POINT = re.compile(
    r'\b([a-zà-ÿ]{2,8}|\d+) (?:komma|coma|virgule|virgola|vírgula) ([a-zà-ÿ]{2,8}|\d+)\b'
)
_KEYED = re.compile(
    r'\b((?:[xy]|heading)(?: is| equals| of| =)? )([a-z]{3,6})\b(?! (?:point|comma|vez|volta)\b)'
)
_RUSSIAN_WORD = '|'.join(RUSSIAN_NUMBERS)
_KEYED_CYRILLIC = re.compile(
    rf'\b([xy] )(минус )?((?:{_RUSSIAN_WORD})(?: (?:{_RUSSIAN_WORD}))?)\b'
    rf'(?! (?:{_RUSSIAN_WORD}|цел|запят))'
)
_PLACE_IN_WORDS = re.compile(  # “coordinates 3 and -5”
    r'\b([ck]oord\w+|коорд\w+|posi[tcz]i\w+)(:? \(?)(-?[\d.]+)'
    r' (?:and|und|et|y|e|en|и|/) (-?\d+(?:\.\d+)?)\b'
    r'(?= (?:and|then|und|dann|et|puis|y|luego)\b|\s*(?:$|[^\w\s%°]))'
)
_KEYED_HAN = re.compile(rf'(?<![a-z])([xy]\s?(?:等于|是|为|=)?\s?)(负?)({HAN})(?:点({HAN}))?')
_IS = r'\s*(?:(?:[はがを是为在=:]|等于|is|at)\s*)?'
_COORDINATE = r' ?(?:座標|坐标)|[- ][ck]oord[a-z]*\b'
_AXES = (
    (
        key,
        rf'(?<![ァ-ヿ]){kana}|{han}(?:坐标|座標)|(?<!\w){russian}(?!\w)'
        rf'|(?<![a-z0-9_/])(?<!x[,、 ]){key}(?:{_COORDINATE})',
    )
    for key, kana, han, russian in (('x', 'エックス', '横', 'икс'), ('y', 'ワイ', '纵', 'игрек'))
)
# A number in digits, in Han characters, or in Russian words.
_VALUE = rf'(?=[ −-]*\d|(?:负|マイナス)?{HAN}(?![直样侧边起些下])|(?:минус )?[а-яё])'
_KEYS = (  # in other languages
    *((f'{key} ', re.compile(rf'(?:{words}){_IS}{_VALUE}')) for key, words in _AXES),
    (
        'heading ',
        re.compile(
            r'(?:\bfacing |\b(?:a )?(?:final )?heading of |[朝航]向\s?|向きは?\s?)'
            r'(?=-?\d+(?:\.\d+)?(?! ?(?:\d|°|deg|rad|度|ラジ|弧)))'
        ),
    ),
)


def numbers_in_digits(text: str) -> str:
    """Return a normalized text with its numbers in digits, with a minus sign and a point."""
    text = _PLACE_IN_WORDS.sub(r'\1\2x \3 y \4', in_digits(_keyed_in_digits(text)))
    return _decimal_comma().sub(r'\1.\2', _MINUS.sub('-', text))


def _keyed_in_digits(text: str) -> str:
    """Replace number words after x and y by digits: “x two, y three”."""
    for key, words in _KEYS:
        text = words.sub(key, text)
    text = _KEYED.sub(lambda match: f'{match[1]}{small_number(match[2])}', text)
    text = _KEYED_CYRILLIC.sub(_keyed_cyrillic, text)
    text = _MINUS_WORD.sub(lambda match: f'{match[1]}{small_number(match[2])}', text)
    text = _SPOKEN_POINT.sub(_with_point, text)
    return _KEYED_HAN.sub(_keyed_han, text)


def _keyed_cyrillic(match: re.Match[str]) -> str:
    """Return a Russian number after x or y in digits."""
    key, minus, words = match.groups()
    value = sum(RUSSIAN_NUMBERS[each] for each in words.split())
    return f'{key}{"-" if minus else ""}{value}'


def _keyed_han(match: re.Match[str]) -> str:
    """Return a number in Han characters after x or y in digits."""
    key, minus, whole, tenths = match.groups()
    fraction = f'.{han_number(tenths)} ' if tenths else ''
    return f'{key}{"-" if minus else ""}{han_number(whole)}{fraction}'


def _with_point(match: re.Match[str]) -> str:
    """Return two numbers as one decimal; other words unchanged."""
    both = [each if each.isdigit() else small_number(each) for each in match.groups()]
    return '.'.join(both) if all(map(str.isdigit, both)) else match[0]


@cache
def _decimal_comma() -> re.Pattern[str]:
    return re.compile(_DECIMAL_COMMA % one_of(unit_words()))
