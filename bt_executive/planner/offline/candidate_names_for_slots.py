"""The words of a text that may be the name in a tool's slot."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
import re

from bt_executive.planner.offline.connectives_lists_and_quotations import QUOTED
from bt_executive.planner.offline.courtesy_and_asides import without_courtesy
from bt_executive.planner.offline.offered_tools import OfflineTool, slot_in, slot_of
from bt_executive.planner.offline.text_normalization import normalize

_ROS_NAME = re.compile(r'(?<![\w/])/[a-z]\w*(?:/\w+)*', re.ASCII | re.IGNORECASE)
_UNSPACED = re.compile('[぀-ヿ一-鿿]')
# A word, or one character of a script without blanks.
_TOKEN = re.compile(r"[^\W_぀-ヿ一-鿿][^\W぀-ヿ一-鿿'’]*(?:['’/.-]\w+)*|/\w[\w/]*|[぀-ヿ一-鿿]")
MOST_WORDS, MOST_RUNS = 5, 100  # of a slot value in a language without examples
GAP = 1  # words of the examples within a slot value
# Articles and the like, at the edges of names.
_ARTICLES = frozenset((
    *('the', 'a', 'an', 'any', 'some', 'my', 'our', 'that', 'this', 'is', 'was'),
    *('der', 'die', 'das', 'den', 'dem', 'ein', 'eine', 'einen', 'mir', 'uns', 'zum', 'zur'),
    *('le', 'la', 'les', 'un', 'une', 'des', 'moi', 'el', 'los', 'las', 'una', 'il', 'lo', 'gli'),
    *('earlier', 'before', 'previously', 'antes', 'avant', 'vorhin', 'vorher', 'prima'),
    *('o', 'os', 'as', 'um', 'uma', 'me', 'al', 'de', 'het', 'een'),
))  # fmt: skip
# An order in time, which the memory evaluates in the whole question.
_ORDER = re.compile(
    r'\b(?:last|latest|newest|first|earliest|most recent(?:ly)?)\b'
    r'|最[后後初新近先早]に?|第一次|一番(?:最初|最近|新しい?|先)に?'
)
# An explicit name.
_CALLED = re.compile(
    r'(?:就叫|叫做|叫作|取名叫?|命名为|名叫)(?P<zh>[^\s,，。!?的吧]{1,12})[吧了]?(?=[\s,，。!?]|$)'
    r'|(?P<ja>[^\s、,。はをがにで]{1,12})という名(?:前|称)?(?:で|に)'
    r'|\b(?:called|named|llamad[oa]|genannt|namens|appelée?|nommée?)'
    r' (?!(?:the|this|that|it|our|my)\b)(?P<word>[^,.;!?]+)'
)
_LEAST_FRAME = 2  # characters around a slot
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
    """Return the run of words that no example of the tool has outside its slot; it may be empty.

    Of several runs the one in the place of the slot, then the longest. A quoted text is returned
    as it is.
    """
    if quoted := QUOTED.search(text):
        return quoted[1].strip()
    if (name := _ROS_NAME.search(text)) and all(
        each.startswith('/') for each in map(slot_of, tool.examples) if each
    ):
        return name[0]
    examples = tuple(each.say for each in tool.examples)
    frame = _frame_words(examples)
    tokens = list(_TOKEN.finditer(text))
    words = [each[0] for each in tokens]
    free = [at for at in range(len(words)) if not _is_frame(words, at, frame)]
    runs: list[list[int]] = []
    for at in free:
        if runs and at - runs[-1][-1] <= 1 + GAP:
            runs[-1].append(at)
        else:
            runs.append([at])
    before, after = _beside_slots(examples)
    padded = ['', *words, '']
    best = max(
        reversed(runs),
        key=lambda run: (
            (padded[run[0]] in before) + (padded[run[-1] + 2] in after),
            run[-1] - run[0],
        ),
        default=[],
    )
    found = text[tokens[best[0]].start() : tokens[best[-1]].end()] if best else ''
    found = found.strip(' ' + ''.join(filter(_UNSPACED.match, {*before, *after})))
    return '' if _PLACEHOLDERS.fullmatch(found) else found


def ros_name(text: str) -> str:
    """Return the ROS name in a text; empty: it has none, or several."""
    found = set(_ROS_NAME.findall(text))
    return found.pop() if len(found) == 1 else ''


def with_one_name(text: str) -> str:
    """Return a text with one ROS name for all, which says nothing about the intent."""
    return _ROS_NAME.sub('/odom', text)


def in_place_of(thing: str, *texts: str) -> str:
    """Return the explicit name in the first of the texts that has one, or else the thing.

    The thing stays if it is part of that name, or contains it without “called”.
    """
    found = next(filter(None, map(_CALLED.search, texts)), None)
    if found is None or not thing:
        return thing
    name = next(filter(None, found.groups())).strip()
    phrase = found[0].strip()  # of which a thing may have a part: 叫做旗杆, 做旗杆
    is_other = thing not in name and (
        name not in thing or phrase in thing or phrase.endswith(thing)
    )
    return name if is_other else thing


def is_a_thing(text: str, around: int) -> bool:
    """Return whether a text can be the name of a thing.

    It must be quoted if the frame around it is shorter than `_LEAST_FRAME`.
    """
    if len(text) > 1 and text[0] in _QUOTES and text[-1] in _QUOTES:
        return True
    is_name = _A_THING.fullmatch(text) is not None and not _NO_THING.match(text)
    is_name = is_name and not _DIRECTION.match(text)
    return around >= _LEAST_FRAME and is_name


def has_order(text: str) -> bool:
    """Return whether a text selects one of several by time, the first or the last."""
    return _ORDER.search(text) is not None


def loses_order(text: str, value: str) -> bool:
    """Return whether a text selects by time, and its slot value does not."""
    is_kept = value.startswith('/') or (has_order(value) and _ORDER.sub('', value).strip())
    return bool(value and has_order(text) and not is_kept)


def runs_of(text: str) -> list[tuple[int, int]]:
    """Return the spans of runs of words, or of characters without blanks, in a text.

    The whole text is none; more than `MOST_RUNS` are none at all.
    """
    words = list(_TOKEN.finditer(text))
    runs = [
        (words[first].start(), words[last].end())
        for first in range(len(words))
        for last in range(first, min(first + MOST_WORDS, len(words)))
        if last - first + 1 < len(words) and words[last][0] not in _ARTICLES
    ]
    return runs if len(runs) <= MOST_RUNS else []


def _is_frame(words: list[str], at: int, frame: frozenset[str]) -> bool:
    """Return whether a word is one of the examples; a character only with its neighbour."""
    if not _UNSPACED.match(words[at]):
        return words[at] in frame
    pairs = (''.join(words[start : start + 2]) for start in (at - 1, at) if start >= 0)
    beside = (*words[max(at - 1, 0) : at], *words[at + 1 : at + 2])
    alone = not any(map(_UNSPACED.match, beside))
    return any(len(pair) == 2 and pair in frame for pair in pairs) or (
        alone and words[at] in frame
    )


@lru_cache(64)
def _beside_slots(examples: tuple[str, ...]) -> tuple[set[str], set[str]]:
    """Return the words before and after the slots; empty: an example starts or ends there."""
    before, after = set(), set()
    for say in examples:
        if slot := slot_in(say):
            first, _, rest = normalize(say).partition(f'{{{normalize(slot)}}}')
            before.add(_TOKEN.findall(first)[-1] if _TOKEN.findall(first) else '')
            after.add(_TOKEN.findall(rest)[0] if _TOKEN.findall(rest) else '')
    return before, after


@lru_cache(64)
def _frame_words(examples: tuple[str, ...]) -> frozenset[str]:
    """Return the words of a tool's examples outside their slots, and pairs of characters."""
    found = set(_ARTICLES)
    for say in examples:
        slot = slot_in(say)
        around = say.split(f'{{{slot}}}') if slot else [say]
        for each in around:
            tokens = [match[0] for match in _TOKEN.finditer(without_courtesy(normalize(each)))]
            found.update(tokens)
            found.update(map(''.join, pairwise(tokens)))
    return frozenset(found)
