"""Reads a goal by a model of its tools: what it asks for, and which of its words are for which.

The model hears wishes one after another (`neural_networks`). The goal is cut between them where
it hears something new begin; what stands apart and asks for nothing is only said around them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
import re
from typing import TypeAlias

from bt_executive.planner.offline.clauses import GoalPart, joined, part_of
from bt_executive.planner.offline.connectives import (
    Joint,
)
from bt_executive.planner.offline.function_words import (
    MARK,
)
from bt_executive.planner.offline.neural_networks import NO_TOOL, Prediction, ToolModel

MOST_WISHES = 10  # of a goal that is read so
_NEW = 0.5  # least likelihood that something new begins where nothing must
# Least likelihoods that a piece belongs to what a thing is called, of the surest and of each.
_NAME, _PERHAPS_NAME = 0.4, 0.2
_LETTERS = re.compile('[^\\W\\d_\u3040-\u30ff\u4e00-\u9fff\u0e00-\u0e7f]{2}')
_PARTICLE = re.compile('(?<=..)[はがをへに]$')
_AROUND_A_NAME = ' ,.!?。、"“”「」『』‘’'
Span: TypeAlias = tuple[int, int]
Part: TypeAlias = tuple[GoalPart, str, str]  # with its class and what it names, or nothing


@dataclass(frozen=True)
class Wish:
    """A part of a goal that asks for one class of the model.

    Attributes:
        part: Its words.
        name: The class.
        thing: What it names; empty: nothing.
    """

    part: GoalPart
    name: str
    thing: str


@dataclass(frozen=True)
class Reading:
    """What a goal asks for.

    Attributes:
        wishes: In their order; none: it asks for what no tool does, or for nothing.
        around: What is only said around them.
        likely: How likely it asks for exactly these.
        others: How likely it asks for what was asked about.
    """

    wishes: tuple[Wish, ...]
    around: tuple[GoalPart, ...]
    likely: float
    others: tuple[float, ...] = ()


def read_by_model(
    whole: GoalPart, model: ToolModel, others: Sequence[Sequence[str]] = ()
) -> Reading:
    """Return what a goal asks for by its model.

    Args:
        whole: The goal as one part.
        model: Of its tools.
        others: Further classes one after another, of which is to be known how likely they are.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    text, places = _model_input(whole)
    prediction, scores = model.predict(text, others)
    if NO_TOOL in prediction.labels or not 0 < len(prediction.labels) <= MOST_WISHES:
        return Reading((), (), prediction.confidence, tuple(scores))
    names = _names(prediction, text, _NAME)
    perhaps = _names(prediction, text, _PERHAPS_NAME)
    cuts = _cuts(prediction)
    parts: list[Part] = []
    for begin, end in zip(cuts, [*cuts[1:], len(text)], strict=True):
        inside = [at for at, each in enumerate(prediction.positions) if begin <= each < end]
        part = _between(whole, places, begin, end)
        name = prediction.labels[inside[0]] if inside else ''
        thing = _thing(whole, places, [each for each in names if begin <= each[0] < end])
        last = max((at for at, each in enumerate(parts) if each[1]), default=None)
        if not name and (part.amounts or thing) and last is not None:
            _, its, named = parts[last]  # it says more of the wish before it
            both = [each[0] for each in parts[last:]]
            parts[last:] = [(reduce(joined, [*both, part]), its, named or thing)]
            continue
        if name and not thing and parts and not parts[-1][1]:
            thing = parts[-1][2]  # “the trolley is gone. Where did you last see it?”
        if name and not thing:
            thing = _thing(whole, places, [each for each in perhaps if begin <= each[0] < end])
        parts.append((part, name, thing))
    wishes = tuple(Wish(*each) for each in _in_one_unit(parts) if each[1])
    if [each.name for each in wishes] != list(prediction.labels):  # two at one place
        return Reading((), (), prediction.confidence, tuple(scores))
    around = tuple(part for part, name, _ in parts if not name and part.said)
    return Reading(wishes, around, prediction.confidence, tuple(scores))


def _in_one_unit(parts: Sequence[Part]) -> Iterator[Part]:
    """Yield parts in which a bare number has the unit of time that was said before it.

    “Left for two seconds, straight on for five, then stop”.
    """
    unit = ''
    for part, name, thing in parts:
        own = part.amounts
        if unit and len(own) == 1 and not own[0].unit and not own[0].key:
            own = (replace(own[0], unit=unit, is_like=True),)
        unit = next((each.unit for each in own if each.unit == 's'), unit)
        yield replace(part, amounts=own), name, thing


def model_input(whole: GoalPart) -> str:
    """Return the words of a goal as its model reads them: all numbers are the same one."""
    return _model_input(whole)[0]


def _model_input(whole: GoalPart) -> tuple[str, list[int]]:
    """Return a goal as its model reads it, and for each character where it stands in its marks."""
    found, places, amounts = '', list[int](), iter(whole.amounts)
    for at, character in enumerate(whole.marked):
        piece = character
        if character == MARK:
            amount = next(amounts)
            piece = f' {amount.key} 5 ' if amount.key in ('x', 'y') else f' 5 {amount.unit} '
        for each in piece:
            if each != ' ' or (found and found[-1] != ' '):
                found += each
                places.append(at)
    text = found.rstrip()
    return text, places[: len(text)]


def _cuts(prediction: Prediction) -> list[int]:
    """Return where parts begin: between any two wishes, and where something new begins."""
    new = {0} | {
        start
        for start, likely in zip(prediction.token_starts, prediction.clause_starts, strict=True)
        if likely >= _NEW and start
    }
    for first, second in zip(prediction.positions, prediction.positions[1:], strict=False):
        if not any(first < each <= second for each in new):
            between = [
                (likely, start)
                for start, likely in zip(
                    prediction.token_starts, prediction.clause_starts, strict=True
                )
                if first < start <= second
            ]
            new |= {max(between)[1]} if between else set()
    return sorted(new)


def _between(whole: GoalPart, places: Sequence[int], begin: int, end: int) -> GoalPart:
    """Return the part of a goal between two characters of what the model reads."""
    first = places[begin] if begin else 0
    last = places[end] if end < len(places) else len(whole.marked)
    marked = whole.marked[first:last]
    skipped = whole.marked[:first].count(MARK)
    its = whole.amounts[skipped : skipped + marked.count(MARK)]
    return replace(part_of(marked.strip(), its), joint=Joint.THEN)


def _names(prediction: Prediction, text: str, least: float) -> list[Span]:
    """Return where the names of things begin and end, whole words each.

    `least`: How likely the surest piece of each must be.
    """
    found: list[list[int]] = []
    ends = [*prediction.token_starts[1:], len(text)]
    surest = [0.0]
    for start, end, likely in zip(prediction.token_starts, ends, prediction.slots, strict=True):
        if likely < _PERHAPS_NAME or start == end:
            continue
        if found and found[-1][1] == start:
            found[-1][1], surest[-1] = end, max(surest[-1], likely)
        else:
            found.append([start, end])
            surest.append(likely)
    spans = [each for each, sure in zip(found, surest[1:], strict=True) if sure >= least]
    return [_whole_words(text, *each) for each in spans]


def _whole_words(text: str, begin: int, end: int) -> Span:
    while begin > 0 and _LETTERS.fullmatch(text[begin - 1 : begin + 1]):
        begin -= 1
    while end < len(text) and _LETTERS.fullmatch(text[end - 1 : end + 1]):
        end += 1
    return begin, end


def _thing(whole: GoalPart, places: Sequence[int], names: Sequence[Span]) -> str:
    """Return what a part names; empty: nothing, or several things."""
    if len(names) != 1:
        return ''
    ((begin, end),) = names
    first, last = places[begin], places[end - 1] + 1
    numbers = iter(whole.amounts[whole.marked[:first].count(MARK) :])
    named = ''.join(
        next(numbers).said if each == MARK else each for each in whole.marked[first:last]
    )
    return _PARTICLE.sub('', named.strip(_AROUND_A_NAME))
