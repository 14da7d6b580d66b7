"""Takes a goal apart: what is asked for, with which amounts, in which order."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
import re
import unicodedata

from bt_executive.planner.offline.amounts import Amount, extract_amounts, plain
from bt_executive.planner.offline.languages import kinds, split, without_courtesy

MOST_CUTS = 8  # ways to read a part as two
LONGEST_GOAL = 500  # characters; this bounds the time that reading takes
_MARK = '\ue000'  # stands in a text for an amount
_MARKS = re.compile(rf'\s*{_MARK}\s*')
_BETWEEN = re.compile(rf'(?<={_MARK})\s*[,、]\s*(?={_MARK})')  # of x 3, y 2
_FOR = re.compile(
    rf"\b(?:for|about|around|during|für|pendant|durante|per|voor|de|d') *(?={_MARK})"
)
_ABOUT = re.compile(rf'(?<={_MARK}) *(?:だけ|ほど|くらい|ぐらい|間|左右|lang\b)')
_OVER = re.compile(r'(?<![前左右后])(?:[开走跑驶]|移动)过去')  # “over there”, of no direction
PLACE = 'x 5 y 3'  # stands for the coordinates of a place
_WORD = re.compile(r'\w')
_ENDS = ' ?!.,。、，？！¿¡'
_ODD = re.compile(
    r"[^\w\s'’,.?!:;()\[\]\"“”「」『』。、，？！・/*&…~ー¿¡-]|\d|(?<!\w)[-*]|[-*/](?!\w)"
)
_LATER = re.compile(
    rf'\b(?:in|within|after|nach|dans|en|tra|over|через) {_MARK}'
    rf'|{_MARK} ?(?:後(?![退ろ方進])|后(?![退面方])|之后|以后|later)'
)
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
    """

    said: str
    text: str
    amounts: tuple[Amount, ...] = ()
    kinds: frozenset[str] = frozenset()
    odd: str = ''
    twice: str = ''
    later: bool = False
    after_comma: bool = False


def read_goal(goal: str, arguments: Collection[str]) -> tuple[GoalPart, list[GoalPart]]:
    """Return a goal as one part, and its parts.

    A part without words of its own belongs to its neighbour.

    Args:
        goal: What was said, at most `LONGEST_GOAL` characters.
        arguments: Names of the tools' arguments: a number that follows one is meant for it.
    """
    marked, amounts = extract_amounts(plain(goal), frozenset(map(str.lower, arguments)), _MARK)
    said: list[tuple[str, bool]] = []
    for text, after_comma in split(_BETWEEN.sub(' ', marked)):
        if not text:
            continue
        if said and not (_WORD.search(text) and _WORD.search(said[-1][0])):
            said[-1] = (f'{said[-1][0]} {text}', said[-1][1])
        else:
            said.append((text, after_comma))
    parts, at = [], 0
    for text, after_comma in said or [('', False)]:
        count = text.count(_MARK)
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
    )


def _odd(said: str) -> str:
    """Return a sign or a number that cannot be read; empty: there is none."""
    found = _ODD.search(said)
    raised = (each for each in said if unicodedata.category(each) == 'No')
    return found[0] if found else next(raised, '')


def compared(marked: str, amounts: tuple[Amount, ...]) -> str:
    """Return a text without its amounts; a place in coordinates is always the same one."""
    place = {'x', 'y'} <= {each.key for each in amounts}
    text = _ABOUT.sub(_MARK, _FOR.sub(_MARK, marked))
    text = _OVER.sub('去那里', text)
    return _MARKS.sub(' ', text.replace(_MARK, f' {PLACE} ', 1) if place else text).strip()


def bare(text: str) -> str:
    """Return a text as it is compared: without amounts and without what is only polite."""
    marked, amounts = extract_amounts(plain(text), frozenset('xy'), _MARK)
    rest = without_courtesy(compared(marked, amounts)).strip(_ENDS)
    return rest or plain(text).strip()


def kinds_of(text: str) -> frozenset[str]:
    """Return what a text says besides a wish."""
    marked, amounts = extract_amounts(plain(text), frozenset('xy'), _MARK)
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
