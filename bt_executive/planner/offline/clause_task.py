"""Plans one clause: the task that it asks for, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
import re
from typing import Any

from bt_executive.planner.offline.argument_filling import fill
from bt_executive.planner.offline.clause_merging import HALF, split_clause
from bt_executive.planner.offline.clause_modifiers import (
    DECLINE_REASONS,
    asks_to_end,
    decline_reason,
    has_modifier,
    modifiers_for,
    modifiers_for_examples,
    modifiers_of_intent,
)
from bt_executive.planner.offline.clauses import (
    Clause,
    parse_clause,
    part_of,
    repeats_at_once,
    with_numbers,
    without_repetition,
)
from bt_executive.planner.offline.clauses_by_networks import Intent
from bt_executive.planner.offline.connectives import is_reason, split
from bt_executive.planner.offline.example_table import NONE, POLITE
from bt_executive.planner.offline.example_vectors import SURE, Match
from bt_executive.planner.offline.function_words import (
    MASK,
    asks_in_japanese,
    consequence,
    goes_round_often,
    is_short_verb,
    narrates_past,
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
    is_harmless,
    slot_of,
)
from bt_executive.planner.offline.opposites import takes_back
from bt_executive.planner.offline.planned_tasks import PlannedCommand, Question, Search, Task
from bt_executive.planner.offline.text_arguments import unquoted
from bt_executive.planner.offline.tool_classifier import ToolClassifier

_MEANWHILE = re.compile(
    rf'(?<={MASK})\s+(?:while|während|pendant que|mientras|mentre|enquanto|terwijl) '
)
_HARMLESS = re.compile(r'[^\w\d%°$€£+<>=#@\\/|*^]')  # a sign without a meaning


def _is_number(schema: Mapping[str, Any]) -> bool:
    return schema.get('type') in ('number', 'integer')


def _switches_on(tool: OfflineTool, filled: dict[str, Any]) -> bool:
    """Return whether a call switches a tool on without a condition to wait for."""
    is_on = bool(tool.switch) and filled.get(tool.switch) is not False
    return is_on and not tool.waits(filled)


class ClausePlanner:
    """Plans the clauses of one goal, and keeps what was named in it.

    Args:
        tools: The offered tools.
        classifier: Of their examples.
        alone: Whether the goal has one clause.
        goal: Its text.
    """

    def __init__(self, tools: Tools, classifier: ToolClassifier, alone: bool, goal: str) -> None:
        self._tools, self._classifier, self._goal = tools, classifier, goal
        self._likely = LikelyTools(tools, classifier)
        self._things = NamedThings(classifier, alone, goal)

    def why_ambiguous(self, clause: Clause, match: Match) -> str:
        """Return why a clause with two intents is declined; empty: it has one."""
        halves = split_clause(clause, match, self._tools, self._classifier)
        texts = [f'“{each.text:.40}”' for _, each in halves]
        return f'{" and ".join(texts)} are two: say “and” between them' if texts else ''

    def task(self, clause: Clause, match: Match) -> Task | str:
        """Return the task of a clause, or the rest of a sentence why there is none."""
        if clause.unparsed and not clause.unparsed.isdecimal():
            return f'no tool covers “{clause.unparsed}”'
        if clause.repetition and not self._is_emphasis(clause):
            return f'“{clause.repetition:.60}” is said twice: say “and” between two wishes'
        if clause.is_delayed:
            return 'it cannot begin something later'
        match, clause = self._likely.weighed(match, clause)
        likely = self._likely.near(match, clause)
        if not likely or not (match.is_sure or len(likely) > 1 or is_measured(clause, match)):
            return self._unsure(clause, match)
        if named := self._likely.names_another(clause):
            return f'{named} takes no “{clause.amounts[0].surface}”'
        results = [self._tool_task(clause, self._tools[name]) for name in likely]
        tasks = [each for each in results if not isinstance(each, str)]
        if match.is_sure:
            return tasks[0] if tasks else results[0]
        return tasks[0] if len(tasks) == 1 else self._unsure(clause, match)

    def intent_task(
        self, intent: Intent, follows: bool, is_last: bool, certain: bool
    ) -> Task | str:
        """Return the task of a predicted intent, or why there is none.

        Args:
            intent: With its clause.
            follows: Whether another intent precedes: “when you are there” is no condition then.
            is_last: Whether none follows: “once you have reached it” is a condition only then.
            certain: Whether the model is certain of all intents.
        """
        clause, label = intent.clause, intent.label
        tool = self._tools.get(tool_of(label))
        if tool is None:
            return f'{tool_of(label)} is not offered'
        if certain and not tool.text_argument:
            clause = _without_reason(clause, bool(tool.resources))
        is_only_sign = _HARMLESS.fullmatch(clause.unparsed)
        missed = '' if is_only_sign else clause.unparsed or _second_command(clause)
        if clause.is_delayed or missed:
            return f'no tool covers “{missed or clause.text:.60}”'
        waits = any(arguments_of(label).values())  # for a condition
        if self._is_repeated(clause, tool, waits, certain):
            return f'“{clause.repetition:.60}” is said twice: say “and” between two wishes'
        modifiers = modifiers_of_intent(tool, intent, clause, (follows, is_last, certain))
        clause = replace(clause, modifiers=modifiers, unparsed='')
        if any(map(slot_of, tool.examples)):
            clause = with_numbers(clause, normalize(self._goal))
        elif tool.text_argument and not any(map(_is_number, tool.properties.values())):
            clause = replace(clause, amounts=())  # “is anybody at table five?”: of the question
        matched = self._matched(clause, tool, waits, certain)
        if matched is None:
            return f'no tool covers “{clause.text:.60}”'
        clause = matched
        example = self._classifier.example_for(
            clause.text, tool.name, modifiers_for_examples(tool, clause)
        )
        if example is None or self._wants_another(clause, tool):
            return decline_reason(clause, tool)
        if example.seek:
            return f'it is not sure about “{clause.text:.60}”'
        has_labels = self._classifier.labels_arguments(tool.name)
        arguments = arguments_of(label) if has_labels else dict(example.args)
        return self._filled(clause, tool, arguments, example.tells, intent.slot_value)

    def _matched(
        self, clause: Clause, tool: OfflineTool, waits: bool, certain: bool
    ) -> Clause | None:
        """Return a clause, or a piece of it, that no example denies to its tool, or None."""
        (match,) = self._classifier.match([clause.text])
        if any(each.name == tool.name and not each.score for each in match.ranked):
            return None  # it says the opposite
        if match.best.name == tool.name:
            return clause
        if waits:
            return self._piece_for(tool, clause)  # “keep an eye on it and tell me when …”
        return clause if certain or not self._is_no_tool(match) else None

    def _piece_for(self, tool: OfflineTool, clause: Clause) -> Clause | None:
        """Return a clause with the piece of it that is nearest to a tool; None: none is."""
        pieces = [parse_clause(masked).text for masked, _ in split(clause.masked)]
        matches = zip(pieces, self._classifier.match(pieces), strict=True)
        near = (text for text, match in matches if match.best.name == tool.name)
        return next((replace(clause, text=text) for text in near), None)

    def _is_no_tool(self, match: Match) -> bool:
        return match.is_sure and match.best.name not in self._tools

    def _is_repeated(self, clause: Clause, tool: OfflineTool, waits: bool, certain: bool) -> bool:
        """Return whether a clause with a predicted intent may repeat it, and not for emphasis."""
        if not clause.repetition or (certain and not (waits or repeats_at_once(clause.text))):
            return False
        return not (certain and is_harmless(tool)) and not self._is_emphasis(clause)

    def _is_emphasis(self, clause: Clause) -> bool:
        """Return whether a clause repeats all of its intent, for emphasis: “快停快停”."""
        text = without_repetition(clause.text)
        (match,) = self._classifier.match([text])
        tool = self._tools.get(match.best.name)
        return text != clause.text and tool is not None and match.is_sure and not tool.resources

    def _tool_task(self, clause: Clause, tool: OfflineTool) -> Task | str:
        clause = replace(clause, modifiers=modifiers_for(tool, clause))
        if any(map(slot_of, tool.examples)):
            clause = with_numbers(clause, normalize(self._goal))
        elif clause.unparsed:
            return f'no tool covers “{clause.unparsed}”'
        example = self._classifier.example_for(
            clause.text, tool.name, modifiers_for_examples(tool, clause)
        )
        if example is None or self._wants_another(clause, tool):
            return decline_reason(clause, tool)
        if example.seek and not clause.amounts:
            self._things.forget()
            return Search()
        return self._filled(clause, tool, dict(example.args), example.tells)

    def _filled(
        self,
        clause: Clause,
        tool: OfflineTool,
        arguments: dict[str, Any],
        topics: tuple[str, ...],
        thing: str | None = None,
    ) -> Task | str:
        """Return the task of a tool with its arguments filled from a clause."""
        if self._is_contrary(clause, tool):
            return f'no tool covers “{clause.text:.60}”'
        if does_more_than_answer(tool) and narrates_past(unquoted(clause.masked)):
            return f'{DECLINE_REASONS["past"]} (“{clause.text:.60}” for {tool.name})'
        if argument := tool.text_argument:
            text = self._things.text(clause, tool, thing)
            if thing is None and (reason := self._things.why_none(clause, text, tool)):
                return reason
            if text := self._things.as_called(text, clause, tool):
                arguments[argument] = text
            elif argument in tool.required:
                return f'{tool.name} needs to know what: nothing was named'
        filled = fill(tool, clause, arguments)
        if isinstance(filled, str):
            return filled
        if asks_to_end(clause) and _switches_on(tool, filled):
            return f'{DECLINE_REASONS["ending"]} (“{clause.text:.60}” for {tool.name})'
        if topics or tool.topics:
            return Question(tool.name, topics, filled)
        is_given = any(each.unit and not each.key for each in clause.amounts)
        return PlannedCommand(tool.name, filled, is_given)

    def _is_contrary(self, clause: Clause, tool: OfflineTool) -> bool:
        """Return whether a clause takes a name back, or asks for several turns.

        An example of the tool may say so itself; a free text argument may say anything.
        """
        has_slot = any(map(slot_of, tool.examples))
        if tool.text_argument and not has_slot:
            return False
        is_contrary = takes_back if has_slot else goes_round_often
        text = unquoted(clause.text if has_slot else clause.masked)
        return is_contrary(text) and not any(
            is_contrary(normalize(each.say)) for each in tool.examples
        )

    def _wants_another(self, clause: Clause, tool: OfflineTool) -> bool:
        """Return whether another tool is wanted under a condition: not “tell me when …”."""
        text = consequence(clause.text)
        if not text or not has_modifier(clause, 'condition'):
            return False
        (match,) = self._classifier.match([text])
        found = self._tools.get(match.best.name)
        is_same = (
            self._classifier.are_examples([clause.text])
            or found is None
            or found is tool
            or found.text_argument in found.required
        )
        return not is_same and match.is_sure and match.similarity >= HALF

    def _unsure(self, clause: Clause, match: Match) -> str:
        """Ask back with the two nearest tools, or say that none is near."""
        likely = [each for each in match.ranked if each.name in self._tools][:2]
        best = match.best
        is_modified = has_modifier(clause, 'negation') or has_modifier(clause, 'condition')
        if best.name in self._tools and is_modified:
            return decline_reason(clause, self._tools[best.name])
        if best.name in (NONE, POLITE) or best.score < SURE or len(likely) < 2:
            return f'no tool covers “{clause.text:.60}”'
        first, second = (self._example(each.name, clause) for each in likely)
        question = f'did you mean “{first}” or “{second}”?'
        return f'it is not sure about “{clause.text:.60}”: {question}'

    def _example(self, tool: str, clause: Clause) -> str:
        example = self._classifier.suggestion(clause.text, tool)
        return example_text(example or self._tools[tool].examples[0])


def _without_reason(clause: Clause, moves: bool) -> Clause:
    """Return a clause without the reason or the purpose at its end: “so the kids can pass”.

    What stands behind a reason may take the wish back, so that only a last one is left out.

    `moves`: What is done meanwhile is a condition then, and not why the robot is to wait.
    """
    last = split(clause.masked)[-1:]
    start = clause.masked.rfind(last[0][0]) if last else -1
    if start > 0 and is_reason(last[0][0]):
        reason = part_of(clause, start, len(clause.masked))
        if not has_modifier(reason, 'condition'):
            return part_of(clause, 0, start)
    meanwhile = None if moves else _MEANWHILE.search(clause.masked)
    if meanwhile is None or len(split(clause.masked[meanwhile.start() :])) > 1:
        return clause
    return part_of(clause, 0, meanwhile.start())


def _second_command(clause: Clause) -> str:
    """Return the second command of a clause with one predicted intent; empty: there is none.

    In Japanese, 「上げてとじて」; in other languages a connective would separate them.
    """
    pieces = [text for text, _ in split(clause.surface)]
    is_another = len(pieces) > 1 and is_short_verb(pieces[-1])
    return pieces[-1] if is_another and any(map(asks_in_japanese, pieces[:-1])) else ''
