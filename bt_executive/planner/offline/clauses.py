"""Takes a goal apart: what is asked for, with which amounts, in which order."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import lru_cache
import re
import unicodedata

from bt_executive.planner.offline.connectives import (
    Joint,
    split,
)
from bt_executive.planner.offline.function_words import (
    MARK,
    kinds,
    without_courtesy,
)
from bt_executive.planner.offline.numbers_with_units import (
    Amount,
    extract_amounts,
    normalize,
    words_for,
)

MOST_CUTS = 8  # ways to read a part as two
LONGEST_GOAL = 500  # characters; this bounds the time that reading takes
_MARKS = re.compile(rf'\s*{MARK}\s*')
_BETWEEN = re.compile(rf'(?<={MARK})\s*[,、]\s*(?={MARK})')  # of x 3, y 2
_FOR = re.compile(
    rf"\b(?:for|about|around|during|für|pendant|durante|per|por|voor|przez|de|d') *(?={MARK})"
)
_ABOUT = re.compile(rf'(?<={MARK}) *(?:だけ|ほど|くらい|ぐらい|間|左右|lang\b)')
_OVER = re.compile(r'(?<![前左右后])(?:[开走跑驶]|移动)过去')  # “over there”, of no direction
PLACE = 'x 5 y 3'  # stands for the coordinates of a place
_WORD = re.compile(r'\w')
# Says nothing by itself: “drive forward twice, 2 seconds each”.
_BLANK_IN_HAN = re.compile(
    r'(?<=[\u3040-\u30ff\u4e00-\u9fff]) (?=\d)|(?<=\d) (?=[\u3040-\u30ff\u4e00-\u9fff])'
)
_OF_EACH = re.compile(
    r'\b(?:each(?: time)?|every time|apiece|jeweils|(?:chaque|cada|ogni) (?:fois|vez|volta))\b'
    r'|毎回|每次|ずつ'
)
_ENDS = ' ?!.,。、，？！¿¡'
_JUST_AS_LONG = re.compile(
    r'\bfor (?:(?:just )?as long|the same (?:time|duration))(?: again)?\b|\bthe same(?= ?[.!]?$)'
    r'|\b(?:genauso|ebenso) lange?\b|\baussi longtemps\b|\botro tanto\b|\bel mismo tiempo\b'
    r'|\baltrettanto\b|\bo mesmo tempo\b|同じ(?:だけ|時間|秒数)|同样(?:的)?(?:时间|秒数|久)'
)
# Between two amounts, of which the second holds.
_TAKEN_BACK = re.compile(
    rf'{MARK}[ ,、。.;-]*(?:\b(?:no,? (?:sorry|wait|make (?:it|that)|i mean)|no|sorry|i mean'
    r'|or rather|make that|(?:ach |äh )?nein|quatsch|non|pardon|(?:no,? )?perdón|anzi|não|aliás'
    r'|nee|nie|нет)\b|いや(?:違う|ちがう)?|じゃなくて|ではなく(?:て)?|違う'
    rf'|[呃哦]?不对?(?:改成|是)?|说错了)[ ,、。.;-]*(?={MARK})'
)
_AT_END = re.compile(
    r'\b(?:for|per|por|durante|pendant|für|voor|dritto|recto|droit|direito|geradeaus)'
    rf' *{MARK}[ ?!.]*$'
)
_ODD = re.compile(
    r"[^\w\s'’,.?!:;()\[\]\"“”「」『』。、，？！・/*&…~ー¿¡—-]|\d|(?<!\w)[-*]|[-*/](?!\w)"
    r'|—(?!—*\s*\w)'  # between words it parts them, before nothing it may be a minus
    r'|[ªº]'  # which a library makes of “none”
)
# A unit of time of which nobody can say how many: a number in words that are not read, or “some”.
_UNIT_ALONE = re.compile(
    r'\b(?:seconds|secs|secondes|segundos|secondi|sekunden|seconden|sekund[ay]?|секунд\w*|saniye'
    r'|minutes|minutos|minuti|minuten|minut[ay]?|минут\w*)\b|秒(?!速)|초(?= |$)'
)
_LATER = re.compile(
    rf'\b(?:in|within|after|nach|dans|en|tra|over|через) {MARK}'
    rf'|{MARK} ?(?:後(?![退ろ方進])|后(?![退面方])|之后|以后|later)'
)
# How often, or of how many: “3 times”, “twice”, “take 3 pictures”, “两张”; not “the 3 rocks”.
_TWO = 'two|zwei|deux|dos|twee|dois|duas'
_TIMES = 'times|mal|fois|veces|volte|keer|vezes'
_OFTEN = re.compile(
    rf'(?P<mark>{MARK}) *(?:{_TIMES}|раза?|x)\b'
    rf'|\b(?:twice|zweimal|два раза|due volte)\b|\b(?:{_TWO}) (?:{_TIMES})\b'
    rf'|(?<!第)(?:(?P<counter>{MARK}) ?|(?P<han>[两兩二三四五六七八九]) ?)'
    r'(?:[张張枚幅遍]|[回次](?![转轉]))(?!目)'
)
_SEVERAL = re.compile(
    rf'^(?:please )?[^\W\d_]+ (?:me )?(?:(?P<mark>{MARK})|(?:{_TWO})) *[^\W\d_]+s\b'
)
_SPELT_NUMBERS = (
    *('zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'),
    *('eleven', 'twelve'),
)
_HAN = {each: at for at, each in enumerate('二三四五六七八九', 2)} | {'两': 2, '兩': 2}
_MOST_TIMES = 50  # beyond it a number is none of times
_TWICE = re.compile(
    r'\b(?!(?:the|and|you|your|that|this|with|there)\b)([a-zà-ÿ]{3,})\b(?=.*\b\1\b)'
    r'|([ァ-ヿ一-鿿][^\W\d_a-zà-ÿ]+).*\2'
)

_AT_ONCE = re.compile(
    r'(?<!\w)(\w{2,}(?: \w+)*)[\s,]+\1(?!\w)|([\u3040-\u30ff\u4e00-\u9fff]{2,})[\s,、]*\2'
    r'|^(\w{3,}) \w+ \3 \w+$'  # “look left look right”
)


@dataclass(frozen=True)
class GoalPart:
    """One thing that is asked for.

    Attributes:
        said: Its words, in their spelling, without its amounts.
        text: The same as it is compared with examples: plain, without courtesy.
        amounts: Its numbers with their units.
        kinds: What it says besides a wish.
        odd: A sign or number in it that cannot be read; empty: there is none.
        twice: Words that it says twice in a row; empty: there are none.
        later: Whether it says when something is to begin.
        joint: What joins it to the part before: a mere comma may join no two wishes.
        times: How often it is to be done, 1 where nothing says it.
        things: Of how many things it is to be done, 1 where nothing says it.
        marked: Its plain text, with a mark for each of its amounts.
    """

    said: str
    text: str
    amounts: tuple[Amount, ...] = ()
    kinds: frozenset[str] = frozenset()
    odd: str = ''
    twice: str = ''
    later: bool = False
    joint: Joint = Joint.THEN
    times: int = 1
    things: int = 1
    marked: str = ''

    @property
    def after_comma(self) -> bool:
        """Return whether only a comma joins it to the part before."""
        return self.joint is Joint.COMMA

    def repeats(self, before: GoalPart) -> bool:
        """Return whether it is the part before it once more: “stop, stop!”."""
        return (
            self.after_comma and self.text == before.text and not (self.amounts or before.amounts)
        )


def parse_goal(goal: str, arguments: Collection[str]) -> tuple[GoalPart, list[GoalPart]]:
    """Return a goal as one part, and its parts.

    A part without words of its own belongs to its neighbour.

    Args:
        goal: What was said, at most `LONGEST_GOAL` characters.
        arguments: Names of the tools' arguments: a number that follows one is meant for it.
    """
    keys = frozenset(map(str.lower, arguments))
    marked, amounts = _corrected(*extract_amounts(_with_same(normalize(goal), keys), keys, MARK))
    said: list[tuple[str, Joint]] = []
    for text, joint in split(_BETWEEN.sub(' ', marked)):
        own = _MARKS.sub(' ', _OF_EACH.sub('', text)) if amounts else text
        if said and not (_WORD.search(own) and _WORD.search(said[-1][0])):
            said[-1] = (f'{said[-1][0]} {text}', said[-1][1])
        else:
            said.append((text, joint))
    parts, at, unit = [], 0, ''
    for text, joint in said or [('', Joint.THEN)]:
        count = text.count(MARK)
        its = _with_unit(text, amounts[at : at + count], unit)
        parts.append(replace(part_of(text, its), joint=joint))
        unit = next((each.unit for each in reversed(its) if each.unit and not each.key), unit)
        at += count
    return part_of(marked, amounts), parts


def _corrected(marked: str, amounts: tuple[Amount, ...]) -> tuple[str, tuple[Amount, ...]]:
    """Return a text without amounts that it takes back at once: “five, no, six seconds”."""
    while found := _TAKEN_BACK.search(marked):
        at = marked[: found.start()].count(MARK)
        first, second = amounts[at : at + 2]
        if second.key or (first.unit and second.unit not in (first.unit, '')):
            break
        marked = f'{marked[: found.start()]} {marked[found.end() :]}'
        if not second.unit:
            second = replace(second, unit=first.unit, is_like=bool(first.unit))
        held = replace(second, key=first.key)
        amounts = (*amounts[:at], held, *amounts[at + 2 :])
    return marked, amounts


def _with_same(text: str, keys: frozenset[str]) -> str:
    """Return a plain text with the amount in full that is said to be that of the part before."""
    for found in _JUST_AS_LONG.finditer(text):
        _, before = extract_amounts(text[: found.start()], keys, MARK)
        if before and before[-1].unit == 's':
            return f'{text[: found.start()]} {before[-1].value:g} s {text[found.end() :]}'
    return text


def _with_unit(marked: str, own: tuple[Amount, ...], unit: str) -> tuple[Amount, ...]:
    """Return the amounts of a part; a bare one at its end has the unit of the part before.

    “Left for 2 s, then straight on for 5”.
    """
    bare_at_end = own and not (own[-1].unit or own[-1].key) and _AT_END.search(marked)
    return (*own[:-1], replace(own[-1], unit=unit, is_like=True)) if bare_at_end and unit else own


def with_numbers(part: GoalPart, goal: str) -> GoalPart:
    """Return a part with its bare numbers in its words: of what is called so, “camp 2”.

    `goal`: What was said; a number that stands in it in digits only.
    """
    pieces, rest = part.marked.split(MARK), list[Amount]()
    text = pieces[0]
    for amount, piece in zip(part.amounts, pieces[1:], strict=False):
        is_name = (not amount.unit or amount.is_like) and not amount.key
        written = is_name and next(
            (each for each in _ways_to_write(amount, goal) if re.search(each[1], goal)), None
        )
        text += (written[0] if written else MARK) + piece
        rest += [] if written else [amount]
    if len(rest) == len(part.amounts):
        return part
    named = part_of(_BLANK_IN_HAN.sub('', text), tuple(rest))
    return replace(named, kinds=part.kinds, odd=part.odd, joint=part.joint)


def _ways_to_write(amount: Amount, goal: str) -> list[tuple[str, str]]:
    """Return how a bare number may stand in what was said, each with a pattern that finds it."""
    ways = [(amount.said, rf'(?<!\d){re.escape(amount.said)}(?!\d|\.\d)')]
    if amount.value in range(len(_SPELT_NUMBERS)):
        word = _SPELT_NUMBERS[int(amount.value)]
        ways.append((word, rf'\b{word}\b'))
        ways += [(each, rf'\b{each}\b') for each in words_for(amount.value, goal)]
    return ways


def part_of(marked: str, amounts: tuple[Amount, ...] = ()) -> GoalPart:
    """Return one part, from its plain text with marks for its amounts."""
    said = _MARKS.sub(' ', marked).strip()
    polite = without_courtesy(compared(marked, amounts).lstrip('¿¡'))
    text = polite.strip(_ENDS)
    twice = _TWICE.search(text)
    return GoalPart(
        said,
        text,
        amounts,
        kinds(polite),
        _odd(said),
        (twice[1] or twice[2]) if twice else '',
        bool(_LATER.search(marked)),
        times=_count(_OFTEN, marked, amounts),
        things=_count(_SEVERAL, marked.strip(), amounts),
        marked=marked,
    )


def _count(pattern: re.Pattern[str], marked: str, amounts: tuple[Amount, ...]) -> int:
    """Return which number a text has where the pattern finds one; 1: none."""
    found = pattern.search(marked)
    if found is None:
        return 1
    groups = found.groupdict()
    if groups.get('han'):
        return _HAN[groups['han']]
    at = next((found.start(name) for name in ('mark', 'counter') if groups.get(name)), None)
    if at is None:
        return 2
    number = marked[:at].count(MARK)
    amount = amounts[number] if number < len(amounts) else None
    if amount is None or amount.unit or amount.key or amount.value not in range(2, _MOST_TIMES):
        return 1
    return int(amount.value)


def once(part: GoalPart) -> GoalPart:
    """Return a part without the words that say how often it is to be done."""
    if part.times == 1:
        return part
    text = ' '.join(_OF_EACH.sub(' ', _OFTEN.sub(' ', part.text)).split())
    return replace(part, text=text) if text else part


def _odd(said: str) -> str:
    """Return a sign or a number that cannot be read; empty: there is none."""
    found = _ODD.search(said) or _UNIT_ALONE.search(said)
    raised = (each for each in said if unicodedata.category(each) == 'No')
    return found[0] if found else next(raised, '')


def compared(marked: str, amounts: tuple[Amount, ...]) -> str:
    """Return a text without its amounts; a place in coordinates is always the same one."""
    place = {'x', 'y'} <= {each.key for each in amounts}
    text = _ABOUT.sub(MARK, _FOR.sub(MARK, marked))
    text = _OVER.sub('去那里', text)
    return _MARKS.sub(' ', text.replace(MARK, f' {PLACE} ', 1) if place else text).strip()


@lru_cache(8192)
def bare(text: str) -> str:
    """Return a text as it is compared: without amounts and without what is only polite."""
    marked, amounts = extract_amounts(normalize(text), frozenset('xy'), MARK)
    rest = without_courtesy(compared(marked, amounts)).strip(_ENDS)
    return rest or normalize(text).strip()


@lru_cache(8192)
def kinds_of(text: str) -> frozenset[str]:
    """Return what a text says besides a wish."""
    marked, amounts = extract_amounts(normalize(text), frozenset('xy'), MARK)
    return part_of(marked, amounts).kinds


def joined(first: GoalPart, second: GoalPart) -> GoalPart:
    """Return two parts as one wish."""
    text = f'{first.text} {second.text}'
    twice = _TWICE.search(text)
    return GoalPart(
        f'{first.said} {second.said}',
        text,
        first.amounts + second.amounts,
        first.kinds | second.kinds,
        first.odd or second.odd,
        (twice[1] or twice[2]) if twice else '',
        first.later or second.later,
        first.joint,
        max(first.times, second.times),
        max(first.things, second.things),
        f'{first.marked} {second.marked}',
    )


def repeats_at_once(text: str) -> bool:
    """Return whether a plain text says words twice, with nothing between or a word after each."""
    return _AT_ONCE.search(text) is not None


def said_once(text: str) -> str:
    """Return a plain text that is nothing but the same twice or more, once."""
    found = re.fullmatch(r'(.{2,}?)(?:[\s,、]*\1)+', text)
    return found[1] if found else text


def halves(part: GoalPart) -> list[tuple[GoalPart, GoalPart]]:
    """Return the ways to read a part as two that nothing joins, each of two words or more."""
    if part.amounts:
        return []
    ends = [match.end() for match in re.finditer(r'\s+', part.text)]
    unspaced = [match.end() for match in re.finditer('(?<=...)(?=...)', part.text)]
    cuts = ends[1:-1] if ends else unspaced
    found = [(part_of(part.text[:cut]), part_of(part.text[cut:])) for cut in cuts[:MOST_CUTS]]
    return [(a, replace(b, said=b.said.strip())) for a, b in found]
