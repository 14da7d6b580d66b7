"""The modifiers of a clause, and which of them a tool accepts."""

from __future__ import annotations

from dataclasses import replace

from bt_executive.planner.offline.clauses import Clause
from bt_executive.planner.offline.clauses_by_networks import Intent
from bt_executive.planner.offline.connectives import is_done_before, without_arrival
from bt_executive.planner.offline.function_words import (
    AS_FAR_AS,
    Modifier,
    find_modifiers,
    is_rate,
)
from bt_executive.planner.offline.neural_networks import arguments_of
from bt_executive.planner.offline.offered_tools import OfflineTool, is_harmless, slot_of
from bt_executive.planner.offline.text_arguments import unquoted

_ENDS, _WHEN, _PAST = ('ending', 'negation'), ('condition',), ('past',)
_ASKS = frozenset({'question', 'asking'})
_SWITCHES = frozenset({'manner: on', 'manner: off'})  # an argument of a switch
DECLINE_REASONS: dict[Modifier, str] = {
    'negation': 'it cannot leave something out',
    'ending': 'it cannot end that',
    'condition': 'it cannot wait for a condition, or choose',
    'question': 'no tool answers that',
    'asking': 'no tool answers that',
    'past': 'it cannot tell what was from what is wanted',
    'manner': 'it cannot do something in another way, or several times',
}


def has_modifier(clause: Clause, kind: Modifier) -> bool:
    """Return whether a clause has a modifier of this kind."""
    return any(each.partition(':')[0] == kind for each in clause.modifiers)


def asks_to_end(clause: Clause) -> bool:
    """Return whether the words of a clause say that something is to end."""
    return 'ending' in find_modifiers(unquoted(clause.text))


def modifiers_for(tool: OfflineTool, clause: Clause) -> frozenset[str]:
    """Return the modifiers of a clause that are not part of an argument of this tool."""
    modifiers = clause.modifiers - _SWITCHES if tool.switch else clause.modifiers
    has_slot = any(map(slot_of, tool.examples))
    if tool.text_argument:  # a quoted text is the argument
        modifiers &= find_modifiers(unquoted(clause.text)) | {'question'}
        if not has_slot and tool.text_argument in tool.required:  # and so is the whole question
            modifiers = frozenset(
                each for each in modifiers if each.startswith(('negation', 'ending'))
            )
    if has_slot or {'x', 'y'} <= set(tool.properties):  # as far as a place
        modifiers = frozenset(each for each in modifiers if not AS_FAR_AS.fullmatch(each))
    return modifiers


def modifiers_of_intent(
    tool: OfflineTool, intent: Intent, clause: Clause, context: tuple[bool, bool, bool]
) -> frozenset[str]:
    """Return the modifiers of a clause with a predicted intent.

    `context`: whether another intent precedes, none follows, and the prediction is certain.
    """
    follows, is_last, certain = context
    if certain and not is_last and is_done_before(clause.text):
        rest = frozenset(each for each in clause.modifiers if not each.startswith(_WHEN))
        clause = replace(clause, modifiers=rest)
    if follows:
        without = find_modifiers(without_arrival(clause.text)) | _ASKS
        clause = replace(clause, modifiers=clause.modifiers & without)
    modifiers = modifiers_for(tool, clause)
    if given := arguments_of(intent.label):  # the label means an end, or a condition
        implied = _ENDS if False in given.values() else _WHEN
        modifiers = frozenset(each for each in modifiers if not each.startswith(implied))
    if certain and is_harmless(tool):
        modifiers &= _ASKS
    if certain and tool.text_argument:  # said of a thing that was seen, or in a question
        implied = _PAST if any(map(slot_of, tool.examples)) else (*_PAST, *_WHEN)
        modifiers = frozenset(each for each in modifiers if not each.startswith(implied))
    return modifiers


def modifiers_for_examples(tool: OfflineTool, clause: Clause) -> frozenset[str]:
    """Return the modifiers of a clause that an example of the tool must have, too: no rate."""
    if not clause.amounts or not tool.rates:
        return clause.modifiers
    return frozenset(each for each in clause.modifiers if not is_rate(each))


def decline_reason(clause: Clause, tool: OfflineTool) -> str:
    """Return why a clause is declined: by its modifier, or because no tool covers it."""
    for kind, reason in DECLINE_REASONS.items():
        if has_modifier(clause, kind):
            return f'{reason} (“{clause.text:.60}” for {tool.name})'
    return f'no tool covers “{clause.text:.60}”'
