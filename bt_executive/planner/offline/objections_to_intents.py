"""What rules say against the intents that the networks predict, by the clauses beside them."""

from __future__ import annotations

from collections.abc import Iterator, Set
import re

from bt_executive.planner.offline.clause_parsing import Clause
from bt_executive.planner.offline.confidence_despite_objections import Objection
from bt_executive.planner.offline.connectives_lists_and_quotations import (
    only_joins,
    states_what_is_there,
    without_arrival,
)
from bt_executive.planner.offline.intent_with_its_numbers import Intent
from bt_executive.planner.offline.intents_by_networks import Parse
from bt_executive.planner.offline.modifiers import find_modifiers
from bt_executive.planner.offline.neural_networks import tool_of
from bt_executive.planner.offline.offered_tools import Tools, does_more_than_answer, only_answers
from bt_executive.planner.offline.planned_tasks import is_near
from bt_executive.planner.offline.text_normalization import normalize
from bt_executive.planner.offline.tool_classifier import ToolClassifier

_OF_ITS_OWN = frozenset({'asking', 'condition', 'ending', 'negation', 'past', 'question'})


def _is_place(clause: Clause) -> bool:
    """Return whether a clause is a part of a place: “facing 0.5 rad”."""
    return bool(clause.amounts) and all(each.key for each in clause.amounts)


class IntentObjections:
    """Compares the intents of a goal with what its clauses say by the rules."""

    def __init__(self, tools: Tools, classifier: ToolClassifier, goal: str) -> None:
        self._tools, self._classifier, self._goal = tools, classifier, goal

    def to_pieces(self, intent: Intent, names: Set[str]) -> Iterator[Objection]:
        """Yield what the pieces of a clause say against its intent.

        One may be for another tool, or too short to be an aside: “…? twice”.
        """
        pieces = [
            (at, each)
            for at, each in enumerate(intent.pieces)
            if each.text and not only_joins(each.text)
        ]
        core = intent.pieces[intent.core_at].text
        tool = self._tools.get(tool_of(intent.label))
        if tool and does_more_than_answer(tool) and states_what_is_there(core):
            yield Objection('narration', f'it is not sure that “{core:.60}” is a wish')
        matches = self._classifier.match([each.text for _, each in pieces])
        for (at, clause), match in zip(pieces, matches, strict=True):
            reason = f'it is not sure that this is all: “{clause.text:.60}”'
            if clause.is_short and not clause.amounts:
                yield from self._to_aside(at, intent, reason)
            is_rival = match.is_sure and match.best.name in self._tools.keys() - names
            if is_rival and not _is_place(clause) and not is_near(match, names):
                rival = self._tools[match.best.name]
                shares = tool and not {*rival.resources}.isdisjoint(tool.resources)
                yield Objection(
                    'rival', reason, does_more_than_answer(rival), is_strict=bool(shares)
                )

    def _to_aside(self, at: int, intent: Intent, reason: str) -> Iterator[Objection]:
        """Yield what a few words beside a wish say against it: “…, twice”, “…, not”.

        What precedes the wish, asks or narrates rather says something of its own: “no photo, only
        …”, “…, he is late”.
        """
        tool = self._tools.get(tool_of(intent.label))
        acts = tool is None or not only_answers(tool)
        aside, precedes = intent.pieces[at], at < intent.core_at
        said = find_modifiers(without_arrival(aside.text)) | {'question', 'asking'}
        kinds = {each.partition(':')[0] for each in aside.modifiers & said}
        asks = 'question' in kinds and 'condition' not in kinds
        for kind in sorted(kinds):
            is_own = kind in _OF_ITS_OWN and (precedes or asks or kind == 'past')
            is_own &= kind != 'condition' or ' ' in aside.text or not aside.text.isascii()
            yield Objection(kind, reason, acts, is_strict=not is_own)

    def to_end(self, parse: Parse) -> Iterator[Objection]:
        """Yield that a goal ends in a connective: it is cut off."""
        last = parse.intents[-1].pieces[-1].text if parse.intents else ''
        goal = normalize(self._goal).rstrip(' .!?')
        if last and only_joins(last) and re.search(rf'(?<![a-z]){re.escape(last)}$', goal):
            yield Objection('cut_off', f'it is not sure that this is all: “{last}”')
