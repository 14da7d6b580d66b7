"""Takes a goal apart: what is asked for, with which amounts, in which order."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
import re
import unicodedata

from bt_executive.planner.offline.amounts import Amount, extract_amounts, plain
from bt_executive.planner.offline.languages import MARK, kinds, split, without_courtesy

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
_OF_EACH = re.compile(
    r'\b(?:each(?: time)?|every time|apiece|jeweils|(?:chaque|cada|ogni) (?:fois|vez|volta))\b'
    r'|毎回|每次|ずつ'
)
_ENDS = ' ?!.,。、，？！¿¡'
_ODD = re.compile(
    r"[^\w\s'’,.?!:;()\[\]\"“”「」『』。、，？！・/*&…~ー¿¡-]|\d|(?<!\w)[-*]|[-*/](?!\w)"
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
_HAN = {each: at for at, each in enumerate('二三四五六七八九', 2)} | {'两': 2, '兩': 2}
_MOST_TIMES = 50  # beyond it a number is none of times
_TWICE = re.compile(
    r'\b(?!(?:the|and|you|your|that|this|with|there)\b)([a-zà-ÿ]{3,})\b(?=.*\b\1\b)'
    r'|([ァ-ヿ一-鿿][^\W\d_a-zà-ÿ]+).*\2'
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
        after_comma: Whether a mere comma stands before it, which may join no two wishes.
        times: How often it is to be done, 1 where nothing says it.
        things: Of how many things it is to be done, 1 where nothing says it.
    """

    said: str
    text: str
    amounts: tuple[Amount, ...] = ()
    kinds: frozenset[str] = frozenset()
    odd: str = ''
    twice: str = ''
    later: bool = False
    after_comma: bool = False
    times: int = 1
    things: int = 1


def read_goal(goal: str, arguments: Collection[str]) -> tuple[GoalPart, list[GoalPart]]:
    """Return a goal as one part, and its parts.

    A part without words of its own belongs to its neighbour.

    Args:
        goal: What was said, at most `LONGEST_GOAL` characters.
        arguments: Names of the tools' arguments: a number that follows one is meant for it.
    """
    marked, amounts = extract_amounts(plain(goal), frozenset(map(str.lower, arguments)), MARK)
    said: list[tuple[str, bool]] = []
    for text, after_comma in split(_BETWEEN.sub(' ', marked)):
        if not text:
            continue
        own = _MARKS.sub(' ', _OF_EACH.sub('', text)) if amounts else text
        if said and not (_WORD.search(own) and _WORD.search(said[-1][0])):
            said[-1] = (f'{said[-1][0]} {text}', said[-1][1])
        else:
            said.append((text, after_comma))
    parts, at = [], 0
    for text, after_comma in said or [('', False)]:
        count = text.count(MARK)
        part = part_of(text, amounts[at : at + count])
        parts.append(replace(part, after_comma=after_comma))
        at += count
    return part_of(marked, amounts), parts


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
    found = _ODD.search(said)
    raised = (each for each in said if unicodedata.category(each) == 'No')
    return found[0] if found else next(raised, '')


def compared(marked: str, amounts: tuple[Amount, ...]) -> str:
    """Return a text without its amounts; a place in coordinates is always the same one."""
    place = {'x', 'y'} <= {each.key for each in amounts}
    text = _ABOUT.sub(MARK, _FOR.sub(MARK, marked))
    text = _OVER.sub('去那里', text)
    return _MARKS.sub(' ', text.replace(MARK, f' {PLACE} ', 1) if place else text).strip()


def bare(text: str) -> str:
    """Return a text as it is compared: without amounts and without what is only polite."""
    marked, amounts = extract_amounts(plain(text), frozenset('xy'), MARK)
    rest = without_courtesy(compared(marked, amounts)).strip(_ENDS)
    return rest or plain(text).strip()


def kinds_of(text: str) -> frozenset[str]:
    """Return what a text says besides a wish."""
    marked, amounts = extract_amounts(plain(text), frozenset('xy'), MARK)
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
        first.after_comma,
        max(first.times, second.times),
        max(first.things, second.things),
    )


def halves(part: GoalPart) -> list[tuple[GoalPart, GoalPart]]:
    """Return the ways to read a part as two that nothing joins, each of two words or more."""
    if part.amounts:
        return []
    ends = [match.end() for match in re.finditer(r'\s+', part.text)]
    unspaced = [match.end() for match in re.finditer('(?<=...)(?=...)', part.text)]
    cuts = ends[1:-1] if ends else unspaced
    found = [(part_of(part.text[:cut]), part_of(part.text[cut:])) for cut in cuts[:MOST_CUTS]]
    return [(a, replace(b, said=b.said.strip())) for a, b in found]
