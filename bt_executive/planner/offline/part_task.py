"""Reads a part of a goal: the tool that it asks for, with its arguments, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
import re
from typing import Any

from bt_executive.planner.offline.argument_filling import fill
from bt_executive.planner.offline.clauses import (
    GoalPart,
    part_of,
    repeats_at_once,
    said_once,
    with_numbers,
)
from bt_executive.planner.offline.clauses_by_networks import Wish
from bt_executive.planner.offline.connectives import split
from bt_executive.planner.offline.example_table import NONE, POLITE
from bt_executive.planner.offline.example_vectors import SURE, Match
from bt_executive.planner.offline.function_words import (
    asks_in_japanese,
    consequence,
    goes_round_often,
    is_short_verb,
    tells_what_was,
)
from bt_executive.planner.offline.likely_tools import LikelyTools, is_measured
from bt_executive.planner.offline.named_things import NamedThings
from bt_executive.planner.offline.neural_networks import arguments_of, tool_of
from bt_executive.planner.offline.numbers_with_units import normalize
from bt_executive.planner.offline.offered_tools import (
    OfflineTool,
    Tools,
    does_more_than_answer,
    example_text,
    slot_of,
)
from bt_executive.planner.offline.opposites import takes_back
from bt_executive.planner.offline.part_kinds import (
    SAID_BESIDES,
    kinds_for,
    kinds_heard,
    kinds_of_examples,
    says,
    says_end,
    why_not,
)
from bt_executive.planner.offline.planned_tasks import PlannedCommand, Question, Search, Task
from bt_executive.planner.offline.text_arguments import unquoted
from bt_executive.planner.offline.tool_by_examples import Meanings
from bt_executive.planner.offline.wishes import HALF, two_wishes

_HARMLESS = re.compile(r'[^\w\d%°$€£+<>=#@\\/|*^]')  # a sign that says nothing


def _is_number(schema: Mapping[str, Any]) -> bool:
    return schema.get('type') in ('number', 'integer')


def _switches_on(tool: OfflineTool, filled: dict[str, Any]) -> bool:
    """Return whether a tool that can be switched is switched on, and told nothing to wait for."""
    is_on = bool(tool.switch) and filled.get(tool.switch) is not False
    return is_on and not tool.waits(filled)


class PartReader:
    """The parts of one goal, with what was named in it so far.

    Args:
        tools: Those that are offered.
        meanings: Their examples.
        alone: Whether the goal has one part.
        goal: What was said.
    """

    def __init__(self, tools: Tools, meanings: Meanings, alone: bool, goal: str) -> None:
        self._tools, self._meanings, self._goal = tools, meanings, goal
        self._likely = LikelyTools(tools, meanings)
        self._things = NamedThings(meanings, alone, goal)

    def two(self, part: GoalPart, match: Match) -> str:
        """Say that a part is two wishes that nothing joins; empty: it is one."""
        two = two_wishes(part, match, self._tools, self._meanings)
        said = [f'“{each.text:.40}”' for _, each in two]
        return f'{" and ".join(said)} are two: say “and” between them' if said else ''

    def task(self, part: GoalPart, match: Match) -> Task | str:
        """Return the task of a part, or the rest of a sentence why there is none."""
        if part.odd and not part.odd.isdecimal():
            return f'no tool covers “{part.odd}”'
        if part.twice and not self._is_urged(part):
            return f'“{part.twice:.60}” is said twice: say “and” between two wishes'
        if part.later:
            return 'it cannot begin something later'
        match, part = self._likely.weighed(match, part)
        likely = self._likely.near(match, part)
        if not likely or not (match.is_sure or len(likely) > 1 or is_measured(part, match)):
            return self._unsure(part, match)
        if named := self._likely.names_another(part):
            return f'{named} takes no “{part.amounts[0].said}”'
        tried = [self._tool(part, self._tools[name]) for name in likely]
        made = [each for each in tried if not isinstance(each, str)]
        if match.is_sure:
            return made[0] if made else tried[0]
        return made[0] if len(made) == 1 else self._unsure(part, match)

    def asked(self, wish: Wish, follows: bool, is_last: bool, certain: bool) -> Task | str:
        """Return the task of a wish that a model has heard, or why there is none.

        Args:
            wish: What was heard.
            follows: Whether another wish stands before it: “when you are there” is then no
                condition.
            is_last: Whether none follows it: “once you have reached it” is a condition only then.
            certain: Whether the model is certain of all that it has heard.
        """
        part, name = wish.part, wish.name
        tool = self._tools.get(tool_of(name))
        if tool is None:
            return f'{tool_of(name)} is not offered'
        unheard = '' if _HARMLESS.fullmatch(part.odd) else part.odd or _second_wish(part)
        if part.later or unheard:
            return f'no tool covers “{unheard or part.text:.60}”'
        if part.twice and (not certain or repeats_at_once(part.text)) and not self._is_urged(part):
            return f'“{part.twice:.60}” is said twice: say “and” between two wishes'
        said = kinds_heard(tool, wish, part, (follows, is_last, certain))
        part = replace(part, kinds=said, odd='')
        if any(map(slot_of, tool.examples)):
            part = with_numbers(part, normalize(self._goal))
        elif tool.text_argument and not any(map(_is_number, tool.properties.values())):
            part = replace(part, amounts=())  # “is anybody at table five?”: of what is asked
        (match,) = self._meanings.match([part.text])
        if any(each.name == tool.name and not each.score for each in match.ranked):
            return f'no tool covers “{part.text:.60}”'  # it says the opposite
        waits = any(arguments_of(name).values())  # for a condition
        if waits and match.best.name != tool.name:
            piece = self._piece_for(tool, part)  # “keep an eye on it and tell me when …”
            if piece is None:
                return f'no tool covers “{part.text:.60}”'
            part = piece
        elif match.best.name != tool.name and not certain and self._is_none(match):
            return f'no tool covers “{part.text:.60}”'
        example = self._meanings.example_for(part.text, tool.name, kinds_of_examples(tool, part))
        if example is None or self._wants_another(part, tool):
            return why_not(part, tool)
        if example.seek:
            return f'it is not sure about “{part.text:.60}”'
        known = self._meanings.knows_arguments(tool.name)
        arguments = arguments_of(name) if known else dict(example.args)
        return self._filled(part, tool, arguments, example.tells, wish.thing)

    def _piece_for(self, tool: OfflineTool, part: GoalPart) -> GoalPart | None:
        """Return a part with those of its words that are nearest to a tool; None: none are."""
        pieces = [part_of(marked).text for marked, _ in split(part.marked)]
        matches = zip(pieces, self._meanings.match(pieces), strict=True)
        near = (text for text, match in matches if match.best.name == tool.name)
        return next((replace(part, text=text) for text in near), None)

    def _is_none(self, match: Match) -> bool:
        return match.is_sure and match.best.name not in self._tools

    def _is_urged(self, part: GoalPart) -> bool:
        """Return whether a part says all of its wish twice, and twice is no more: “快停快停”."""
        once_said = said_once(part.text)
        (match,) = self._meanings.match([once_said])
        tool = self._tools.get(match.best.name)
        return once_said != part.text and tool is not None and match.is_sure and not tool.parts

    def _tool(self, part: GoalPart, tool: OfflineTool) -> Task | str:
        part = replace(part, kinds=kinds_for(tool, part))
        if any(map(slot_of, tool.examples)):
            part = with_numbers(part, normalize(self._goal))
        elif part.odd:
            return f'no tool covers “{part.odd}”'
        example = self._meanings.example_for(part.text, tool.name, kinds_of_examples(tool, part))
        if example is None or self._wants_another(part, tool):
            return why_not(part, tool)
        if example.seek and not part.amounts:
            self._things.forget()
            return Search()
        return self._filled(part, tool, dict(example.args), example.tells)

    def _filled(
        self,
        part: GoalPart,
        tool: OfflineTool,
        arguments: dict[str, Any],
        tells: tuple[str, ...],
        thing: str | None = None,
    ) -> Task | str:
        """Return the task of a tool with what a part says of its arguments."""
        if self._is_contrary(part, tool):
            return f'no tool covers “{part.text:.60}”'
        if does_more_than_answer(tool) and tells_what_was(unquoted(part.marked)):
            return f'{SAID_BESIDES["past"]} (“{part.text:.60}” for {tool.name})'
        if text := tool.text_argument:
            what = self._things.text(part, tool, thing)
            if thing is None and (why := self._things.why_none(part, what, tool)):
                return why
            if what := self._things.as_called(what, part, tool):
                arguments[text] = what
            elif text in tool.required:
                return f'{tool.name} needs to know what: nothing was named'
        filled = fill(tool, part, arguments)
        if isinstance(filled, str):
            return filled
        if says_end(part) and _switches_on(tool, filled):
            return f'{SAID_BESIDES["ending"]} (“{part.text:.60}” for {tool.name})'
        if tells or tool.topics:
            return Question(tool.name, tells, filled)
        measured = any(each.unit and not each.key for each in part.amounts)
        return PlannedCommand(tool.name, filled, measured)

    def _is_contrary(self, part: GoalPart, tool: OfflineTool) -> bool:
        """Return whether a part wants a name taken back, or a turn several times.

        An example of the tool may say so itself; what it is told in free words may say anything.
        """
        named = any(map(slot_of, tool.examples))
        if tool.text_argument and not named:
            return False
        says_so = takes_back if named else goes_round_often
        said = unquoted(part.text if named else part.marked)
        return says_so(said) and not any(says_so(normalize(each.say)) for each in tool.examples)

    def _wants_another(self, part: GoalPart, tool: OfflineTool) -> bool:
        """Return whether another tool is wanted under a condition: not “tell me when …”."""
        what = consequence(part.text)
        if not what or not says(part, 'condition'):
            return False
        (other,) = self._meanings.match([what])
        found = self._tools.get(other.best.name)
        told = (
            self._meanings.know([part.text])
            or found is None
            or found is tool
            or found.text_argument in found.required
        )
        return not told and other.is_sure and other.similarity >= HALF

    def _unsure(self, part: GoalPart, match: Match) -> str:
        """Ask back with the two nearest, or say that no tool is near."""
        likely = [each for each in match.ranked if each.name in self._tools][:2]
        best = match.best
        if best.name in self._tools and (says(part, 'negation') or says(part, 'condition')):
            return why_not(part, self._tools[best.name])
        if best.name in (NONE, POLITE) or best.score < SURE or len(likely) < 2:
            return f'no tool covers “{part.text:.60}”'
        said = [self._example(each.name, part) for each in likely]
        return f'it is not sure about “{part.text:.60}”: did you mean “{said[0]}” or “{said[1]}”?'

    def _example(self, tool: str, part: GoalPart) -> str:
        example = self._meanings.suggestion(part.text, tool)
        return example_text(example or self._tools[tool].examples[0])


def _second_wish(part: GoalPart) -> str:
    """Return what asks for something after another that asks, where one wish was heard.

    In Japanese, 「上げてとじて」; elsewhere words between would join them. Empty: there is none.
    """
    pieces = [text for text, _ in split(part.said)]
    is_another = len(pieces) > 1 and is_short_verb(pieces[-1])
    return pieces[-1] if is_another and any(map(asks_in_japanese, pieces[:-1])) else ''
