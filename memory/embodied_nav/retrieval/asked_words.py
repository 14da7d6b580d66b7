"""The words of a question that say which thing is meant. Pure.

What only frames a question ("where did you see", どこで見ましたか) is left out. English words are
compared by their roots; of Japanese and Chinese, which have no spaces, kanji by pairs, and what
is written in kana as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
import re
from typing import Literal
import unicodedata

from embodied_nav.embedding.tokens import STOP, humps_apart

NEGATIONS = frozenset(
    [
        'not',
        'no',
        'without',
        'except',
        'excluding',
        'never',
        'non',
        'isn',
        'aren',
        'wasn',
        'lacks',
        'lacking',
    ]
)
FRAME = frozenset(
    """
    about again ago all already also am another at back being both but called came check come
    coordinates d detected earlier else encountered ever every everything exactly examine first
    get give go goes headed heard here if inspect instead just kind know known last lately lie
    lies like ll located location look looked looking looks lying m may maybe might move must
    named navigate nearby noticed now observed off once one ones only or other out over passed
    perhaps please position possible previously proceed put quite re really recently remembered
    return right s same saw say self send shall showed sit sits sitting so sort spot spotted
    stand standing stands still sure t take than then think tour travel type up us ve very
    visible visit visited want went were whatever whether while whose wish within won yes yet
    you yours
    """.split()  # noqa: SIM905 - a page of words reads better than a list
)
AT_A_PLACE = frozenset(
    """
    in at on inside within around from behind under below above over between along across near
    beside by next close of north south east west
    """.split()  # noqa: SIM905
)
OF_ITSELF = frozenset(['with', 'that', 'which', 'who', 'whose', 'having', 'has'])

_SCRIPTS = re.compile(
    r'(?P<kanji>[㐀-鿿豈-﫿々]+)|(?P<katakana>[ァ-ヺー]+)|(?P<hiragana>[ぁ-ゖ]+)'
    r'|(?P<word>[^\W_㐀-鿿豈-﫿々ァ-ヺーぁ-ゖ]+)'
)
_CHINESE_FRAME = re.compile(
    '什么地方|告诉我|在哪里|哪里|哪儿|在哪|看到|见到|看见|请问|附近|最近|一块|一个|一座|一颗|那块|那个|这块|这个'
    '|地方|位置|[的了吗呢是有在你我请把去到过和]'
)
_JAPANESE_FRAME = re.compile('何処|場所|最寄|一番|案内|記憶|[見行来教所近探向戻覚]')
_NOT_IN_CHINESE = re.compile('不是|没有|[不没无非]|以外')
_NOT_IN_JAPANESE = re.compile('ない|なし|でなく')
_GRAMMAR = (
    'ありますか|あります|いますか|います|ください|ましたか|ました|でしたか|でした|ですか|です|だった|どこ|どの|その|あの|この|そこ'
    '|あそこ|ここ|から|まで|より|ある|いる|あった|いた|して|した|する|いって|いった|みて|みた|ほう|もの|やつ|なに'
    '|[はがをにへでとのもかな]'
)
_AROUND = re.compile(rf'^(?:{_GRAMMAR})+|(?:{_GRAMMAR})+$')
_PARTICLE = frozenset('はがをにへでとのも')


@dataclass(frozen=True)
class AskedWord:
    """A word that the thing which is meant must be spoken of with.

    Attributes:
        text: As it was asked.
        how: How it is compared: by its root, by pairs of kanji, or as it stands.
        at_place: What it says may be said of where the thing lies, instead of the thing.
        excluded: It must not be said of the thing.
    """

    text: str
    how: Literal['root', 'kanji', 'exact'] = 'root'
    at_place: bool = False
    excluded: bool = False


def asked_words(text: str) -> tuple[AskedWord, ...]:
    """Return the words of a question that say which thing is meant, in their order."""
    plain = humps_apart(unicodedata.normalize('NFKC', text)).lower()
    speaks_japanese = bool(re.search('[ぁ-ゖァ-ヺ]', plain))
    found: list[AskedWord] = []
    negated = at_place = False
    for match in _SCRIPTS.finditer(plain):
        script, run = str(match.lastgroup), match[0]
        if script == 'kanji':
            found += _of_kanji(run, speaks_japanese)
        elif script == 'katakana':
            found.append(AskedWord(run, 'exact'))
        elif script == 'hiragana':
            found += _of_hiragana(run, plain[: match.start()])
        elif run in NEGATIONS:
            negated = True
        else:
            at_place = run in AT_A_PLACE or (at_place and run not in OF_ITSELF)
            if run in STOP or run in FRAME:
                continue
            found.append(AskedWord(run, at_place=at_place, excluded=negated))
            negated = False
    return tuple(found)


def words_said(text: str) -> Iterator[str]:
    """Yield the words of a text that are not Japanese or Chinese, and not denied in it."""
    negated = False
    for match in _SCRIPTS.finditer(text):
        run = match[0]
        if match.lastgroup == 'word' and run in NEGATIONS:
            negated = True
        elif match.lastgroup == 'word' and not (negated and run in STOP):
            if not negated:
                yield run
            negated = False


def _of_kanji(run: str, japanese: bool) -> Iterator[AskedWord]:
    denies = _NOT_IN_CHINESE.search(run)
    if denies:
        yield AskedWord(run[denies.start() :], 'exact')
        run = run[: denies.start()]
    frame = _JAPANESE_FRAME if japanese else _CHINESE_FRAME
    for part in frame.sub(' ', run).split():
        yield AskedWord(part, 'kanji')


def _of_hiragana(run: str, before: str) -> Iterator[AskedWord]:
    """Of what follows kanji, only what comes after a particle: the rest is the word's ending."""
    follows_kanji = bool(before) and bool(re.match('[㐀-鿿豈-﫿々]', before[-1]))
    if _NOT_IN_JAPANESE.search(run):
        yield AskedWord(f'{before[-1]}{run}' if follows_kanji else run, 'exact')
        return
    if follows_kanji and run[0] not in _PARTICLE:
        return
    rest = _AROUND.sub('', _AROUND.sub('', run))
    if len(rest) >= 2:
        yield AskedWord(rest, 'exact')
