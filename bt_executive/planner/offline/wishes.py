"""The wishes of a goal: its parts, without what is only said around them; halves of one part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
import re

from bt_executive.planner.offline.asides import read_sentences
from bt_executive.planner.offline.clauses import GoalPart, halves, joined, parse_goal, part_of
from bt_executive.planner.offline.connectives import (
    Joint,
    behind_arrival,
    in_execution_order,
    is_reason,
)
from bt_executive.planner.offline.example_table import NONE, POLITE
from bt_executive.planner.offline.example_vectors import Match
from bt_executive.planner.offline.function_words import (
    asks_in_japanese,
    is_desire,
    kinds,
    tells_of_others,
    without_announcement,
)
from bt_executive.planner.offline.numbers_with_units import normalize
from bt_executive.planner.offline.offered_tools import Tools, slot_of
from bt_executive.planner.offline.tool_by_examples import Meanings

_CERTAIN = 0.95  # similarity to an example from which a text is not read as two wishes
HALF = 0.8  # least similarity of each half of a text that is two wishes
_CLEAR = 0.85  # least similarity of a second half that could be the name of a thing
_BETTER = 0.1  # by how much the worse half must fit better than the whole
_LEADS_AWAY = 0.02  # by how much less a wish may score with the fragment that is joined to it
_ANOTHER = 0.5  # least score of a part that is rather a wish of its own than a part of one
_NO_ASIDE = frozenset({'question', 'asking', 'condition', 'ending', 'manner'})


def parts_of(goal: str, tools: Tools, meanings: Meanings) -> tuple[GoalPart, list[GoalPart]]:
    """Return a goal as one part, and its parts, without slips of the keyboard.

    Args:
        goal: What was said.
        tools: Those that are offered.
        meanings: Their examples.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    text = without_announcement(goal) or goal
    for name, tool in tools.items():
        text = re.sub(rf'(?<![\w]){re.escape(name)}(?![\w])', tool.spaced, text)
    arguments = {name for tool in tools.values() for name in tool.properties}
    whole, parts = parse_goal(text, arguments)
    if not meanings.know([whole.text]) and not meanings.know(each.text for each in parts):
        whole, parts = parse_goal(
            in_execution_order(meanings.corrected(normalize(text))), arguments
        )
    return whole, [each for each in parts if each.text or each.amounts]


def without_arrivals(parts: Sequence[GoalPart]) -> list[GoalPart]:
    """Return parts without what only says that the one before is done: “when you are there”."""
    found: list[GoalPart] = []
    follows = False
    for part in parts:
        marked = behind_arrival(part.marked) if found else part.marked
        said = part if marked == part.marked else part_of(marked, part.amounts)
        follows = follows or said is not part
        if said.text or said.amounts:
            found.append(replace(said, joint=Joint.THEN if follows else part.joint))
            follows = False
    return found


def wishes(
    whole: GoalPart,
    parts: list[GoalPart],
    tools: Tools,
    meanings: Meanings,
    most: int,
    with_asides: bool = False,
) -> list[GoalPart]:
    """Return the parts of a goal, each of which is one wish; more than `most` as they stand.

    Args:
        whole: The goal as one part.
        parts: As marks and words part it.
        tools: Those that are offered.
        meanings: Their examples.
        most: Parts that are looked at more closely.
        with_asides: Whether what is said around the wishes is left in.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    if len(parts) == 1 or len(parts) > most or meanings.know(each.text for each in parts):
        return parts
    if meanings.match([whole.text])[0].similarity >= _CERTAIN:
        return [whole]  # an example is one wish
    if not with_asides:
        parts = _without_asides(parts, meanings)
    return _rejoined(parts, meanings, tools)


def _without_asides(parts: Sequence[GoalPart], meanings: Meanings) -> list[GoalPart]:
    """Return the parts but for what is said around them; all of them if nothing else is left."""
    may = [
        each for at, each in enumerate(parts) if _stands_apart(parts, at) and may_be_aside(each)
    ]
    found = meanings.asides([each.text for each in may]) if may else []
    asides = [
        each
        for each, is_so in zip(may, found, strict=True)
        if (is_so or is_reason(each.text)) and not _is_declared(each, meanings)
    ]
    return [each for each in parts if each not in asides] or list(parts)


def _stands_apart(parts: Sequence[GoalPart], at: int) -> bool:
    """Return whether a mark parts a part from the rest, or it says itself that it is a reason."""
    beside = [
        each.joint for each in (*(parts[at : at + 1] if at else ()), *parts[at + 1 : at + 2])
    ]
    return is_reason(parts[at].text) or min(beside, default=Joint.THEN) < Joint.AND


def _is_declared(part: GoalPart, meanings: Meanings) -> bool:
    """Return whether a part says that something is wanted which a tool does."""
    if not is_desire(part.said):
        return False
    (match,) = meanings.match([part.text])
    return match.is_sure and match.best.name not in (NONE, POLITE)


def may_be_aside(part: GoalPart) -> bool:
    """Return whether a part may be no wish: it does not ask, measure or set a condition."""
    measures = any(each.unit or each.key for each in part.amounts)
    if part.text in read_sentences('asides.txt'):
        return True
    said = {each.partition(':')[0] for each in kinds(part.text)}
    open_ = said & ({'question', 'asking'} if is_reason(part.text) else _NO_ASIDE)
    if 'past' in said and part.text.isalpha() and part.text.isascii():
        return False  # a pronoun alone says nothing of whom it tells
    denies = 'negation' in said and not tells_of_others(part.text)
    return not (measures or open_ or part.odd or denies or asks_in_japanese(part.text))


def _rejoined(parts: Sequence[GoalPart], meanings: Meanings, tools: Tools) -> list[GoalPart]:
    """Join parts that only a comma parts, where one of them is no wish: “slowly, please, stop”.

    What is added must not lead away from the wish beside it.
    """
    found: list[GoalPart] = []
    for part in parts:
        if found and part.after_comma:
            whole = joined(found[-1], part)
            before, this, both = meanings.match([found[-1].text, part.text, whole.text])
            is_one = both.is_sure and both.best.name not in (NONE, POLITE)
            lone = [
                each
                for each in (before, this)
                if not each.is_sure and not each.is_polite and not _is_another(each, both)
            ]
            wish = [each for each in (before, this) if each.is_sure]
            answers = (
                is_one
                and both.best.name == before.best.name
                and tools[both.best.name].topics
                and 'question' not in found[-1].kinds
            )
            if is_one and lone and (answers or all(_stays(both, each) for each in wish)):
                found[-1] = whole
                continue
        found.append(part)
    return found


def _is_another(lone: Match, whole: Match) -> bool:
    """Return whether a part that is not sure is rather another wish than a part of the whole."""
    best = lone.best
    return best.name not in (NONE, POLITE, whole.best.name) and best.score >= _ANOTHER


def _stays(whole: Match, wish: Match) -> bool:
    """Return whether a wish stays the same with what is added to it."""
    if wish.similarity >= _CERTAIN:  # an example, which scores most by itself
        return whole.best.name == wish.best.name and whole.similarity >= _CLEAR
    return whole.best.score >= wish.best.score - _LEADS_AWAY


def two_wishes(
    part: GoalPart, match: Match, tools: Tools, meanings: Meanings
) -> list[tuple[GoalPart, Match]]:
    """Return the two wishes that a part is although nothing joins them; empty: it is one."""
    if match.similarity >= _CERTAIN or not (pairs := halves(part)):
        return []
    found = meanings.match([half.text for pair in pairs for half in pair])
    best = tools.get(match.best.name)
    names_things = best is not None and any(map(slot_of, best.examples))
    for pair, first, second in zip(pairs, found[::2], found[1::2], strict=True):
        two = first.is_sure and second.is_sure and first.best.name != second.best.name
        own = {first.best.name, second.best.name} <= set(tools)
        worse = min(first.best.score, second.best.score)
        alike = min(first.similarity, second.similarity)
        # The best tool is told a thing, which could hide another wish.
        hidden = second.similarity >= _CLEAR and first.best.name == match.best.name
        better = worse >= match.best.score + _BETTER or (hidden and names_things)
        if two and own and alike >= HALF and better:
            return [(pair[0], first), (pair[1], second)]
    return []
