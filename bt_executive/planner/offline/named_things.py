"""Text arguments of the clauses of one goal, with what was named before."""

from __future__ import annotations

from bt_executive.planner.offline.clauses import Clause
from bt_executive.planner.offline.connectives import points_back
from bt_executive.planner.offline.function_words import asks_which
from bt_executive.planner.offline.numbers_with_units import normalize
from bt_executive.planner.offline.offered_tools import OfflineTool, slot_of
from bt_executive.planner.offline.reply_sentences import language_of
from bt_executive.planner.offline.text_arguments import (
    has_order,
    in_place_of,
    is_quoted,
    loses_order,
    text_for,
    unquoted,
)
from bt_executive.planner.offline.tool_classifier import ToolClassifier
from bt_executive.planner.offline.verb_check import does_something_else

_LONGEST = 200  # characters of a text argument


class NamedThings:
    """What the clauses of one goal name.

    Args:
        classifier: Of the tools' examples.
        alone: Whether the goal has one clause.
        goal: Its text.
    """

    def __init__(self, classifier: ToolClassifier, alone: bool, goal: str) -> None:
        self._classifier, self._alone, self._goal = classifier, alone, goal
        self._last = ''  # what was named last: “there” is where that is

    def forget(self) -> None:
        """Forget the last name: “there” is where something without a name was found."""
        self._last = ''

    def text(self, clause: Clause, tool: OfflineTool, slot_value: str | None) -> str:
        """Return the text argument of a tool; empty: nothing was named.

        `slot_value`: Predicted for the clause; None: no network was used.
        """
        if slot_value is None:
            return self._from_examples(clause, tool)
        return self._from_slot(clause, tool, slot_value)

    def as_called(self, name: str, clause: Clause, tool: OfflineTool) -> str:
        """Return the explicit name in a clause (“called …”) in place of a name for a slot."""
        if name and any(map(slot_of, tool.examples)) and not is_quoted(clause.text):
            whole = [normalize(self._goal)] if self._alone else []
            return in_place_of(name, clause.text, *whole)
        return name

    def why_none(self, clause: Clause, text: str, tool: OfflineTool) -> str:
        """Return why a text is no argument for the tool; empty: it is one."""
        if unquoted(clause.text) != clause.text or not any(map(slot_of, tool.examples)):
            return ''
        is_whole = text == clause.text and tool.text_argument in tool.required
        examples = self._classifier.examples_with_slots(clause.text, tool.name)
        if (is_whole and not has_order(text)) or does_something_else(
            clause.text, self._last, examples
        ):
            return f'no tool covers “{clause.text:.60}”'
        chooses = text not in (clause.text, clause.surface) and asks_which(text)
        return f'it cannot choose “{text:.60}” itself' if chooses else ''

    def _from_examples(self, clause: Clause, tool: OfflineTool) -> str:
        """Return the text argument; for a tool without slots the clause itself."""
        if not any(map(slot_of, tool.examples)):
            return (self._goal.strip() if self._alone else clause.surface)[:_LONGEST]
        text = text_for(tool, clause.text)
        languages = {language_of(each.say) for each in tool.examples if slot_of(each)}
        language = language_of(clause.text)  # 'en': any language in letters
        if text == clause.text and (language == 'en' or language not in languages):
            text = self._classifier.slot_value_in(clause.text, tool.name) or text
        self._last = text or self._last
        return clause.surface[:_LONGEST] if loses_order(clause.text, text) else self._last

    def _from_slot(self, clause: Clause, tool: OfflineTool, slot_value: str) -> str:
        """Return the text argument of a clause with a predicted slot; empty: there is none."""
        slots = [each for each in map(slot_of, tool.examples) if each]
        if not slots or all(each.startswith('/') for each in slots) or is_quoted(clause.text):
            return self._from_examples(clause, tool)
        if self._last and points_back(clause.text):
            return self._last
        self._last = slot_value or self._last
        loses = slot_value in clause.text and loses_order(clause.text, slot_value)
        return clause.surface[:_LONGEST] if loses else self._last
