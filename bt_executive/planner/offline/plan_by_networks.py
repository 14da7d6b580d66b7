"""Plans a goal by the intents that the networks for its tools predict, and its asides.

The goal is cut between the predicted labels where a clause most likely starts. A clause without a
label is an aside. A rule or an example may speak against the plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
import re
from typing import TypeAlias

from bt_executive.planner.offline.amounts import MASK
from bt_executive.planner.offline.clause_parsing import Clause, joined, part_of
from bt_executive.planner.offline.clause_task import ClausePlanner, Intent
from bt_executive.planner.offline.connectives_lists_and_quotations import (
    Connective,
    only_joins,
    without_arrival,
)
from bt_executive.planner.offline.courtesy_and_asides import is_about_others, is_short_verb
from bt_executive.planner.offline.modifiers import find_modifiers, is_rate, narrates_past
from bt_executive.planner.offline.neural_networks import (
    NO_TOOL,
    Prediction,
    ToolModel,
    arguments_of,
    tool_of,
)
from bt_executive.planner.offline.number_and_unit_words import normalize
from bt_executive.planner.offline.offered_tools import Tools
from bt_executive.planner.offline.one_intent_per_clause import may_be_aside
from bt_executive.planner.offline.planned_tasks import (
    ANOTHER,
    LOOK,
    ClauseRules,
    Task,
    add,
    is_bare,
    is_near,
    may_rate_picture,
    rates,
    tool_name,
)
from bt_executive.planner.offline.tool_classifier import ToolClassifier

MOST_INTENTS = 10  # of a goal that is parsed so
_NEW_CLAUSE = 0.5  # least probability of a clause start at which the goal is cut anyway
_SLOT, _PERHAPS_SLOT = 0.4, 0.2  # least probability of the surest token of a slot, and of each
_LETTERS = re.compile('[^\\W\\d_\u3040-\u30ff\u4e00-\u9fff\u0e00-\u0e7f]{2}')
_ARTICLE_OR_PARTICLE = re.compile('^the (?=.)|(?<=..)[はがをへに]$')
_AROUND_A_NAME = ' ,.!?。、"“”「」『』‘’'
Span: TypeAlias = tuple[int, int]
_Labelled: TypeAlias = tuple[Clause, str, str]  # with its label and its slot value, or empty


@dataclass(frozen=True)
class Parse:
    """A goal as the model understands it.

    Attributes:
        intents: In their order; none: it asks for nothing, or for what no tool does.
        asides: Clauses without an intent.
        confidence: Probability of exactly these intents.
        candidate_scores: Probabilities of the candidate label sequences.
    """

    intents: tuple[Intent, ...]
    asides: tuple[Clause, ...]
    confidence: float
    candidate_scores: tuple[float, ...] = ()


def parse_by_model(
    whole: Clause, model: ToolModel, candidates: Sequence[Sequence[str]] = ()
) -> Parse:
    """Return the parse of a goal by the model of its tools.

    `candidates`: further label sequences, to be scored.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    text, places = _model_input(whole)
    prediction, scores = model.predict(text, candidates)
    nothing = Parse((), (), prediction.confidence, tuple(scores))
    if NO_TOOL in prediction.labels or not 0 < len(prediction.labels) <= MOST_INTENTS:
        return nothing
    slots = _slots(prediction, text, _SLOT)
    unsure_slots = _slots(prediction, text, _PERHAPS_SLOT)
    cuts = _cuts(prediction)
    clauses: list[_Labelled] = []
    for start, end in zip(cuts, [*cuts[1:], len(text)], strict=True):
        inside = [at for at, each in enumerate(prediction.positions) if start <= each < end]
        clause = _between(whole, places, start, end)
        label = prediction.labels[inside[0]] if inside else ''
        value = _slot_value(whole, places, [each for each in slots if start <= each[0] < end])
        last = max((at for at, each in enumerate(clauses) if each[1]), default=None)
        if not label and (clause.amounts or value) and last is not None:
            _, its_label, its_value = clauses[last]  # it adds to the intent before it
            pieces = [each[0] for each in clauses[last:]]
            clauses[last:] = [(reduce(joined, [*pieces, clause]), its_label, its_value or value)]
            continue
        if label and clauses and _completes(clauses[-1], clause):
            clause = joined(clauses.pop()[0], clause)  # “to (4, 2), facing 0.5 rad”
        is_narration = bool(clauses) and narrates_past(clauses[-1][0].masked)
        if label and not value and clauses and not clauses[-1][1] and not is_narration:
            value = clauses[-1][2]  # “the trolley is gone. Where did you last see it?”
        if label and not value:
            inner = [each for each in unsure_slots if start <= each[0] < end]
            value = _slot_value(whole, places, inner)
        clauses.append((clause, label, value))
    intents = tuple(Intent(*each) for each in _with_inherited_units(clauses) if each[1])
    if [each.label for each in intents] != list(prediction.labels):  # two in one clause
        return nothing
    asides = tuple(clause for clause, label, _ in clauses if not label and clause.surface)
    return replace(nothing, intents=intents, asides=asides)


def _completes(before: _Labelled, clause: Clause) -> bool:
    """Return whether a clause without a label only says more of a place than the next one."""
    amounts = (*before[0].amounts, *clause.amounts)
    keys = [each.key for each in amounts]
    return not before[1] and {'x', 'y'} < set(keys) and all(keys) and len(set(keys)) == len(keys)


def _with_inherited_units(clauses: Sequence[_Labelled]) -> Iterator[_Labelled]:
    """Yield clauses in which a bare number has the unit of time of a clause before.

    “Left for two seconds, straight on for five, then stop”.
    """
    unit = ''
    for clause, label, value in clauses:
        amounts = clause.amounts
        if unit and len(amounts) == 1 and not amounts[0].unit and not amounts[0].key:
            amounts = (replace(amounts[0], unit=unit, is_inherited=True),)
        unit = next((each.unit for each in amounts if each.unit == 's'), unit)
        yield replace(clause, amounts=amounts), label, value


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


def _cuts(prediction: Prediction) -> list[int]:
    """Return where clauses start: at probable starts, and between any two labels."""
    starts = list(zip(prediction.token_starts, prediction.clause_starts, strict=True))
    cuts = {0} | {start for start, likely in starts if likely >= _NEW_CLAUSE and start}
    for first, second in zip(prediction.positions, prediction.positions[1:], strict=False):
        if not any(first < each <= second for each in cuts):
            between = [(likely, start) for start, likely in starts if first < start <= second]
            cuts |= {max(between)[1]} if between else set()
    return sorted(cuts)


def _between(whole: Clause, places: Sequence[int], start: int, end: int) -> Clause:
    """Return the clause between two characters of the network's text."""
    first = places[start] if start else 0
    last = places[end] if end < len(places) else len(whole.masked)
    return replace(part_of(whole, first, last), connective=Connective.THEN)


def _slots(prediction: Prediction, text: str, least: float) -> list[Span]:
    """Return the spans of slots, extended to whole words.

    `least`: Probability that the surest token of each must have.
    """
    found: list[list[int]] = []
    ends = [*prediction.token_starts[1:], len(text)]
    surest: list[float] = []
    for start, end, likely in zip(prediction.token_starts, ends, prediction.slots, strict=True):
        if likely < _PERHAPS_SLOT or start == end:
            continue
        if found and found[-1][1] == start:
            found[-1][1], surest[-1] = end, max(surest[-1], likely)
        else:
            found.append([start, end])
            surest.append(likely)
    spans = [span for span, likely in zip(found, surest, strict=True) if likely >= least]
    return [_whole_words(text, *span) for span in spans]


def _whole_words(text: str, start: int, end: int) -> Span:
    while start > 0 and _LETTERS.fullmatch(text[start - 1 : start + 1]):
        start -= 1
    while end < len(text) and _LETTERS.fullmatch(text[end - 1 : end + 1]):
        end += 1
    return start, end


def _slot_value(whole: Clause, places: Sequence[int], slots: Sequence[Span]) -> str:
    """Return the name in a clause; empty: it has none, or several."""
    if len(slots) != 1:
        return ''
    ((start, end),) = slots
    first, last = places[start], places[end - 1] + 1
    amounts = iter(whole.amounts[whole.masked[:first].count(MASK) :])
    name = ''.join(
        next(amounts).surface if each == MASK else each for each in whole.masked[first:last]
    )
    return _ARTICLE_OR_PARTICLE.sub('', name.strip(_AROUND_A_NAME))


CERTAIN = 0.6  # confidence from which negations and conditions are taken as understood
CLEAR_ASIDE = 0.6  # least score of a rival for an aside beside intents that are certain
_WORDS_OF_AN_ASIDE = 3
_NEVER_AN_ASIDE = frozenset({'condition', 'manner', 'ending'})


def _has_rate(clause: Clause) -> bool:
    return bool(clause.amounts) and any(map(is_rate, clause.modifiers))


def _is_short(text: str) -> bool:
    """Return whether a text is too short to be an aside by itself: “not”, “he”."""
    return len(text.split()) < _WORDS_OF_AN_ASIDE and text.isascii()


class IntentPlanner:
    """Plans one goal by its intents, and keeps what was named in it.

    Args:
        alone: Whether the goal has one intent.
    """

    def __init__(self, tools: Tools, classifier: ToolClassifier, alone: bool, goal: str) -> None:
        self._tools, self._classifier, self._goal = tools, classifier, goal
        self._clauses = ClausePlanner(tools, classifier, alone, goal)
        self._rules = ClauseRules(tools, goal)

    def tasks(self, parse: Parse) -> list[Task] | str:
        """Return the tasks of a parse, or the rest of a sentence why it is declined."""
        tasks: list[Task] = []
        before: Clause | None = None
        certain = parse.confidence >= CERTAIN
        if reason := self._why_no_aside(parse, certain):
            return reason
        for number, intent in enumerate(parse.intents, 1):
            clause = intent.clause
            if intent.label == LOOK and self._rules.only_rates(clause, tasks):
                continue
            has_words = any(map(str.isalpha, clause.masked))
            if before and (not has_words or clause.text == before.text):
                return f'it is not sure that this is all: “{clause.text:.60}”'
            is_last = number == len(parse.intents)
            is_same = before and intent.label == parse.intents[number - 2].label
            if is_same and self._is_once(intent.label):
                return f'it is not sure whether “{clause.text:.60}” asks for more'
            task = self._clauses.intent_task(intent, before is not None, is_last, certain)
            if isinstance(task, str):
                return task
            if before and self._is_introduced(before, task):
                tasks.pop()
            is_another = clause.modifiers & ANOTHER
            if not is_another and may_rate_picture(task, tasks, clause, before):
                continue
            if not self._rules.merge_question(task, tasks):
                same_text = before is not None and clause.text == before.text
                moves = bool(self._tools[tool_name(task)].resources)
                add(task, tasks, clause.connective, same_text, moves)
            before = clause
        if any(map(self._rules.waits, tasks[:-1])):
            return 'it cannot wait for a condition, or choose, beside other wishes'
        return tasks

    def _is_introduced(self, before: Clause, task: Task) -> bool:
        (match,) = self._classifier.match([before.text])
        return self._rules.may_introduce(before, match) and self._rules.introduces(match, task)

    def _is_once(self, label: str) -> bool:
        """Return whether a label that is predicted twice in a row is rather one intent."""
        tool = self._tools.get(tool_of(label))
        return tool is not None and tool.name != LOOK and not tool.text_argument

    def _why_no_aside(self, parse: Parse, certain: bool) -> str:
        """Return why a clause without a label is no aside; empty: all of them are."""
        last = parse.asides[-1].text if parse.asides else ''
        goal = normalize(self._goal).rstrip(' .!?')
        if last and only_joins(last) and re.search(rf'(?<![a-z]){re.escape(last)}$', goal):
            return f'it is not sure that this is all: “{last}”'
        texts = [without_arrival(each.text) for each in parse.asides]
        asides = [
            (clause, text)
            for clause, text in zip(parse.asides, texts, strict=True)
            if text and not only_joins(text)
        ]
        matches = self._classifier.match([text for _, text in asides])
        names = {tool_of(each.label) for each in parse.intents}
        waiting = {
            tool_of(each.label)
            for each in parse.intents
            if any(arguments_of(each.label).values()) or _has_rate(each.clause)
        }
        for (clause, text), match in zip(asides, matches, strict=True):
            kinds = {each.partition(':')[0] for each in find_modifiers(text)}
            never = kinds & _NEVER_AN_ASIDE and not (certain and is_about_others(text))
            is_known = may_be_aside(replace(clause, text=text)) or (
                certain and not _is_short(text)
            )
            has_more = clause.unparsed.strip() or clause.amounts
            if LOOK in names and rates(text) and not has_more:
                continue  # it is about the picture
            if is_bare(clause) and is_near(match, waiting):
                continue  # “keep an eye on it and …”
            if has_more or never or is_short_verb(text) or not is_known:
                return f'no tool covers “{clause.text:.60}”'
            is_rival = match.best.name in self._tools and match.best.name not in names
            if not is_rival or (certain and match.best.score < CLEAR_ASIDE):
                continue
            if match.is_sure or not self._classifier.are_asides([text])[0]:
                return f'it is not sure that this is all: “{clause.text:.60}”'
        return ''
