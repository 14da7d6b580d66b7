"""Finds the acts that a goal clearly asks for, by any planner, whether or not all can be planned.

Questions, negations and conditions with what depends on them are left out. A clause that is not
understood still yields its amounts, which some call must match.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
import re

from bt_executive.core.requested_acts import RequestedAct
from bt_executive.planner.offline.amounts import Amount
from bt_executive.planner.offline.argument_filling import argument_for, fill, unit_of, value_in
from bt_executive.planner.offline.clause_parsing import Clause, once
from bt_executive.planner.offline.example_vectors import Match
from bt_executive.planner.offline.modifiers import doubtful_modifiers, find_modifiers
from bt_executive.planner.offline.offered_tools import ENDINGS, Tools
from bt_executive.planner.offline.one_intent_per_clause import (
    merge_clauses,
    read_clauses,
    split_clause,
)
from bt_executive.planner.offline.tool_classifier import ToolClassifier, classifier_for

MOST_CLAUSES = 60
MOST_CHARACTERS = 4000
# To hold back an act of another planner takes more confidence than to plan it.
CLEAR, ALIKE = 0.4, 0.6  # least score and least similarity to an example
FAR = 0.3  # least score of a tool that takes the given metres
NEAR = 0.2  # distance to the best score of a tool that may be meant


def asked_acts(goal: str, tools: Tools, no_tool: tuple[str, ...] = ()) -> tuple[RequestedAct, ...]:
    """Return what a goal clearly asks for, in order.

    Raises:
        ModelError: The sentence encoder is needed, and is not there.
    """
    offered = {name: tool for name, tool in tools.items() if name not in ENDINGS}
    if not offered:
        return ()
    return tuple(_acts(goal, offered, classifier_for(offered, no_tool)))


def _acts(goal: str, tools: Tools, classifier: ToolClassifier) -> Iterator[RequestedAct]:
    whole, pieces = read_clauses(goal, tools, classifier)
    merged = merge_clauses(whole, pieces, tools, classifier, MOST_CLAUSES)[:MOST_CLAUSES]
    clauses = [
        once(each) for at, each in enumerate(merged) if not at or not each.repeats(merged[at - 1])
    ]
    matches = classifier.match([each.text for each in clauses])
    found: list[tuple[Clause, list[RequestedAct]]] = []
    for clause, match in zip(clauses, matches, strict=True):
        halves = split_clause(clause, match, tools, classifier)
        if not halves or not classifier.are_examples(half.text for half, _ in halves):
            halves = [(clause, match)]
        acts = [_act(half, each, tools, classifier) for half, each in halves]
        if not any(acts):
            acts = [_not_understood(clause, match, tools)]
        found.append((clause, [each for each in acts if each is not None]))
        if not found[-1][1] and _is_condition(clause):
            found = found[: -2 if clause.after_comma else -1]
            break
    for _, acts_of_clause in found:
        yield from acts_of_clause


def _is_condition(clause: Clause) -> bool:
    return any(
        each.startswith('condition') for each in doubtful_modifiers(find_modifiers(clause.text))
    )


def _act(
    clause: Clause, match: Match, tools: Tools, classifier: ToolClassifier
) -> RequestedAct | None:
    """Return the act that a clause clearly asks for."""
    by_distance = _tools_for_distance(clause, match, tools)
    clear = match.is_sure and match.best.score >= CLEAR and match.similarity >= ALIKE
    clear = clear and (not by_distance or match.best.name in by_distance)
    best = tools.get(
        match.best.name if clear else _named(clause, match, tools) or ''.join(by_distance[:1])
    )
    if best is None or clause.is_delayed:
        return None
    if _is_condition(clause) and not classifier.are_examples([clause.text]):
        return None
    example = classifier.example_for(
        clause.text, best.name, doubtful_modifiers(find_modifiers(clause.text))
    )
    if example is None:
        return None
    least = match.best.score - NEAR
    near = [each.name for each in match.ranked if each.score >= least and each.name in tools]
    others = by_distance if best.name in by_distance and not clear else near
    meant = tuple(dict.fromkeys((best.name, *others)))
    filled = fill(best, clause, dict(example.args))
    amounts = [each for each in clause.amounts if not each.key]
    return RequestedAct(
        clause.surface,
        meant,
        {} if isinstance(filled, str) or amounts else filled,
        _amounts(clause, amounts, tools, meant),
        *_measured(clause, amounts),
        clause.count,
    )


def _not_understood(clause: Clause, match: Match, tools: Tools) -> RequestedAct | None:
    """Return the amounts of a clause whose tool is not clear; None: it has none, or no intent.

    A clause that clearly asks for no tool has no intent: "the rock is 3 m away".
    """
    amounts = [each for each in clause.amounts if each.unit and not each.key]
    has_no_intent = match.is_sure and match.best.name not in tools
    if (
        not amounts
        or has_no_intent
        or clause.is_delayed
        or doubtful_modifiers(find_modifiers(clause.text))
    ):
        return None
    return RequestedAct(
        clause.surface,
        (),
        {},
        _amounts(clause, amounts, tools, tools),
        *_measured(clause, amounts),
    )


def _measured(clause: Clause, amounts: list[Amount]) -> tuple[float, float]:
    """Return the seconds and the metres of a clause, of all its repetitions together."""
    return (
        clause.times * sum(each.value for each in amounts if each.unit == 's'),
        clause.times * sum(each.value for each in amounts if each.unit == 'm'),
    )


def _tools_for_distance(clause: Clause, match: Match, tools: Tools) -> tuple[str, ...]:
    """Return the near tools that take the metres of a clause: "move 2 m" is no turn."""
    metres = [each for each in clause.amounts if each.unit == 'm' and not each.key]
    if len(metres) != 1 or match.similarity < ALIKE:
        return ()
    least = max(match.best.score - NEAR, FAR)
    near = (each.name for each in match.ranked if each.score >= least and each.name in tools)
    return tuple(each for each in near if argument_for(tools[each], metres[0], set()))


def _named(clause: Clause, match: Match, tools: Tools) -> str:
    """Return the near tool whose name a clause has in full; empty: none, or several."""
    words = set(re.findall(r'\w+', clause.text))
    near = [each.name for each in match.ranked[:3] if each.name in tools and each.score]
    named = [each for each in near if len(tools[each].words) > 1 and tools[each].words <= words]
    return named[0] if len(named) == 1 else ''


def _amounts(
    clause: Clause, amounts: list[Amount], tools: Tools, names: Iterable[str]
) -> dict[str, tuple[str, float]]:
    """Return by tool its argument for the first amount that it takes, and the value of that."""
    found: dict[str, tuple[str, float]] = {}
    for name in names:
        for each in amounts:
            argument = argument_for(tools[name], each, set()) if each.unit else None
            if argument is not None and name not in found:
                unit, schema = unit_of(tools[name], argument), tools[name].properties[argument]
                found[name] = argument, float(value_in(each, unit, schema)) * clause.times
    return found
