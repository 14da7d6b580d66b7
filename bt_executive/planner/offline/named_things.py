"""What a part of a goal names, for a tool that is told it; with what was named before."""

from __future__ import annotations

from bt_executive.planner.offline.clauses import GoalPart
from bt_executive.planner.offline.connectives import points_back
from bt_executive.planner.offline.function_words import asks_which
from bt_executive.planner.offline.numbers_with_units import normalize
from bt_executive.planner.offline.offered_tools import OfflineTool, slot_of
from bt_executive.planner.offline.reply_sentences import language_of
from bt_executive.planner.offline.text_arguments import (
    in_place_of,
    is_quoted,
    loses_order,
    says_order,
    text_for,
    unquoted,
)
from bt_executive.planner.offline.tool_by_examples import Meanings
from bt_executive.planner.offline.verb_check import does_something_else

_LONGEST = 200  # characters of a text argument


class NamedThings:
    """What the parts of one goal name.

    Args:
        meanings: The tools' examples.
        alone: Whether the goal has one part.
        goal: What was said.
    """

    def __init__(self, meanings: Meanings, alone: bool, goal: str) -> None:
        self._meanings, self._alone, self._goal = meanings, alone, goal
        self._named = ''  # what was asked about last: “there” is where that is

    def forget(self) -> None:
        """Let “there” be where something that has no name was found."""
        self._named = ''

    def text(self, part: GoalPart, tool: OfflineTool, thing: str | None) -> str:
        """Return what a tool is to be told; empty: nothing was named.

        `thing`: What a model has heard is named; None: no model was asked.
        """
        return self._text(part, tool) if thing is None else self._thing(part, tool, thing)

    def as_called(self, what: str, part: GoalPart, tool: OfflineTool) -> str:
        """Return the name that is said to be one in place of what was named."""
        if what and any(map(slot_of, tool.examples)) and not is_quoted(part.text):
            return in_place_of(what, part.text, *([normalize(self._goal)] if self._alone else []))
        return what

    def why_none(self, part: GoalPart, what: str, tool: OfflineTool) -> str:
        """Say why a text is not what the tool is to be told; empty: it is."""
        if unquoted(part.text) != part.text or not any(map(slot_of, tool.examples)):
            return ''
        whole = what == part.text and tool.text_argument in tool.required
        said = self._meanings.that_name_things(part.text, tool.name)
        if (whole and not says_order(what)) or does_something_else(part.text, self._named, said):
            return f'no tool covers “{part.text:.60}”'
        chooses = what not in (part.text, part.said) and asks_which(what)
        return f'it cannot choose “{what:.60}” itself' if chooses else ''

    def _text(self, part: GoalPart, tool: OfflineTool) -> str:
        """Return the text argument; for a tool without named things the part itself."""
        if not any(map(slot_of, tool.examples)):
            return (self._goal.strip() if self._alone else part.said)[:_LONGEST]
        what = text_for(tool, part.text)
        known = {language_of(each.say) for each in tool.examples if slot_of(each)}
        english = language_of(part.text) == 'en'  # or any other language in letters
        if what == part.text and (english or language_of(part.text) not in known):
            what = self._meanings.named_in(part.text, tool.name) or what
        self._named = what or self._named
        return part.said[:_LONGEST] if loses_order(part.text, what) else self._named

    def _thing(self, part: GoalPart, tool: OfflineTool, thing: str) -> str:
        """Return the text argument where a model has heard what is named; empty: nothing."""
        slots = [each for each in map(slot_of, tool.examples) if each]
        if not slots or all(each.startswith('/') for each in slots) or is_quoted(part.text):
            return self._text(part, tool)
        if self._named and points_back(part.text):
            return self._named
        self._named = thing or self._named
        is_in_it = thing in part.text
        return part.said[:_LONGEST] if is_in_it and loses_order(part.text, thing) else self._named
