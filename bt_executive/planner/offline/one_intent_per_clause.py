"""The clauses of a goal with one intent each: asides left out, fragments joined, pairs split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
import re

from bt_executive.planner.offline.clause_parsing import (
    Clause,
    halves,
    joined,
    parse_clause,
    parse_goal,
)
from bt_executive.planner.offline.connectives_lists_and_quotations import (
    Connective,
    behind_arrival,
    ends_in_reason,
    in_execution_order,
    is_reason,
    without_list_markers,
)
from bt_executive.planner.offline.courtesy_and_asides import (
    asks_in_japanese,
    is_about_others,
    is_desire,
    read_sentences,
    without_announcement,
)
from bt_executive.planner.offline.example_vectors import Match
from bt_executive.planner.offline.modifiers import find_modifiers, is_inability
from bt_executive.planner.offline.offered_tools import Tools
from bt_executive.planner.offline.table_of_examples import NONE, POLITE
from bt_executive.planner.offline.text_normalization import normalize
from bt_executive.planner.offline.tool_classifier import ToolClassifier

_CERTAIN = 0.95  # similarity to an example from which a text is not split
HALF = 0.8  # least similarity of each half of a clause that is split
_CLEAR = 0.85  # least similarity of a second half that could be the name of a thing
_BETTER = 0.1  # by how much the worse half must score better than the whole
_MOST_LOST = 0.02  # of the score of a clause when a fragment is joined to it
_OWN_INTENT = 0.5  # least score of an unclear clause that has rather an intent of its own
_NO_ASIDE = frozenset({'question', 'asking', 'condition', 'ending', 'manner'})


def read_clauses(
    goal: str, tools: Tools, classifier: ToolClassifier
) -> tuple[Clause, list[Clause]]:
    """Return a goal as one clause, and its clauses, with typing errors corrected.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    text = without_list_markers(without_announcement(goal) or goal)
    for name, tool in tools.items():
        text = re.sub(rf'(?<![\w]){re.escape(name)}(?![\w])', tool.spaced, text)
    arguments = {name for tool in tools.values() for name in tool.numbers}
    whole, clauses = parse_goal(text, arguments)
    texts = [clause.text for clause in clauses]
    if not classifier.are_examples([whole.text]) and not classifier.are_examples(texts):
        corrected = classifier.correct_spelling(normalize(text))
        whole, clauses = parse_goal(in_execution_order(corrected), arguments)
    return whole, [clause for clause in clauses if clause.text or clause.amounts]


def without_arrivals(clauses: Sequence[Clause]) -> list[Clause]:
    """Return clauses without phrases for the end of the one before: “when you are there”."""
    found: list[Clause] = []
    follows = False
    for clause in clauses:
        masked = behind_arrival(clause.masked) if found else clause.masked
        rest = clause if masked == clause.masked else parse_clause(masked, clause.amounts)
        follows = follows or rest is not clause
        if rest.text or rest.amounts:
            connective = Connective.THEN if follows else clause.connective
            found.append(replace(rest, connective=connective))
            follows = False
    return found


def merge_clauses(
    whole: Clause,
    clauses: list[Clause],
    tools: Tools,
    classifier: ToolClassifier,
    most: int,
    with_asides: bool = False,
) -> list[Clause]:
    """Return clauses with one intent each; more than `most` are returned unchanged.

    They come as punctuation and connectives separate them; `whole` is the goal as one clause.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    is_long = len(clauses) > most
    if len(clauses) == 1 or is_long or classifier.are_examples(each.text for each in clauses):
        return clauses
    if classifier.match([whole.text])[0].similarity >= _CERTAIN:
        return [whole]  # an example has one intent
    if not with_asides:
        clauses = _without_asides(clauses, classifier)
    return _rejoined(clauses, classifier, tools)


def _without_asides(clauses: Sequence[Clause], classifier: ToolClassifier) -> list[Clause]:
    """Return clauses without asides; all of them if nothing else is left."""
    candidates = [
        clause
        for at, clause in enumerate(clauses)
        if _stands_apart(clauses, at) and may_be_aside(clause)
    ]
    found = classifier.are_asides([each.text for each in candidates]) if candidates else []
    asides = [
        clause
        for clause, is_aside in zip(candidates, found, strict=True)
        if (is_aside or is_reason(clause.text)) and not _is_desired(clause, classifier)
    ]
    return [clause for clause in clauses if clause not in asides] or list(clauses)


def _stands_apart(clauses: Sequence[Clause], at: int) -> bool:
    """Return whether punctuation separates a clause from the others, or it is a reason."""
    beside = [*(clauses[at : at + 1] if at else ()), *clauses[at + 1 : at + 2]]
    weakest = min((each.connective for each in beside), default=Connective.THEN)
    return is_reason(clauses[at].text) or weakest < Connective.AND


def _is_desired(clause: Clause, classifier: ToolClassifier) -> bool:
    """Return whether a clause states a desire that a tool fulfils."""
    if not is_desire(clause.surface):
        return False
    (match,) = classifier.match([clause.text])
    return match.is_sure and match.best.name not in (NONE, POLITE)


def may_be_aside(clause: Clause) -> bool:
    """Return whether a clause may be an aside: it does not ask, measure or set a condition."""
    measures = any(each.unit or each.key for each in clause.amounts)
    if clause.text in read_sentences('asides.txt'):
        return True
    kinds = {each.partition(':')[0] for each in find_modifiers(clause.text)}
    excluded = kinds & ({'question', 'asking'} if is_reason(clause.text) else _NO_ASIDE)
    if 'past' in kinds and clause.text.isalpha() and clause.text.isascii():
        return False  # a pronoun alone does not say of whom it is
    states = ends_in_reason(clause.text) or is_inability(clause.text)
    denies = 'negation' in kinds and not states and not is_about_others(clause.text)
    is_asking = asks_in_japanese(clause.text)
    return not (measures or excluded or clause.unparsed or denies or is_asking)


def _rejoined(clauses: Sequence[Clause], classifier: ToolClassifier, tools: Tools) -> list[Clause]:
    """Join clauses at a comma where one of them has no intent: “slowly, please, stop”.

    The intent of the other one must stay the same.
    """
    found: list[Clause] = []
    for clause in clauses:
        if found and clause.after_comma:
            whole = joined(found[-1], clause)
            before, this, both = classifier.match([found[-1].text, clause.text, whole.text])
            is_one = both.is_sure and both.best.name not in (NONE, POLITE)
            unclear = [
                each
                for each in (before, this)
                if not each.is_sure and not each.is_polite and not _has_own_intent(each, both)
            ]
            clear = [each for each in (before, this) if each.is_sure]
            answers = (
                is_one
                and both.best.name == before.best.name
                and tools[both.best.name].topics
                and 'question' not in found[-1].modifiers
            )
            if is_one and unclear and (answers or all(_stays(both, each) for each in clear)):
                found[-1] = whole
                continue
        found.append(clause)
    return found


def _has_own_intent(unclear: Match, whole: Match) -> bool:
    """Return whether an unclear clause has rather another intent than the joined one."""
    best = unclear.best
    return best.name not in (NONE, POLITE, whole.best.name) and best.score >= _OWN_INTENT


def _stays(whole: Match, clear: Match) -> bool:
    """Return whether a clear clause keeps its intent when a fragment is joined to it."""
    if clear.similarity >= _CERTAIN:  # an example, which scores most by itself
        return whole.best.name == clear.best.name and whole.similarity >= _CLEAR
    return whole.best.score >= clear.best.score - _MOST_LOST


def split_clause(
    clause: Clause, match: Match, tools: Tools, classifier: ToolClassifier
) -> list[tuple[Clause, Match]]:
    """Return the halves of a clause with two intents that nothing joins; empty: it has one."""
    if match.similarity >= _CERTAIN or not (pairs := halves(clause)):
        return []
    matches = classifier.match([half.text for pair in pairs for half in pair])
    best = tools.get(match.best.name)
    has_slot = best is not None and best.has_slots
    for pair, first, second in zip(pairs, matches[::2], matches[1::2], strict=True):
        are_two = first.is_sure and second.is_sure and first.best.name != second.best.name
        are_tools = {first.best.name, second.best.name} <= set(tools)
        score = min(first.best.score, second.best.score)
        similarity = min(first.similarity, second.similarity)
        # A slot of the best tool could hide another intent.
        is_hidden = second.similarity >= _CLEAR and first.best.name == match.best.name
        is_better = score >= match.best.score + _BETTER or (is_hidden and has_slot)
        if are_two and are_tools and similarity >= HALF and is_better:
            return [(pair[0], first), (pair[1], second)]
    return []
