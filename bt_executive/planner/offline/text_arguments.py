"""Text arguments: what a part of a goal says beyond the words of a tool's examples."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
import re

from bt_executive.planner.offline.function_words import without_courtesy
from bt_executive.planner.offline.numbers_with_units import normalize
from bt_executive.planner.offline.offered_tools import OfflineTool, slot_in, slot_of

_QUOTED = re.compile(r'[「『“"‘](.+?)[」』”"’]')
_ROS_NAME = re.compile(r'(?<![\w/])/[a-z]\w*(?:/\w+)*', re.ASCII | re.IGNORECASE)
_UNSPACED = re.compile('[぀-ヿ一-鿿]')
# A word, or one character of a script without blanks.
_TOKEN = re.compile(r"[^\W_぀-ヿ一-鿿][^\W぀-ヿ一-鿿'’]*(?:['’/.-]\w+)*|/\w[\w/]*|[぀-ヿ一-鿿]")
MOST_WORDS, MOST_RUNS = 5, 100  # of a text without examples in its language
GAP = 1  # words of the examples that may stand within the text
# Articles and the like, at the edges of what something is called.
_ARTICLES = frozenset((
    *('the', 'a', 'an', 'any', 'some', 'my', 'our', 'that', 'this', 'is', 'was'),
    *('der', 'die', 'das', 'den', 'dem', 'ein', 'eine', 'einen', 'mir', 'uns', 'zum', 'zur'),
    *('le', 'la', 'les', 'un', 'une', 'des', 'moi', 'el', 'los', 'las', 'una', 'il', 'lo', 'gli'),
    *('earlier', 'before', 'previously', 'antes', 'avant', 'vorhin', 'vorher', 'prima'),
    *('o', 'os', 'as', 'um', 'uma', 'me', 'al', 'de', 'het', 'een'),
))  # fmt: skip
# Which of several is meant, by when it was seen: the memory reads that, in the whole question.
_ORDER = re.compile(
    r'\b(?:last|latest|newest|first|earliest|most recent(?:ly)?)\b'
    r'|最[后後初新近先早]に?|第一次|一番(?:最初|最近|新しい?|先)に?'
)
# A name, said to be one.
_CALLED = re.compile(
    r'(?:就叫|叫做|叫作|取名叫?|命名为|名叫)(?P<zh>[^\s,，。!?的吧]{1,12})[吧了]?(?=[\s,，。!?]|$)'
    r'|(?P<ja>[^\s、,。はをがにで]{1,12})という名(?:前|称)?(?:で|に)'
    r'|\b(?:called|named|llamad[oa]|genannt|namens|appelée?|nommée?)'
    r' (?!(?:the|this|that|it|our|my)\b)(?P<word>[^,.;!?]+)'
)
_LEAST_FRAME = 2  # characters around the braces
# Three words, or eight characters of a script without blanks.
_SPELT = r'[^\W\d_\u3040-\u30ff\u4e00-\u9fff]+'
_A_THING = re.compile(rf'{_SPELT}(?: {_SPELT}){{0,2}}|[\u30a0-\u30ff\u4e00-\u9fff]{{1,8}}')
_QUOTES = '"“”‘’「」『』'
_NO_THING = re.compile(r'(?:i|you|we|he|she|they|it)\b|[你您我他她它]|あなた|君|私')
_DIRECTION = re.compile(r'(?:left|right|forward|back)\b|[左右前后後]|往|向')
_PLACEHOLDERS = re.compile(
    r'(?:there|it|so|就|那边|那儿|そこ|あそこ|それ|那里|那儿|那|它|here|ここ|这里)'
)


def text_for(tool: OfflineTool, text: str) -> str:
    """Return the words that no example of the tool has outside its braces, as one text.

    Of several the one that stands where the braces stand, then the longest.

    It may be empty. A quoted text is taken as it is.
    """
    if quoted := _QUOTED.search(text):
        return quoted[1].strip()
    if (name := _ROS_NAME.search(text)) and all(
        each.startswith('/') for each in map(slot_of, tool.examples) if each
    ):
        return name[0]
    says = tuple(each.say for each in tool.examples)
    frame = _frame(says)
    tokens = list(_TOKEN.finditer(text))
    said = [each[0] for each in tokens]
    free = [at for at in range(len(said)) if not _is_frame(said, at, frame)]
    runs: list[list[int]] = []
    for at in free:
        if runs and at - runs[-1][-1] <= 1 + GAP:
            runs[-1].append(at)
        else:
            runs.append([at])
    before, after = _beside(says)
    sides = ['', *said, '']
    best = max(
        reversed(runs),
        key=lambda run: (
            (sides[run[0]] in before) + (sides[run[-1] + 2] in after),
            run[-1] - run[0],
        ),
        default=[],
    )
    found = text[tokens[best[0]].start() : tokens[best[-1]].end()] if best else ''
    found = found.strip(' ' + ''.join(filter(_UNSPACED.match, {*before, *after})))
    return '' if _PLACEHOLDERS.fullmatch(found) else found


def with_one_name(text: str) -> str:
    """Return a text with the same ROS name for each: what it is says nothing of the wish."""
    return _ROS_NAME.sub('/odom', text)


def in_place_of(thing: str, *texts: str) -> str:
    """Return what is said to be a name in the first of the texts that says so, or else a thing.

    A thing is kept that is part of such a name, or has it in it without the word that says so.
    """
    found = next(filter(None, map(_CALLED.search, texts)), None)
    if found is None or not thing:
        return thing
    name = next(filter(None, found.groups())).strip()
    is_other = thing not in name and (name not in thing or found[0].strip() in thing)
    return name if is_other else thing


def is_a_thing(text: str, around: int) -> bool:
    """Return whether this can be what a thing is called, perhaps in quotation marks.

    It must be in these where less stands around it than `_LEAST_FRAME`.
    """
    if len(text) > 1 and text[0] in _QUOTES and text[-1] in _QUOTES:
        return True
    is_called = _A_THING.fullmatch(text) is not None and not _NO_THING.match(text)
    is_called = is_called and not _DIRECTION.match(text)
    return around >= _LEAST_FRAME and is_called


def is_quoted(text: str) -> bool:
    """Return whether something in a text stands in quotation marks."""
    return _QUOTED.search(text) is not None


def unquoted(text: str) -> str:
    """Return a text without what stands in quotation marks."""
    return _QUOTED.sub(' ', text)


def says_order(text: str) -> bool:
    """Return whether a text says which of several is meant, the first or the last."""
    return _ORDER.search(text) is not None


def loses_order(text: str, what: str) -> bool:
    """Return whether a text says which is meant, and what was found in it does not."""
    kept = what.startswith('/') or (says_order(what) and _ORDER.sub('', what).strip())
    return bool(what and says_order(text) and not kept)


def runs_of(text: str) -> list[tuple[int, int]]:
    """Return where the runs of words, or of characters without blanks, of a text begin and end.

    Not the whole text, and at most a hundred.
    """
    words = list(_TOKEN.finditer(text))
    runs = [
        (words[first].start(), words[last].end())
        for first in range(len(words))
        for last in range(first, min(first + MOST_WORDS, len(words)))
        if last - first + 1 < len(words) and words[last][0] not in _ARTICLES
    ]
    return runs if len(runs) <= MOST_RUNS else []


def _is_frame(said: list[str], at: int, frame: frozenset[str]) -> bool:
    """Whether a word is one of the examples; a character is one if its neighbour belongs to it."""
    if not _UNSPACED.match(said[at]):
        return said[at] in frame
    pairs = (''.join(said[begin : begin + 2]) for begin in (at - 1, at) if begin >= 0)
    alone = all(
        not _UNSPACED.match(each) for each in (*said[max(at - 1, 0) : at], *said[at + 1 : at + 2])
    )
    return any(len(pair) == 2 and pair in frame for pair in pairs) or (alone and said[at] in frame)


@lru_cache(64)
def _beside(says: tuple[str, ...]) -> tuple[set[str], set[str]]:
    """Return the words before and after the braces; empty: the text begins or ends there."""
    before, after = set(), set()
    for say in says:
        if slot := slot_in(say):
            first, _, rest = normalize(say).partition(f'{{{normalize(slot)}}}')
            before.add(_TOKEN.findall(first)[-1] if _TOKEN.findall(first) else '')
            after.add(_TOKEN.findall(rest)[0] if _TOKEN.findall(rest) else '')
    return before, after


@lru_cache(64)
def _frame(says: tuple[str, ...]) -> frozenset[str]:
    """Return the words of a tool's examples outside their braces, and pairs of characters."""
    found = set(_ARTICLES)
    for say in says:
        slot = slot_in(say)
        around = say.split(f'{{{slot}}}') if slot else [say]
        for each in around:
            tokens = [match[0] for match in _TOKEN.finditer(without_courtesy(normalize(each)))]
            found.update(tokens)
            found.update(map(''.join, pairwise(tokens)))
    return frozenset(found)
