"""Words for numbers and units in the encoder's languages, in digits and base units."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache, partial
import math
import re

from bt_executive.planner.offline.text_normalization import normalize

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
RUSSIAN_NUMBERS = _VALUES[1]
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


LANGUAGES = (
    *('en', 'ja', 'zh', 'zh_Hant', 'de', 'fr', 'es', 'it', 'ko', 'nl', 'pl', 'pt', 'ru', 'th'),
    *('tr', 'ar'),
)


# Unit of CLDR → the unit of arguments, and the factor.
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
_FURTHER = {  # missing in CLDR
    **dict.fromkeys(('radiana', 'radiany', 'radianów', 'радиан', 'радиана'), ('rad', 1.0)),
    **dict.fromkeys(('sekundę', 'секунду', 'секундочку'), ('s', 1.0)),
    **dict.fromkeys(('minutę', 'минуту', 'минутку'), ('s', 60.0)),
    **dict.fromkeys(('sec', 'secs', 'seg', 'segs', 'segunditos', 'segundinhos'), ('s', 1.0)),
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
HAN_DIGIT = f'[{"".join([*_DIGITS, *_PLACES])}]'
HAN = f'{HAN_DIGIT}+'
_SPELT = ('en', 'de', 'fr', 'es', 'it', 'nl', 'pt')  # which text_to_num reads
_ABOUT_IN_SPANISH = re.compile(
    r'\b(?:unos|unas|uns|umas) (?=\w+ (?:segundos?|minutos?|metros?)\b)'
)
# “Every minute”, “every half minute”, 每分钟; 15秒間隔で.
_EVERY = re.compile(
    r'\b(every|each|jede|chaque|cada|ogni|toutes les|alle|tous les|todos los|tutti i) '
    r'(half )?(?=(?:second|minut|hour|sekunde|heure|stunde|segundo|hora)[a-z]*\b)'
)
_EVERY_HAN = re.compile('([每毎])(?:隔|一|1)?(?=(?:秒|分)[钟鐘间間]?(?!之))')
_INTERVAL = re.compile('(?<=[秒分])(?:间隔|間隔)(?:[でに])?')
_SMALL_UNIT = re.compile(
    r'(?<=[\w] )(?:little|short|good|full|whole|petites?|bonnes?|kurze|kleine|gute|volle|pequeños)'
    r' (?=(?:second|minut|sekunde|segundo|secondi)[a-z]*\b)'
)
_HALF = re.compile(r'\bhalf an? (?=\w)')
_HALF_ELSEWHERE = re.compile(
    r'\b(?:(?:eine?|une?|uma?|een|o) )?(?:halbe[nrs]?|demi[es]?|medi[oa]|mezz[oa]|mei[oa]|halve'
    r'|pół|пол)(?:[- ]|(?<=пол)|(?<=pół))(?=\w)'
)
# “A quarter of a minute”, “un tiers de minute”, “a couple of seconds”.
_SHARES = (
    ('0.25 ', r'(?:a )?quarter (?:of )?an? (?=\w)|(?:ein )?viertel (?:einer? )?(?=\w)'),
    (
        '0.25 ',
        r'(?:un )?quart de |un cuarto de |un quarto (?:de |di )(?:um? )?|eine viertel(?=minut)',
    ),
    ('0.75 ', r'three[ -]quarters of an? (?=\w)|trois quarts de |tres cuartos de |drei viertel '),
    ('0.333333333333 ', r'(?:a |one )third of an? (?=\w)|un tiers de |un tercio de |un terzo di '),
    ('0.333333333333 ', r'um terço de |(?:ein )?drittel (?:einer )?(?=\w)'),
    ('2 ', r'a couple (?:of )?(?=\w)|un par de |une paire de |un paio di |um par de '),
    ('6 ', r'half a dozen |une demi-douzaine de |media docena de |mezza dozzina di '),
    ('10 ', r'une dizaine de |una decina (?:de|di) |uma dezena de '),
    (
        '12 ',
        r'a dozen |une douzaine de |una docena de |una dozzina di |uma dúzia de |ein dutzend ',
    ),
    ('15 ', r'une quinzaine de '),
    ('20 ', r'une vingtaine de |una ventina di '),
)
_SHARED = tuple((number, re.compile(rf'\b(?:{words})')) for number, words in _SHARES)
_FOR_A_NUMBER = re.compile(r'(?<=\bfor )([a-z]{3,6})(?= *(?:$|[,.;!?]|(?:and|then)\b))')
_A_MINUTE = re.compile(
    r'\b(wait|pause|rest|stay|bide|hang on|hold on|there|here|for) a(?= minute\b)'
)
_AND_A_HALF_UNIT = re.compile(r'\b(?:an?|one) (minute|second|hour|metre|meter) and a half\b')
_PARTS_OF = rf'(\d+|{HAN})(?:分之|分の)(\d+|{HAN})'  # “三分之一”, “4分の1”
_UP_TO = '(?:到|至|から|か|或|、|,|-|~)'  # between two numbers with one unit: “三到五秒”
_AND_A_HALF = re.compile(r'\b(\w+) and a half\b')
_SOME_HAN = re.compile(f'[{"".join([*_DIGITS, *_PLACES])}半]|(?:分之|分の)')
_ABOUT = re.compile(
    rf'(?<!{HAN_DIGIT})(?:一二|一两|二三|两三|三四|四五|五六|六七|七八|八九)(?!{HAN_DIGIT})'
)
# A count and no angle: once more, twice. In Chinese, which has no kana, 度 is an angle.
_TIMES = re.compile(rf'(?<=もう)\s*[一1]度|(?<!{HAN_DIGIT})(?<![\d.])[一二三]度')
_ONE_OF = re.compile(r'(?<![\d.])1\s*(?=[枚張张幅回次])(?!回目|次目)')  # the default count
_KANA = re.compile('[ぁ-ヿ]')
_HAN_POINT = re.compile(rf'({HAN})点([{"".join(_DIGITS)}]+)(?![十百千])')  # “零点八”
_KOREAN = re.compile(
    '(?<![가-힣])[일이삼사오육칠팔구십백]+(?= ?(?:초|분|시간|미터|도)(?![가-힣]{3}))'
)
_IN_HAN = str.maketrans('일이삼사오육칠팔구십백', '一二三四五六七八九十百')
_HAN_MINUS = re.compile(rf'(?:负|マイナス)({HAN})')
# Coordinates without units: “坐标三,-5”, “去 2、7”.
_HAN_PLACE = re.compile(
    rf'(?<=[标標到去往へ])(\s*[:是为在(]?\s*)(-?\d[\d.]*|{HAN})(\s*[,、]\s*)(-?\d[\d.]*|{HAN})(?![点\d])'
)
_ROS_2 = re.compile(r'\bros ?2\b')
_SPOKEN_COMMA = re.compile(r'(?<=\w) comma (?=\w)')
_WORD_BEFORE_UNIT = r'(?<![\w-])([a-zà-ÿ]{2,12})(?=[ -](?:%s)(?!\w))'
_ONE = frozenset(('ein', 'eine', 'einen', 'un', 'une', 'una', 'um', 'uma', 'uno', 'een', 'één'))
# Words that are a number in only one other language: eleven in Spanish, sixteen in French.
_SHIELD = '\ue001'
_NO_NUMBER = re.compile(r'\b(onc|seiz|el|cen)(e|f|t)\b')
# Numbers of one language that are other words of another: “sei so lieb”, “achter de toonbank”.
_RATHER_WORDS = re.compile(
    r'(?<![\w-])(s)(ei)(?= (?:so|bitte|mal|doch|lieb|nett|vorsichtig|brav)\b)'
    r'|(?<![\w-])(n|a)(on|chter)(?![\w-])|(?<=\bpunto )(s)(ei)\b|(?<=\bdove )(s)(ei)\b'
)
_SPANISH = re.compile(r'\b(?:segundos?|minutos?|derecha|izquierda|recto|después|luego)\b')


@cache
def unit_words() -> dict[str, tuple[str, float]]:
    """Return all words for units in the encoder's languages, with unit and factor."""
    from babel.units import format_unit

    found: dict[str, tuple[str, float]] = {}
    for locale in LANGUAGES:
        for unit, meaning in _UNITS.items():
            for length in ('long', 'short', 'narrow'):
                for number in (1, 2, 5):
                    phrase = format_unit(number, unit, length, locale=locale)
                    word = re.sub(r'[\d\s\u0660-\u0669]+', ' ', phrase).strip().lower()
                    found.setdefault(normalize(word).rstrip('.'), meaning)
    for each in [each for each in found if len(each) < 2 and not each.isalpha()]:
        del found[each]
    found.pop('d', None)  # a minute in Turkish; “the 3D printer”
    found |= _FURTHER
    return found | {'m': ('m', 1.0), 's': ('s', 1.0), '分': ('s', 60.0)}


def one_of(words: Iterable[str]) -> str:
    """Return a pattern for any of these words, the longest first."""
    return '|'.join(map(re.escape, sorted(words, key=len, reverse=True)))


def in_digits(text: str) -> str:
    """Replace number words by digits."""
    text = _ROS_2.sub('ros', _SPOKEN_COMMA.sub(', ', _ABOUT_IN_SPANISH.sub('', text)))
    text = _KOREAN.sub(lambda match: han_number(match[0].translate(_IN_HAN)), text)
    if _KANA.search(text):
        text = _TIMES.sub(lambda match: match[0].strip().replace('1', '一')[:-1] + '回', text)
    text = other_numbers_in_digits(_ONE_OF.sub('一', text))
    text = _SMALL_UNIT.sub('', text)
    text = _EVERY.sub(lambda match: f'{match[1]} {"0.5" if match[2] else "1"} ', text)
    text = _INTERVAL.sub('ごと', _EVERY_HAN.sub(r'\g<1>1', text))
    if _SOME_HAN.search(text):
        text = _han_in_digits(text)
    for number, words in _SHARED:
        text = words.sub(number, text)
    text = _HALF_ELSEWHERE.sub('0.5 ', _HALF.sub('0.5 ', text))
    if not re.search('[a-zà-ÿ]{3}', text):
        return text
    text = _A_MINUTE.sub(r'\1 1', _AND_A_HALF_UNIT.sub(r'1.5 \1', text))
    text = _AND_A_HALF.sub(lambda match: f'{small_number(match[1])}.5', text)
    if any(map(_may_be_number, re.findall('[a-zà-ÿ]{3,}', text))):
        text = _spelt_in_digits(text)
    text = _FOR_A_NUMBER.sub(lambda match: small_number(match[1]), text)
    return _before_unit().sub(lambda match: small_number(match[1]), text)


def _han_in_digits(text: str) -> str:
    """Replace numbers in Han characters before a unit by digits."""
    text = _HAN_POINT.sub(lambda match: f'{han_number(match[1])}.{han_number(match[2])}', text)
    text = _HAN_MINUS.sub(lambda match: f'-{han_number(match[1])}', text)
    text = _HAN_PLACE.sub(
        lambda match: ''.join(
            han_number(each) if each and each[-1] in HAN else each for each in match.groups()
        ),
        text,
    )
    shares, numbers, *halves = _han_patterns()
    text = numbers.sub(lambda match: han_number(match[0]), shares.sub(_share, text))
    for pattern, written in zip(halves, (r'\1.5\2', r'\1.5', '0.5'), strict=True):
        text = pattern.sub(written, text)
    return text


@cache
def _han_patterns() -> tuple[re.Pattern[str], ...]:
    counted = _counted()
    return tuple(
        map(
            re.compile,
            (
                rf'{_PARTS_OF}(?:个|的)?(?={counted})',
                rf'(?!百分[之比率点數数]){HAN}(?=(?:{_UP_TO}{HAN})?半?(?:{counted}))'
                rf'|(?<!第)(?<!{HAN_DIGIT}){HAN}(?<!一)(?=[步歩])',
                rf'(\d+)({counted})半',
                rf'(\d+)半(?={counted})',
                rf'半(?={counted})',
            ),
        )
    )


def _spelt_in_digits(text: str) -> str:
    """Replace number words by digits, in the first language that has them."""
    from text_to_num import alpha2digit

    for language in _SPELT:
        is_own = language == 'en' or (language == 'es' and _SPANISH.search(text))
        written = text if is_own else _NO_NUMBER.sub(rf'\1{_SHIELD}\2', text)
        written = _RATHER_WORDS.sub(
            lambda match: _SHIELD.join(filter(None, match.groups())), written
        )
        written = str(alpha2digit(written, language)).replace(_SHIELD, '')
        if written != text and re.search(r'\d', written):
            return written.lower()
    return text


@lru_cache(8192)
def _may_be_number(word: str) -> bool:
    """Return whether a word is a number, or part of one, in any of the languages."""
    from text_to_num import alpha2digit

    return word in _ONE or any(
        re.search(r'\d', str(alpha2digit(word, each, threshold=0))) for each in _SPELT
    )


@cache
def _before_unit() -> re.Pattern[str]:
    units = one_of(each for each in unit_words() if re.fullmatch('[a-zà-ÿ]{3,}', each))
    return re.compile(_WORD_BEFORE_UNIT % units)


def small_number(word: str) -> str:
    """Return a small number word in digits, “two” or “eine”, which text_to_num leaves."""
    from text_to_num import alpha2digit

    if word in _ONE:
        return '1'
    written = (str(alpha2digit(word, each, threshold=0)) for each in _SPELT)
    return next((each for each in written if each.isdigit()), word)


def words_for(value: float, text: str) -> list[str]:
    """Return the words of a text for this number."""
    words = dict.fromkeys(re.findall('[a-zà-ÿ]{3,}', text))
    return [each for each in words if _may_be_number(each) and small_number(each) == f'{value:g}']


@cache
def _counted() -> str:
    """Return the alternatives of units that follow a number without a blank."""
    return one_of(each for each in unit_words() if re.match('[぀-ヿ一-鿿]', each))


def _share(match: re.Match[str]) -> str:
    """Return a fraction as a decimal; the denominator comes first."""
    whole, share = (
        int(each) if each.isdigit() else int(han_number(each)) for each in match.groups()
    )
    return f'{share / whole:.12g}' if whole else match[0]


def han_number(number: str) -> str:
    """Return a number in Han characters in digits; “two or three” as two numbers."""
    if _ABOUT.fullmatch(number):
        return ' ~ '.join(map(han_number, number))
    total, digit = 0, None
    for character in number:
        if character in _DIGITS:
            digit = (digit or 0) * 10 + _DIGITS[character]
        else:
            total += (1 if digit is None else digit) * _PLACES[character]
            digit = None
    return str(total + (digit or 0)) if math.isfinite(total) else number
