"""Parses a goal into intents by the networks: a label, its clause, and the places in its slots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
import re
from typing import NamedTuple

import numpy as np

from bt_executive.planner.offline.amounts import MASK
from bt_executive.planner.offline.clause_parsing import Clause, part_of
from bt_executive.planner.offline.connectives_lists_and_quotations import Connective
from bt_executive.planner.offline.intent_with_its_numbers import Intent
from bt_executive.planner.offline.neural_networks import NO_TOOL, Prediction, tool_of
from bt_executive.planner.offline.tool_classifier import ToolClassifier

MOST_INTENTS = 10  # of a goal that is parsed so
# Least probability of a clause start at which the goal is cut anyway, and behind a sign.
_NEW_CLAUSE, _SIGNS = (0.5, 0.1), ',.;:!?、。'
_LEAST_OF_A_SLOT, _LEAST_OF_SEVERAL = 0.1, 0.2  # probability of a slot, of the best of several
_EMITTED = 0.1  # beside the scores of examples, for the piece at which a label is emitted
_LETTERS = re.compile('[^\\W\\d_\u3040-\u30ff\u4e00-\u9fff\u0e00-\u0e7f]{2}')
_EARLIER = re.compile('[、,](?:この前|前|以前|さっき|之前)$')  # when a thing was seen
_ARTICLE_OR_PARTICLE = re.compile(
    r'^(?:(?:the|au|aux|à la|le|la|les|der|die|das|dem|den|zum|zur|el|los|las|al|il|lo|gli|alla'
    r"|allo|ao|os) |l'|à l'|all')(?=.)|(?<=..)[はがをへに]$"
)
_AROUND_A_NAME = ' ,.!?。、"“”「」『』‘’'


class Slot(NamedTuple):
    """A name in a text: its characters, and the probability of its surest token."""

    start: int
    end: int
    likely: float


@dataclass(frozen=True)
class Parse:
    """A goal as the model understands it.

    Attributes:
        intents: In their order; none: it asks for nothing, or for what no tool does.
        confidence: Probability of exactly these intents.
        candidate_scores: Probabilities of the candidate label sequences.
    """

    intents: tuple[Intent, ...]
    confidence: float
    candidate_scores: tuple[float, ...] = ()


def parse_by_model(
    whole: Clause, classifier: ToolClassifier, candidates: Sequence[Sequence[str]] = ()
) -> Parse:
    """Return the parse of a goal by the model of its tools.

    Args:
        whole: The goal as one clause.
        classifier: With the model; tells by the examples which piece asks for which tool.
        candidates: Further label sequences, to be scored.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    if classifier.model is None:
        return Parse((), 0.0)
    text, places = _model_input(whole)
    prediction, scores = classifier.model.predict(text, candidates)
    labels = prediction.labels
    nothing = Parse((), prediction.confidence, tuple(scores))
    if NO_TOOL in labels or not 0 < len(labels) <= MOST_INTENTS:
        return nothing
    cuts = [*_cuts(prediction, text), len(text)]
    pieces = [_between(whole, places, *ends) for ends in pairwise(cuts)]
    cores = _cores(pieces, cuts, prediction, classifier)
    if len(cores) < len(labels):  # two in one piece
        return nothing
    firsts = _first_pieces(pieces, cores)
    slots = _slots(prediction, text)
    clauses, names = list[Clause](), list[str]()
    for first, end in pairwise([*firsts, len(pieces)]):
        ends = cuts[first], cuts[end]
        clauses.append(_between(whole, places, *ends))
        inside = [each for each in slots if ends[0] <= each.start < ends[1]]
        names.append(_slot_value(whole, places, inside))
    parts = (tuple(pieces[a:b]) for a, b in pairwise([*firsts, len(pieces)]))
    asked = (pieces[core] for core in cores)
    is_alone = sum(not each.is_short for each in pieces) < 2
    intents = zip(_with_inherited_units(clauses), labels, names, parts, asked, strict=True)
    return replace(nothing, intents=tuple(Intent(*each, is_alone) for each in intents))


def _cores(
    pieces: Sequence[Clause],
    cuts: Sequence[int],
    prediction: Prediction,
    classifier: ToolClassifier,
) -> list[int]:
    """Return for each label the piece that asks for it, in order; fewer: there are too few.

    A network may emit a label at any token from the end of the one before on, so that the pieces
    are those whose examples fit best; where it emits them decides between like ones.
    """
    scores = np.zeros((len(prediction.labels), len(pieces)))
    for at, match in enumerate(classifier.match([each.text for each in pieces])):
        by_name = {each.name: each.score for each in match.ranked}
        for number, label in enumerate(prediction.labels):
            is_emitted = cuts[at] <= prediction.positions[number] < cuts[at + 1]
            scores[number, at] = by_name.get(tool_of(label), 0.0) + _EMITTED * is_emitted
    best: dict[int, tuple[float, list[int]]] = {-1: (0.0, [])}  # by its last core
    for row in scores:
        best = {
            at: max(
                (total + row[at], [*cores, at])
                for last, (total, cores) in best.items()
                if last < at
            )
            for at in range(min(best, default=len(pieces)) + 1, len(pieces))
        }
    return max(best.values(), default=(0.0, []))[1]


def _first_pieces(pieces: Sequence[Clause], cores: Sequence[int]) -> list[int]:
    """Return the first piece of each intent's clause; an amount adds to the one before."""
    found = [0]
    for before, core in pairwise(cores):
        first = before + 1
        while first < core and (pieces[first].amounts or pieces[first].is_short):
            first += 1
        found.append(first)
    return found


def _with_inherited_units(clauses: Sequence[Clause]) -> Iterator[Clause]:
    """Yield clauses in which a bare number has the unit of time of a clause before.

    “Left for two seconds, straight on for five, then stop”.
    """
    unit = ''
    for clause in clauses:
        amounts = clause.amounts
        if unit and len(amounts) == 1 and not amounts[0].unit and not amounts[0].key:
            amounts = (replace(amounts[0], unit=unit, is_inherited=True),)
        unit = next((each.unit for each in amounts if each.unit == 's'), unit)
        yield replace(clause, amounts=amounts)


def model_input(whole: Clause) -> str:
    """Return the text of a goal as a network reads it: each number is the same."""
    return _model_input(whole)[0]


def _model_input(whole: Clause) -> tuple[str, list[int]]:
    """Return the text that a network reads, and for each character its place in `masked`."""
    found, places, amounts = '', list[int](), iter(whole.amounts)
    for at, character in enumerate(whole.masked):
        piece = character
        if character == MASK:
            amount = next(amounts)
            piece = f' {amount.key} 5 ' if amount.key in ('x', 'y') else f' 5 {amount.unit} '
        for each in piece:
            if each != ' ' or (found and found[-1] != ' '):
                found += each
                places.append(at)
    text = found.rstrip()
    return text, places[: len(text)]


def _cuts(prediction: Prediction, text: str) -> list[int]:
    """Return where clauses start: at probable starts, and between any two labels."""
    starts = list(zip(prediction.token_starts, prediction.clause_starts, strict=True))
    cuts = {0} | {
        start
        for start, likely in starts
        if start and likely >= _NEW_CLAUSE[text[:start].rstrip()[-1:] in _SIGNS]
    }
    for first, second in pairwise(prediction.positions):
        if not any(first < each <= second for each in cuts):
            between = [(likely, start) for start, likely in starts if first < start <= second]
            cuts |= {max(between)[1]} if between else set()
    return sorted(cuts)


def _between(whole: Clause, places: Sequence[int], start: int, end: int) -> Clause:
    """Return the clause between two characters of the network's text."""
    first = places[start] if start else 0
    last = places[end] if end < len(places) else len(whole.masked)
    return replace(part_of(whole, first, last), connective=Connective.THEN)


def _slots(prediction: Prediction, text: str) -> list[Slot]:
    """Return the slots, extended to whole words."""
    found: list[Slot] = []
    ends = [*prediction.token_starts[1:], len(text)]
    for start, end, likely in zip(prediction.token_starts, ends, prediction.slots, strict=True):
        if likely < _LEAST_OF_A_SLOT or start == end:
            continue
        if found and found[-1].end == start:
            found[-1] = Slot(found[-1].start, end, max(found[-1].likely, likely))
        else:
            found.append(Slot(start, end, likely))
    return [Slot(*_whole_words(text, each.start, each.end), each.likely) for each in found]


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    while start > 0 and _LETTERS.fullmatch(text[start - 1 : start + 1]):
        start -= 1
    while end < len(text) and _LETTERS.fullmatch(text[end - 1 : end + 1]):
        end += 1
    return start, end


def _slot_value(whole: Clause, places: Sequence[int], slots: Sequence[Slot]) -> str:
    """Return the likeliest name in a clause; empty: it has none."""
    slot = max(slots, key=lambda each: each.likely, default=None)
    if slot is None or (len(slots) > 1 and slot.likely < _LEAST_OF_SEVERAL):
        return ''
    first, last = places[slot.start], places[slot.end - 1] + 1
    amounts = iter(whole.amounts[whole.masked[:first].count(MASK) :])
    name = ''.join(
        next(amounts).surface if each == MASK else each for each in whole.masked[first:last]
    )
    return _EARLIER.sub('', _ARTICLE_OR_PARTICLE.sub('', name.strip(_AROUND_A_NAME)))
