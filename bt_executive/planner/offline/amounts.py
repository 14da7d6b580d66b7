"""Numbers with units in a text of any of the encoder's languages, as values in base units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
import math
import re
import unicodedata

from bt_executive.planner.offline.languages import LANGUAGES

# Unit of CLDR → the unit of arguments, and how much of it.
_UNITS = {
    'duration-second': ('s', 1.0),
    'duration-minute': ('s', 60.0),
    'duration-hour': ('s', 3600.0),
    'duration-millisecond': ('s', 0.001),
    'length-meter': ('m', 1.0),
    'length-centimeter': ('m', 0.01),
    'length-millimeter': ('m', 0.001),
    'length-kilometer': ('m', 1000.0),
    'length-foot': ('m', 0.3048),
    'length-inch': ('m', 0.0254),
    'angle-degree': ('deg', 1.0),
    'angle-radian': ('rad', 1.0),
}
_FURTHER = {  # that CLDR has not
    **dict.fromkeys(('sec', 'secs'), ('s', 1.0)),
    **dict.fromkeys(('mins', '分间', '分間'), ('s', 60.0)),
    '秒間': ('s', 1.0),
    **dict.fromkeys(('metre', 'metres'), ('m', 1.0)),
    **dict.fromkeys(('centimetre', 'centimetres', 'センチ', '公分'), ('m', 0.01)),
    **dict.fromkeys(('kilometre', 'kilometres', 'キロ'), ('m', 1000.0)),
    '公尺': ('m', 1.0),
}
_DIGITS = dict(
    zip('〇零一二两兩三四五六七八九', (0, 0, 1, 2, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True)
)
_PLACES = {'十': 10, '百': 100, '千': 1000}
_HAN = f'[{"".join([*_DIGITS, *_PLACES])}]+'
_SPELT = ('en', 'de', 'fr', 'es', 'it', 'nl', 'pt')  # whose number words a library reads
_HALF = re.compile(r'\bhalf an? (?=\w)')
_HALF_ELSEWHERE = re.compile(
    r'\b(?:(?:eine?|une?|uma?|een|o) )?(?:halbe[nrs]?|demi[es]?|medi[oa]|mezz[oa]|mei[oa]|halve'
    r'|pół|пол)(?:[- ]|(?<=пол)|(?<=pół))(?=\w)'
)
_QUARTER = re.compile(r'\b(?:a )?quarter of an? (?=\w)')
_AND_A_HALF = re.compile(r'\b(\w+) and a half\b')
# Of times and not of an angle: once more, twice. In Chinese, which has no kana, 度 is an angle.
_TIMES = re.compile(r'(?<=もう)\s*[一1]度|(?<![〇-九十百千\d.])[一二三]度')
_ONE_OF = re.compile(r'(?<![\d.])1\s*(?=[枚張张幅回次])(?!回目|次目)')  # what a wish means anyway
_KANA = re.compile('[ぁ-ヿ]')
_WORD_BEFORE_UNIT = r'(?<![\w-])([a-zà-ÿ]{2,12})(?=[ -](?:%s)(?!\w))'
_ONE = frozenset(('ein', 'eine', 'einen', 'un', 'une', 'una', 'um', 'uma', 'uno', 'een', 'één'))
# Words that are a number in another language only: eleven in Spanish, sixteen in French.
_SHIELD = '\ue001'
_NO_NUMBER = re.compile(r'\b(onc|seiz|el|cen)(e|f|t)\b')
_NUMBER = r'(?:(?<!\w)[-+]\s?)?(?:\d+(?:\.\d+)?|(?<![\d.])\.\d+)'


@dataclass(frozen=True)
class Amount:
    """A number as it was said. `unit` is s, m, deg, rad or nothing.

    `key` is the argument that it was said to be for.
    """

    said: str
    value: float
    unit: str = ''
    key: str = ''


def plain(text: str) -> str:
    """Return a text in small and narrow letters and digits; raised and circled digits stay."""
    runs = groupby(text, key=lambda character: unicodedata.category(character) == 'No')
    texts = ((raised, ''.join(run)) for raised, run in runs)
    narrow = ''.join(t if raised else unicodedata.normalize('NFKC', t) for raised, t in texts)
    return narrow.lower().replace('’', "'").replace('−', '-')


def extract_amounts(
    text: str, keys: frozenset[str], mark: str = ' '
) -> tuple[str, tuple[Amount, ...]]:
    """Return a plain text with a mark for each of its amounts, and these in their order.

    Args:
        text: As `plain` gives it.
        keys: Names of arguments: a number that follows one is meant for it.
        mark: What stands for an amount; for a place in brackets it stands twice.
    """
    text = _in_digits(text)
    found: list[Amount] = []
    rest, at = [], 0
    for match in _pattern(keys).finditer(text):
        amounts = list(_amounts(match))
        found += amounts
        word = amounts[0].key if len(amounts[0].key) > 2 else ''
        rest += [text[at : match.start()], f' {word} {mark * len(amounts)} ']
        at = match.end()
    return ' '.join(''.join([*rest, text[at:]]).split()), tuple(found)


def _amounts(match: re.Match[str]) -> Iterator[Amount]:
    for first, second in (('first', 'second'), ('third', 'fourth')):
        if match[first] is None:
            continue
        for key, group in (('x', first), ('y', second)):
            yield Amount(match[0].strip(), _value(match[group]), 'm', key)
        return
    unit, factor = _words().get(match['unit'] or '', ('', 1.0))
    yield Amount(match[0].strip(), _value(match['number']) * factor, unit, match['key'] or '')


def _value(number: str) -> float:
    return float(''.join(number.split()))


@cache
def _pattern(keys: frozenset[str]) -> re.Pattern[str]:
    units = '|'.join(re.escape(each) for each in sorted(_words(), key=len, reverse=True))
    names = '|'.join(re.escape(each) for each in sorted(keys, key=len, reverse=True)) or '(?!)'
    return re.compile(
        rf'\(\s*(?P<first>{_NUMBER})\s*m?\s*[,、]\s*(?P<second>{_NUMBER})\s*m?\s*\)'
        rf'|(?<![\w.])(?P<third>{_NUMBER})[,、]\s*(?P<fourth>{_NUMBER})(?![\w.]|\s*(?:{units}))'
        rf'|(?:(?<![\w-])(?P<key>{names})\s*[=:]?\s*)?(?<![a-z_.])(?P<number>{_NUMBER})'
        rf'(?:\s*-?(?P<unit>{units})(?![a-zà-ÿа-я0-9/]))?',
        re.IGNORECASE,
    )


@cache
def _words() -> dict[str, tuple[str, float]]:
    """Return every word for a unit in the encoder's languages."""
    from babel.units import format_unit

    found: dict[str, tuple[str, float]] = {}
    for locale in LANGUAGES:
        for unit, meaning in _UNITS.items():
            for length in ('long', 'short', 'narrow'):
                for number in (1, 2, 5):
                    said = format_unit(number, unit, length, locale=locale)
                    word = re.sub(r'[\d\s\u0660-\u0669]+', ' ', said).strip().lower()
                    found.setdefault(plain(word).rstrip('.'), meaning)
    found.pop('', None)
    found.pop('"', None)
    found |= _FURTHER
    return found | {'m': ('m', 1.0), 's': ('s', 1.0), '分': ('s', 60.0)}


def _in_digits(text: str) -> str:
    """Write number words in digits."""
    from text_to_num import alpha2digit

    if _KANA.search(text):
        text = _TIMES.sub(lambda match: match[0].strip().replace('1', '一')[:-1] + '回', text)
    text = _ONE_OF.sub('一', text)
    text = _HALF_ELSEWHERE.sub('0.5 ', _HALF.sub('0.5 ', _QUARTER.sub('0.25 ', text)))
    text = _AND_A_HALF.sub(lambda match: f'{alpha2digit(match[1], "en", threshold=0)}.5', text)
    text = re.sub(rf'{_HAN}(?=半?(?:{_counted()}))', lambda match: _han(match[0]), text)
    text = re.sub(rf'(\d+)({_counted()})半', r'\1.5\2', text)
    text = re.sub(rf'(\d+)半(?={_counted()})', r'\1.5', text)
    text = re.sub(rf'半(?={_counted()})', '0.5', text)
    if text.isascii() and not re.search('[a-z]', text):
        return text
    if not re.search('[a-zà-ÿ]{3}', text):
        return text
    for language in _SPELT:
        written = _NO_NUMBER.sub(rf'\1{_SHIELD}\2', text) if language != 'en' else text
        written = str(alpha2digit(written, language)).replace(_SHIELD, '')
        if written != text and re.search(r'\d', written):
            text = written.lower()
            break
    return _before_unit().sub(lambda match: _small(match[1]), text)


@cache
def _before_unit() -> re.Pattern[str]:
    units = (re.escape(each) for each in _words() if re.fullmatch('[a-zà-ÿ]{3,}', each))
    return re.compile(_WORD_BEFORE_UNIT % '|'.join(units))


def _small(word: str) -> str:
    """Return a number word before a unit in digits, “two” or “eine”; the library leaves these."""
    from text_to_num import alpha2digit

    if word in _ONE:
        return '1'
    written = (str(alpha2digit(word, each, threshold=0)) for each in _SPELT)
    return next((each for each in written if each.isdigit()), word)


@cache
def _counted() -> str:
    """Return the units that follow a number without a blank, as alternatives."""
    return '|'.join(
        sorted((word for word in _words() if re.match('[぀-ヿ一-鿿]', word)), key=len, reverse=True)
    )


def _han(number: str) -> str:
    """Return a number in Han characters in digits; what is none, as it is."""
    total, digit = 0, None
    for character in number:
        if character in _DIGITS:
            digit = (digit or 0) * 10 + _DIGITS[character]
        else:
            total += (1 if digit is None else digit) * _PLACES[character]
            digit = None
    return str(total + (digit or 0)) if math.isfinite(total) else number
