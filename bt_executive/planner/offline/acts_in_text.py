"""Reads which acts a goal asks for, whoever is to do them: not whether all of it can be planned.

What is not clearly a wish (a question, a denial, a condition and what hangs on it) is left out.
Of a part that is not understood, how much it says is still known: something must come to that.
"""

from __future__ import annotations

from collections.abc import Iterator
import re

from bt_executive.core.requested_acts import RequestedAct
from bt_executive.planner.offline.argument_filling import argument_for, fill, unit_of, value_in
from bt_executive.planner.offline.clauses import GoalPart, once
from bt_executive.planner.offline.example_vectors import Match
from bt_executive.planner.offline.function_words import kinds, leaves_open
from bt_executive.planner.offline.numbers_with_units import Amount
from bt_executive.planner.offline.offered_tools import ENDINGS, Tools
from bt_executive.planner.offline.tool_by_examples import Meanings, meanings_of
from bt_executive.planner.offline.wishes import parts_of, two_wishes, wishes

MOST_PARTS = 60
MOST_CHARACTERS = 4000
# Withheld is more than declined: a wish must be clearer than for the offline model to act on it.
CLEAR, ALIKE = 0.4, 0.6  # least score and least similarity to an example
FAR = 0.3  # least score of a tool that takes the metres which are said
NEAR = 0.2  # how far behind the likeliest a tool may be that is meant perhaps


def asked_acts(goal: str, tools: Tools, no_tool: tuple[str, ...] = ()) -> tuple[RequestedAct, ...]:
    """Return what a goal clearly asks for, in order.

    Raises:
        ModelError: The sentence encoder is needed, and is not there.
    """
    offered = {name: tool for name, tool in tools.items() if name not in ENDINGS}
    if not offered:
        return ()
    return tuple(_acts(goal, offered, meanings_of(offered, no_tool)))


def _acts(goal: str, tools: Tools, meanings: Meanings) -> Iterator[RequestedAct]:
    whole, pieces = parts_of(goal, tools, meanings)
    said = wishes(whole, pieces, tools, meanings, MOST_PARTS)[:MOST_PARTS]
    parts = [
        once(each) for at, each in enumerate(said) if not at or not each.repeats(said[at - 1])
    ]
    matches = meanings.match([each.text for each in parts])
    found: list[tuple[GoalPart, list[RequestedAct]]] = []
    for part, match in zip(parts, matches, strict=True):
        both = two_wishes(part, match, tools, meanings)
        if not both or not meanings.know(half.text for half, _ in both):
            both = [(part, match)]
        acts = [_act(half, each, tools, meanings) for half, each in both]
        if not any(acts):
            acts = [_unread(part, match, tools)]
        found.append((part, [each for each in acts if each is not None]))
        if not found[-1][1] and _is_condition(part):
            kept = found[: -2 if part.after_comma else -1]
            break
    else:
        kept = found
    for _, acts_of_part in kept:
        yield from acts_of_part


def _is_condition(part: GoalPart) -> bool:
    return any(each.startswith('condition') for each in leaves_open(kinds(part.text)))


def _act(part: GoalPart, match: Match, tools: Tools, meanings: Meanings) -> RequestedAct | None:
    """Return the act that a part clearly asks for."""
    far = _far_as(part, match, tools)
    clear = match.is_sure and match.best.score >= CLEAR and match.similarity >= ALIKE
    clear = clear and (not far or match.best.name in far)
    best = tools.get(match.best.name if clear else _named(part, match, tools) or ''.join(far[:1]))
    if best is None or part.later:
        return None
    if _is_condition(part) and not meanings.know([part.text]):
        return None
    example = meanings.example_for(part.text, best.name, leaves_open(kinds(part.text)))
    if example is None:
        return None
    least = match.best.score - NEAR
    near = [each.name for each in match.ranked if each.score >= least and each.name in tools]
    meant = tuple(dict.fromkeys((best.name, *(far if best.name in far and not clear else near))))
    filled = fill(best, part, dict(example.args))
    amounts = [each for each in part.amounts if not each.key]
    return RequestedAct(
        part.said,
        meant,
        {} if isinstance(filled, str) or amounts else filled,
        {
            name: (argument, value * part.times)
            for name in meant
            for argument, value in _amount(amounts, tools, name)
        },
        *_measured(part, amounts),
        max(part.times, part.things),
    )


def _unread(part: GoalPart, match: Match, tools: Tools) -> RequestedAct | None:
    """Return how much is wanted by a part of which it is not clear what it wants; None: nothing.

    A part that says surely nothing that a tool could do wants nothing: "the rock is 3 m away".
    """
    amounts = [each for each in part.amounts if each.unit and not each.key]
    wants_nothing = match.is_sure and match.best.name not in tools
    if not amounts or wants_nothing or part.later or leaves_open(kinds(part.text)):
        return None
    return RequestedAct(
        part.said,
        (),
        {},
        {
            name: (argument, value * part.times)
            for name in tools
            for argument, value in _amount(amounts, tools, name)
        },
        *_measured(part, amounts),
    )


def _measured(part: GoalPart, amounts: list[Amount]) -> tuple[float, float]:
    """Return how many seconds and how many metres a part says, of all its times together."""
    return (
        part.times * sum(each.value for each in amounts if each.unit == 's'),
        part.times * sum(each.value for each in amounts if each.unit == 'm'),
    )


def _far_as(part: GoalPart, match: Match, tools: Tools) -> tuple[str, ...]:
    """Return the tools near to a part that take the metres that it says: "move 2 m" is no turn."""
    metres = [each for each in part.amounts if each.unit == 'm' and not each.key]
    if len(metres) != 1 or match.similarity < ALIKE:
        return ()
    least = max(match.best.score - NEAR, FAR)
    near = (each.name for each in match.ranked if each.score >= least and each.name in tools)
    return tuple(each for each in near if argument_for(tools[each], metres[0], set()))


def _named(part: GoalPart, match: Match, tools: Tools) -> str:
    """Return the tool near to a part that says all words of its name; empty: none, or several."""
    said = set(re.findall(r'\w+', part.text))
    near = [each.name for each in match.ranked[:3] if each.name in tools and each.score]
    named = [each for each in near if len(tools[each].words) > 1 and tools[each].words <= said]
    return named[0] if len(named) == 1 else ''


def _amount(amounts: list[Amount], tools: Tools, name: str) -> Iterator[tuple[str, float]]:
    """Yield which argument of a tool says how much, and how much is wanted; one at most."""
    for each in amounts:
        argument = argument_for(tools[name], each, set()) if each.unit else None
        if argument is not None:
            unit, schema = unit_of(tools[name], argument), tools[name].properties[argument]
            yield argument, float(value_in(each, unit, schema))
            return
