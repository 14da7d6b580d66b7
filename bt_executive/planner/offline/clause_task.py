"""Plans one clause: its task, with the modifiers that its tool accepts, or why it is declined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
import re
from typing import Any

from bt_executive.planner.offline.amounts import MASK
from bt_executive.planner.offline.argument_filling import fill
from bt_executive.planner.offline.clause_parsing import (
    Clause,
    as_spelt,
    with_numbers,
    without_reason,
    without_repetition,
)
from bt_executive.planner.offline.confidence_despite_objections import Objection
from bt_executive.planner.offline.connectives_lists_and_quotations import (
    split,
    unquoted,
    without_arrival,
)
from bt_executive.planner.offline.courtesy_and_asides import asks_in_japanese, is_short_verb
from bt_executive.planner.offline.example_vectors import SURE, Match
from bt_executive.planner.offline.intent_with_its_numbers import Intent, with_own_numbers
from bt_executive.planner.offline.likely_tools_by_numbers import LikelyTools, is_measured
from bt_executive.planner.offline.modifiers import (
    AS_FAR_AS,
    Modifier,
    consequence,
    find_modifiers,
    goes_round_often,
    has_if_or_unless,
    is_rate,
    looks_aside,
    narrates_past,
    takes_back,
)
from bt_executive.planner.offline.named_things import NamedThings, does_something_else
from bt_executive.planner.offline.neural_networks import arguments_of, tool_of
from bt_executive.planner.offline.offered_tools import (
    OfflineTool,
    Tools,
    does_more_than_answer,
    example_text,
    only_answers,
)
from bt_executive.planner.offline.one_intent_per_clause import HALF, split_clause
from bt_executive.planner.offline.planned_tasks import PlannedCommand, Question, Search, Task
from bt_executive.planner.offline.table_of_examples import NONE, POLITE
from bt_executive.planner.offline.text_normalization import normalize
from bt_executive.planner.offline.tool_classifier import ToolClassifier

_ENDS: tuple[Modifier, ...] = ('ending', 'negation')
_WHEN: tuple[Modifier, ...] = ('condition',)
_ASKS = frozenset({'question', 'asking'})
_SWITCHES = frozenset({'manner: on', 'manner: off'})  # an argument of a switch
_DECLINE_REASONS: dict[Modifier, str] = {
    'negation': 'it cannot leave something out',
    'ending': 'it cannot end that',
    'condition': 'it cannot wait for a condition, or choose',
    'question': 'no tool answers that',
    'asking': 'no tool answers that',
    'past': 'it cannot tell what was from what is wanted',
    'manner': 'it cannot do something in another way, or several times',
}


def _asks_to_end(clause: Clause) -> bool:
    """Return whether the words of a clause say that something is to end."""
    return 'ending' in find_modifiers(unquoted(clause.text))


def _without(modifiers: frozenset[str], kinds: tuple[Modifier, ...]) -> frozenset[str]:
    return frozenset(each for each in modifiers if not each.startswith(kinds))


def _modifiers_for(tool: OfflineTool, clause: Clause) -> frozenset[str]:
    """Return the modifiers of a clause that are not part of an argument of this tool."""
    modifiers = clause.modifiers - _SWITCHES if tool.switch else clause.modifiers
    has_slot = tool.has_slots
    if tool.text_argument:  # a quoted text is the argument
        modifiers &= find_modifiers(unquoted(clause.text)) | {'question'}
        if not has_slot and tool.text_argument in tool.required:  # and so is the whole question
            modifiers = modifiers - _without(modifiers, _ENDS)
    if has_slot or {'x', 'y'} <= set(tool.properties):  # as far as a place
        modifiers = frozenset(each for each in modifiers if not AS_FAR_AS.fullmatch(each))
    return modifiers


def _modifiers_of_intent(
    tool: OfflineTool, intent: Intent, clause: Clause, follows: bool
) -> frozenset[str]:
    """Return the modifiers of a clause with a predicted intent.

    `follows`: whether another intent precedes.
    """
    if follows:
        without = find_modifiers(without_arrival(clause.text)) | _ASKS
        clause = replace(clause, modifiers=clause.modifiers & without)
    modifiers = _modifiers_for(tool, clause)
    if given := arguments_of(intent.label):  # the label means an end, or a condition
        modifiers = _without(modifiers, _ENDS if False in given.values() else _WHEN)
    return modifiers


def _modifiers_for_examples(tool: OfflineTool, clause: Clause) -> frozenset[str]:
    """Return the modifiers of a clause that an example of the tool must have, too: no rate."""
    if not clause.amounts or not tool.rates:
        return clause.modifiers
    return frozenset(each for each in clause.modifiers if not is_rate(each))


def _decline_reason(clause: Clause, tool: OfflineTool) -> str:
    """Return why a clause is declined: by its modifier, or because no tool covers it."""
    kind = next((each for each in _DECLINE_REASONS if clause.has(each)), None)
    return _reason_of(kind, clause, tool) if kind else f'no tool covers “{clause.text:.60}”'


def _reason_of(kind: Modifier, clause: Clause, tool: OfflineTool) -> str:
    return f'{_DECLINE_REASONS[kind]} (“{clause.text:.60}” for {tool.name})'


_HARMLESS = re.compile(r'[^\w\d%°$€£+<>=#@\\/|*^×÷]')  # a sign without a meaning
_SIGNED_AXIS = re.compile(rf'(?<!\w)-[xy] ?{MASK}')


def _switches_on(tool: OfflineTool, filled: dict[str, Any]) -> bool:
    """Return whether a call switches a tool on without a condition to wait for."""
    is_on = bool(tool.switch) and filled.get(tool.switch) is not False
    return is_on and not tool.waits(filled)


class ClausePlanner:
    """Plans the clauses of one goal, and keeps what was named in it.

    Args:
        alone: Whether the goal has one clause.
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
        self, intent: Intent, follows: bool, objections: list[Objection]
    ) -> Task | str:
        """Return the task of a predicted intent, or why there is none.

        Args:
            intent: With its clause.
            follows: Whether another intent precedes: “when you are there” is no condition then.
            objections: What rules say against it is added.
        """
        clause, core, label = intent.clause, intent.core, intent.label
        tool = self._tools.get(tool_of(label))
        if tool is None:
            return f'{tool_of(label)} is not offered'
        acts = not only_answers(tool)
        if not tool.text_argument:
            core = without_reason(core, bool(tool.resources))
        found = list(self._objections(replace(intent, core=core), tool, acts))
        core = replace(core, modifiers=_modifiers_of_intent(tool, intent, core, follows))
        clause, bare = with_own_numbers(clause, intent, tool, self._goal)
        found += [Objection('number', f'it is not sure what “{each}” is') for each in bare]
        example = self._classifier.example_for(
            core.text, tool.name, _modifiers_for_examples(tool, core)
        )
        if example is None or self._wants_another(core, tool):
            reason = _decline_reason(core, tool)
            kinds = {each.partition(':')[0] for each in core.modifiers}
            found += [Objection(kind, reason, acts) for kind in kinds or ('far',)]
            if not kinds and any(each.has('past') for each in intent.pieces):
                found.append(Objection('past', reason, acts))
        conditions = sum(map(_sets_condition, intent.pieces))
        is_own = conditions == 1 and tool.waits(arguments_of(label))  # “tell me when it is dark”
        if conditions and not core.has('condition') and not is_own:
            found.append(Objection('aside', _decline_reason(clause, tool)))
        others = (each.text for each in intent.pieces if each is not intent.core)
        asks_freely = tool.text_argument and not tool.has_slots  # whatever is asked is an argument
        if any(map(has_if_or_unless, others)) and not asks_freely and not is_own:
            found.append(Objection('whether', _reason_of('condition', clause, tool), acts))
        strict = {'ending', 'negation', 'whether'}
        if intent.is_alone or (has_if_or_unless(core.text) and not is_own):
            strict |= {each.kind for each in found}
        if asks_freely:
            strict.clear()
        objections += [replace(each, is_strict=each.kind in strict) for each in found]
        rates = {each for piece in intent.pieces for each in piece.modifiers if is_rate(each)}
        clause = replace(
            clause,
            modifiers=core.modifiers | rates,
            unparsed='',
            times=core.times,
            item_count=core.item_count,
        )
        arguments, fields = arguments_of(label), example.tells if example else ()
        if example and not self._classifier.labels_arguments(tool.name):
            arguments = dict(example.args)
        name = as_spelt(intent.slot_value, intent.clause.amounts, normalize(self._goal))
        return self._filled(clause, tool, arguments, fields, name, objections)

    def _objections(self, intent: Intent, tool: OfflineTool, acts: bool) -> Iterator[Objection]:
        """Yield what the words of a clause say against the intent that is predicted for it."""
        clause, core = intent.clause, intent.core
        uncovered = f'no tool covers “{clause.unparsed or core.text:.60}”'
        if clause.is_delayed:
            yield Objection('delay', 'it cannot begin something later')
        is_harmless = not clause.unparsed or bool(_HARMLESS.fullmatch(clause.unparsed))
        is_named = tool.has_slots and clause.unparsed in normalize(intent.slot_value)
        if not (is_harmless or is_named) or _SIGNED_AXIS.search(clause.masked):
            yield Objection('unparsed', uncovered)
        if _second_command(core) or not any(map(str.isalpha, clause.masked)):
            yield Objection('second', uncovered)
        if core.repetition and not self._is_emphasis(core):
            reason = f'“{core.repetition:.60}” is said twice: say “and” between two wishes'
            yield Objection('repetition', reason, acts)
        (match,) = self._classifier.match([core.text])
        if any(each.name == tool.name and not each.score for each in match.ranked):
            yield Objection('opposite', uncovered)
        elif match.is_sure and match.best.name not in self._tools:
            yield Objection('no_tool', uncovered)
        if tool.has_slots and does_something_else(
            core.text,
            normalize(intent.slot_value),
            self._classifier.examples_with_slots(core.text, tool.name),
        ):
            yield Objection('verb', uncovered)

    def _is_emphasis(self, clause: Clause) -> bool:
        """Return whether a clause repeats all of its intent, for emphasis: “快停快停”."""
        text = without_repetition(clause.text)
        (match,) = self._classifier.match([text])
        tool = self._tools.get(match.best.name)
        return text != clause.text and tool is not None and match.is_sure and not tool.resources

    def _tool_task(self, clause: Clause, tool: OfflineTool) -> Task | str:
        clause = replace(clause, modifiers=_modifiers_for(tool, clause))
        if tool.has_slots:
            clause = with_numbers(clause, normalize(self._goal))
        elif clause.unparsed:
            return f'no tool covers “{clause.unparsed}”'
        example = self._classifier.example_for(
            clause.text, tool.name, _modifiers_for_examples(tool, clause)
        )
        if example is None or self._wants_another(clause, tool):
            return _decline_reason(clause, tool)
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
        objections: list[Objection] | None = None,
    ) -> Task | str:
        """Return the task of a tool with its arguments filled from a clause, or why there is none.

        `objections`: To which it adds what speaks against the task; None: that is why there is
        none.
        """
        found = list(self._objections_to_act(clause, tool))
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
        if _asks_to_end(clause) and _switches_on(tool, filled):
            found.append(Objection('contrary', _reason_of('ending', clause, tool)))
        if objections is None and found:
            return found[0].reason
        if objections is not None:
            objections += found
        if topics or tool.topics:
            return Question(tool.name, topics, filled)
        is_given = any(each.unit and not each.key for each in clause.amounts)
        return PlannedCommand(tool.name, filled, is_given)

    def _objections_to_act(self, clause: Clause, tool: OfflineTool) -> Iterator[Objection]:
        """Yield what a clause says against the act of a tool, whatever its arguments."""
        if self._is_contrary(clause, tool):
            yield Objection('contrary', f'no tool covers “{clause.text:.60}”')
        if not does_more_than_answer(tool):
            return
        if clause.count > 1 and not tool.text_argument:
            yield Objection('contrary', _reason_of('manner', clause, tool))
        if narrates_past(unquoted(clause.masked)):
            yield Objection('narration', _reason_of('past', clause, tool))

    def _is_contrary(self, clause: Clause, tool: OfflineTool) -> bool:
        """Return whether a clause takes a name back, or asks for several turns or for a look.

        An example of the tool may say so itself; a free text argument may say anything.
        """
        has_slot = tool.has_slots
        if tool.text_argument and not has_slot:
            return False
        text = unquoted(clause.text if has_slot else clause.masked)
        return any(
            is_contrary(text)
            and not any(is_contrary(normalize(each.say)) for each in tool.examples)
            for is_contrary in ((takes_back,) if has_slot else (goes_round_often, looks_aside))
        )

    def _wants_another(self, clause: Clause, tool: OfflineTool) -> bool:
        """Return whether another tool is wanted under a condition: not “tell me when …”."""
        text = consequence(clause.text)
        if not text or not clause.has('condition'):
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
        is_modified = clause.has('negation') or clause.has('condition')
        if best.name in self._tools and is_modified:
            return _decline_reason(clause, self._tools[best.name])
        if best.name in (NONE, POLITE) or best.score < SURE or len(likely) < 2:
            return f'no tool covers “{clause.text:.60}”'
        first, second = (self._example(each.name, clause) for each in likely)
        question = f'did you mean “{first}” or “{second}”?'
        return f'it is not sure about “{clause.text:.60}”: {question}'

    def _example(self, tool: str, clause: Clause) -> str:
        example = self._classifier.suggestion(clause.text, tool)
        return example_text(example or self._tools[tool].examples[0])


def _sets_condition(clause: Clause) -> bool:
    """Return whether a clause sets a condition: not “once there”, after another intent."""
    return any(
        each.startswith('condition') for each in find_modifiers(without_arrival(clause.text))
    )


def _second_command(clause: Clause) -> str:
    """Return the second command of a clause with one predicted intent; empty: there is none.

    In Japanese, 「上げてとじて」; in other languages a connective would separate them.
    """
    pieces = [text for text, _ in split(clause.surface)]
    is_another = len(pieces) > 1 and is_short_verb(pieces[-1])
    return pieces[-1] if is_another and any(map(asks_in_japanese, pieces[:-1])) else ''
