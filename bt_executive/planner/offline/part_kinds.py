"""What a part of a goal says besides its wish, and what of that a tool may be told."""

from __future__ import annotations

from dataclasses import replace

from bt_executive.planner.offline.clauses import GoalPart
from bt_executive.planner.offline.clauses_by_networks import Wish
from bt_executive.planner.offline.connectives import is_done_before, without_arrival
from bt_executive.planner.offline.function_words import AS_FAR_AS, Kind, is_rate, kinds
from bt_executive.planner.offline.neural_networks import arguments_of
from bt_executive.planner.offline.offered_tools import OfflineTool, slot_of
from bt_executive.planner.offline.text_arguments import unquoted

_ENDS, _WHEN, _PAST = ('ending', 'negation'), ('condition',), ('past',)
_ASKS = frozenset({'question', 'asking'})
_SWITCHES = frozenset({'manner: on', 'manner: off'})  # what a switch is told
SAID_BESIDES: dict[Kind, str] = {
    'negation': 'it cannot leave something out',
    'ending': 'it cannot end that',
    'condition': 'it cannot wait for a condition, or choose',
    'question': 'no tool answers that',
    'asking': 'no tool answers that',
    'past': 'it cannot tell what was from what is wanted',
    'manner': 'it cannot do something in another way, or several times',
}


def says(part: GoalPart, kind: Kind) -> bool:
    """Return whether a part says something of this kind besides a wish."""
    return any(each.partition(':')[0] == kind for each in part.kinds)


def says_end(part: GoalPart) -> bool:
    """Return whether the words of a part say that something is to end."""
    return 'ending' in kinds(unquoted(part.text))


def kinds_for(tool: OfflineTool, part: GoalPart) -> frozenset[str]:
    """Return what a part says besides a wish if the wish is for this tool."""
    said = part.kinds - _SWITCHES if tool.switch else part.kinds
    named = any(map(slot_of, tool.examples))
    if tool.text_argument:  # what is quoted is the argument's
        said &= kinds(unquoted(part.text)) | {'question'}
        if not named and tool.text_argument in tool.required:  # and so is all that is asked
            said = frozenset(each for each in said if each.startswith(('negation', 'ending')))
    if named or {'x', 'y'} <= set(tool.properties):  # as far as a place
        said = frozenset(each for each in said if not AS_FAR_AS.fullmatch(each))
    return said


def kinds_heard(
    tool: OfflineTool, wish: Wish, part: GoalPart, where: tuple[bool, bool, bool]
) -> frozenset[str]:
    """Return what a part says besides a wish that a model has heard in it."""
    follows, is_last, certain = where
    if certain and not is_last and is_done_before(part.text):
        rest = frozenset(each for each in part.kinds if not each.startswith(_WHEN))
        part = replace(part, kinds=rest)
    if follows:
        part = replace(part, kinds=part.kinds & (kinds(without_arrival(part.text)) | _ASKS))
    said = kinds_for(tool, part)
    if given := arguments_of(wish.name):  # to end something, or to tell when, is what it means
        meant = _ENDS if False in given.values() else _WHEN
        said = frozenset(each for each in said if not each.startswith(meant))
    if certain and tool.text_argument:  # of a thing that was seen; of a question
        meant = _PAST if any(map(slot_of, tool.examples)) else (*_PAST, *_WHEN)
        said = frozenset(each for each in said if not each.startswith(meant))
    return said


def kinds_of_examples(tool: OfflineTool, part: GoalPart) -> frozenset[str]:
    """Return what of the kinds of a part an example of the tool must say, too: not how often."""
    if not part.amounts or not tool.rates:
        return part.kinds
    return frozenset(each for each in part.kinds if not is_rate(each))


def why_not(part: GoalPart, tool: OfflineTool) -> str:
    """Say what a part says besides its wish, so that it is not carried out."""
    for kind, why in SAID_BESIDES.items():
        if says(part, kind):
            return f'{why} (“{part.text:.60}” for {tool.name})'
    return f'no tool covers “{part.text:.60}”'
