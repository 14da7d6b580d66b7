"""Reads a part of a goal: the tool that it asks for, with its arguments, or why there is none."""

from __future__ import annotations

from dataclasses import replace
import re
from typing import Any

from bt_executive.planner.offline.argument_filling import fill
from bt_executive.planner.offline.example_table import NONE, POLITE
from bt_executive.planner.offline.example_vectors import SURE, Match
from bt_executive.planner.offline.function_words import (
    AS_FAR_AS,
    Kind,
    asks_which,
    consequence,
    goes_round_often,
    is_rate,
    kinds,
    tells_what_was,
)
from bt_executive.planner.offline.goal_parts import (
    PLACE,
    GoalPart,
    part_of,
    repeats_at_once,
    said_once,
    with_numbers,
)
from bt_executive.planner.offline.joints import (
    is_done_before,
    points_back,
    split,
    without_arrival,
)
from bt_executive.planner.offline.model_reading import Wish
from bt_executive.planner.offline.numbers_with_units import plain
from bt_executive.planner.offline.offered_tools import (
    OfflineTool,
    Tools,
    does_more_than_answer,
    slot_of,
    spoken,
)
from bt_executive.planner.offline.opposites import takes_back
from bt_executive.planner.offline.planned_tasks import PlannedCommand, Question, Search, Task
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
from bt_executive.planner.offline.tool_model import arguments_of, tool_of
from bt_executive.planner.offline.verb_check import does_something_else
from bt_executive.planner.offline.wishes import HALF, two_wishes

_WITH_AMOUNT = 0.42  # least score of a tool that takes what is measured, which no chat does
_WORDS_OF_A_NAMED_WISH = 3  # in a language without examples: a verb, a preposition, a name
_BEST_AND_TWO = 3
_OF_A_PLACE = 2  # bare numbers that are x and y
_CLEAR_SECOND = 0.6  # least score of a tool in place of one that lacks its amount
_NEXT_BEST = 0.12  # how far behind the best a tool may be that takes the amounts
_A_PLACE = re.compile(
    r'(?:the |a )?(?:point|spot|position|location|place|coordinates?|grid|origin|punto|punkt)'
    r'|(?:の)?(?:地点|場所|ところ|位置|座標|点|原点)|(?:那个?|这个?)?(?:点|地点|位置|坐标|地方|原点)'
)
_HARMLESS = re.compile(r'[^\w\d%°$€£+<>=#@\\/|*^]')  # a sign that says nothing
_ENDS, _WHEN, _PAST = ('ending', 'negation'), ('condition',), ('past',)
_ASKS = frozenset({'question', 'asking'})
_ASKED = re.compile(r'[?吗]')
_SWITCHES = frozenset({'manner: on', 'manner: off'})  # what a switch is told
_SAID_BESIDES: dict[Kind, str] = {
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


def _says_end(part: GoalPart) -> bool:
    """Return whether the words of a part say that something is to end."""
    return 'ending' in kinds(unquoted(part.text))


def _switches_on(tool: OfflineTool, filled: dict[str, Any]) -> bool:
    """Return whether a tool that can be switched is switched on, and told nothing to wait for."""
    is_on = bool(tool.switch) and filled.get(tool.switch) is not False
    return is_on and not tool.waits(filled)


def _is_measured(part: GoalPart, match: Match) -> bool:
    """Return whether its amounts decide between tools: what is measured is no chat."""
    return (
        any(each.unit for each in part.amounts)
        and match.best.score >= _WITH_AMOUNT
        and match.margin < 1.0
    )


def _kinds_for(tool: OfflineTool, part: GoalPart) -> frozenset[str]:
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


def _kinds_heard(
    tool: OfflineTool, wish: Wish, part: GoalPart, where: tuple[bool, bool, bool]
) -> frozenset[str]:
    """Return what a part says besides a wish that a model has heard in it."""
    follows, is_last, certain = where
    if certain and not is_last and is_done_before(part.text):
        rest = frozenset(each for each in part.kinds if not each.startswith(_WHEN))
        part = replace(part, kinds=rest)
    if follows:
        part = replace(part, kinds=part.kinds & (kinds(without_arrival(part.text)) | _ASKS))
    said = _kinds_for(tool, part)
    if given := arguments_of(wish.name):  # to end something, or to tell when, is what it means
        meant = _ENDS if False in given.values() else _WHEN
        said = frozenset(each for each in said if not each.startswith(meant))
    if certain and tool.text_argument:  # of a thing that was seen; of a question
        meant = _PAST if any(map(slot_of, tool.examples)) else (*_PAST, *_WHEN)
        said = frozenset(each for each in said if not each.startswith(meant))
    return said


def _of_examples(tool: OfflineTool, part: GoalPart) -> frozenset[str]:
    """Return what of the kinds of a part an example of the tool must say, too: not how often."""
    if not part.amounts or not tool.rates:
        return part.kinds
    return frozenset(each for each in part.kinds if not is_rate(each))


class PartReader:
    """The parts of one goal, with what was named in it so far.

    Args:
        tools: Those that are offered.
        meanings: Their examples.
        alone: Whether the goal has one part.
        goal: What was said.
    """

    def __init__(self, tools: Tools, meanings: Meanings, alone: bool, goal: str) -> None:
        self._tools, self._meanings, self._alone, self._goal = tools, meanings, alone, goal
        self._named = ''  # what was asked about last: “there” is where that is

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
        match = self._of_its_kind(match, part)
        match, part = self._of_its_rate(match, part)
        match = self._without_amounts(match, part)
        match = self._with_place(match, part)
        likely = self._likely(match, part)
        if not likely or not (match.is_sure or len(likely) > 1 or _is_measured(part, match)):
            return self._unsure(part, match)
        if named := self._names_another(part):
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
        if part.later or (part.odd and not _HARMLESS.fullmatch(part.odd)):
            return f'no tool covers “{part.odd or part.text:.60}”'
        if part.twice and (not certain or repeats_at_once(part.text)) and not self._is_urged(part):
            return f'“{part.twice:.60}” is said twice: say “and” between two wishes'
        said = _kinds_heard(tool, wish, part, (follows, is_last, certain))
        part = replace(part, kinds=said, odd='')
        if any(map(slot_of, tool.examples)):
            part = with_numbers(part, plain(self._goal))
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
        example = self._meanings.example_for(part.text, tool.name, _of_examples(tool, part))
        if example is None or self._wants_another(part, tool):
            return self._besides(part, tool)
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

    def _of_its_kind(self, match: Match, part: GoalPart) -> Match:
        """Return a match without rivals: of a question what only acts, of an end what has none."""
        if part.kinds not in ({'question'}, {'ending'}):
            return match
        asked = [
            each
            for each in match.ranked
            if each.name not in self._tools
            or self._meanings.example_for(part.text, each.name, part.kinds) is not None
        ]
        return replace(match, ranked=tuple(asked)) if len(asked) > 1 else match

    def _of_its_rate(self, match: Match, part: GoalPart) -> tuple[Match, GoalPart]:
        """Return a part that says how often for the tool that is told it, if one is near."""
        if not part.amounts or not any(map(is_rate, part.kinds)):
            return match, part
        for at, each in enumerate(match.ranked[:_BEST_AND_TWO]):
            tool = self._tools.get(each.name)
            if tool and tool.rates and each.score >= SURE:
                asks = {'question'} if not _ASKED.search(part.marked) else set()
                what = replace(part, kinds=part.kinds - asks)  # “say every 5 s what is there”
                return replace(match, ranked=match.ranked[at:]), what
        return match, part

    def _without_amounts(self, match: Match, part: GoalPart) -> Match:
        """Return a match without the best tool if that needs an amount, and another is clear."""
        tool = self._tools.get(match.best.name)
        if part.amounts or tool is None or len(match.ranked) < _BEST_AND_TWO:
            return match
        second, third = match.ranked[1:_BEST_AND_TWO]
        if second.name not in self._tools:
            return match
        needs = any(tool.properties[each].get('type') == 'number' for each in tool.required)
        if not needs or second.score < _CLEAR_SECOND or second.score - third.score < match.margin:
            return match
        return replace(match, ranked=match.ranked[1:])

    def _with_place(self, match: Match, part: GoalPart) -> Match:
        """Return a match of a part with coordinates for a tool that takes them, if one is near."""
        keys = {each.key for each in part.amounts if each.key}
        bare_ones = [each for each in part.amounts if not each.key and not each.unit]
        if not {'x', 'y'} <= keys and (keys or len(bare_ones) != _OF_A_PLACE):
            return match
        for at, each in enumerate(match.ranked[:_BEST_AND_TWO]):
            tool = self._tools.get(each.name)
            if tool and {'x', 'y'} <= tool.required and each.score >= SURE:
                return (
                    replace(match, ranked=match.ranked[at:]) if self._is_nowhere(part) else match
                )
        return match

    def _is_nowhere(self, part: GoalPart) -> bool:
        """Return whether a part with coordinates names no other place."""
        return not self._names_another(part)

    def _names_another(self, part: GoalPart) -> str:
        """Return the tool of named things that a part with coordinates asks for without them."""
        if PLACE not in part.text:
            return ''
        (without,) = self._meanings.match([' '.join(part.text.replace(PLACE, ' ').split())])
        other = self._tools.get(without.best.name)
        if other is None or not without.is_sure or not any(map(slot_of, other.examples)):
            return ''
        what = text_for(other, without.text)
        if _A_PLACE.fullmatch(what):
            return ''
        if what == without.text.strip() and len(what.split()) < _WORDS_OF_A_NAMED_WISH:
            return ''  # in a language without examples: a verb and “to”
        return other.name if what else ''

    def _likely(self, match: Match, part: GoalPart) -> list[str]:
        """Return the best tool, and with amounts those so near that the amounts may decide."""
        if match.best.name not in self._tools:
            return []
        least = max(match.best.score - max(_NEXT_BEST, match.margin), SURE)
        near = [each.name for each in match.ranked if each.score >= least]
        if _is_measured(part, match):
            near = [each for each in near if each not in (NONE, POLITE)]
        if part.amounts and set(near) <= set(self._tools):
            return near
        return near[:1]

    def _tool(self, part: GoalPart, tool: OfflineTool) -> Task | str:
        part = replace(part, kinds=_kinds_for(tool, part))
        if any(map(slot_of, tool.examples)):
            part = with_numbers(part, plain(self._goal))
        elif part.odd:
            return f'no tool covers “{part.odd}”'
        example = self._meanings.example_for(part.text, tool.name, _of_examples(tool, part))
        if example is None or self._wants_another(part, tool):
            return self._besides(part, tool)
        if example.seek and not part.amounts:
            self._named = ''  # “there” is then where it was found
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
            return f'{_SAID_BESIDES["past"]} (“{part.text:.60}” for {tool.name})'
        if text := tool.text_argument:
            what = self._text(part, tool) if thing is None else self._thing(part, tool, thing)
            if thing is None and (why := self._no_thing(part, what, tool)):
                return why
            if what and any(map(slot_of, tool.examples)) and not is_quoted(part.text):
                what = in_place_of(what, part.text, *([plain(self._goal)] if self._alone else []))
            if what:
                arguments[text] = what
            elif text in tool.required:
                return f'{tool.name} needs to know what: nothing was named'
        filled = fill(tool, part, arguments)
        if isinstance(filled, str):
            return filled
        if _says_end(part) and _switches_on(tool, filled):
            return f'{_SAID_BESIDES["ending"]} (“{part.text:.60}” for {tool.name})'
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
        return says_so(said) and not any(says_so(plain(each.say)) for each in tool.examples)

    def _no_thing(self, part: GoalPart, what: str, tool: OfflineTool) -> str:
        """Say why a text is not what the tool is to be told; empty: it is."""
        if unquoted(part.text) != part.text or not any(map(slot_of, tool.examples)):
            return ''
        whole = what == part.text and tool.text_argument in tool.required
        said = self._meanings.that_name_things(part.text, tool.name)
        if (whole and not says_order(what)) or does_something_else(part.text, self._named, said):
            return f'no tool covers “{part.text:.60}”'
        chooses = what not in (part.text, part.said) and asks_which(what)
        return f'it cannot choose “{what:.60}” itself' if chooses else ''

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

    def _text(self, part: GoalPart, tool: OfflineTool) -> str:
        """Return the text argument; for a tool without named things the part itself."""
        if not any(map(slot_of, tool.examples)):
            return (self._goal.strip() if self._alone else part.said)[:200]
        what = text_for(tool, part.text)
        known = {language_of(each.say) for each in tool.examples if slot_of(each)}
        english = language_of(part.text) == 'en'  # or any other language in letters
        if what == part.text and (english or language_of(part.text) not in known):
            what = self._meanings.named_in(part.text, tool.name) or what
        self._named = what or self._named
        return part.said[:200] if loses_order(part.text, what) else self._named

    def _thing(self, part: GoalPart, tool: OfflineTool, thing: str) -> str:
        """Return the text argument where a model has heard what is named; empty: nothing."""
        slots = [each for each in map(slot_of, tool.examples) if each]
        if not slots or all(each.startswith('/') for each in slots) or is_quoted(part.text):
            return self._text(part, tool)
        if self._named and points_back(part.text):
            return self._named
        self._named = thing or self._named
        is_in_it = thing in part.text
        return part.said[:200] if is_in_it and loses_order(part.text, thing) else self._named

    def _besides(self, part: GoalPart, tool: OfflineTool) -> str:
        for kind, why in _SAID_BESIDES.items():
            if says(part, kind):
                return f'{why} (“{part.text:.60}” for {tool.name})'
        return f'no tool covers “{part.text:.60}”'

    def _unsure(self, part: GoalPart, match: Match) -> str:
        """Ask back with the two nearest, or say that no tool is near."""
        likely = [each for each in match.ranked if each.name in self._tools][:2]
        best = match.best
        if best.name in self._tools and (says(part, 'negation') or says(part, 'condition')):
            return self._besides(part, self._tools[best.name])
        if best.name in (NONE, POLITE) or best.score < SURE or len(likely) < 2:
            return f'no tool covers “{part.text:.60}”'
        said = [self._example(each.name, part) for each in likely]
        return f'it is not sure about “{part.text:.60}”: did you mean “{said[0]}” or “{said[1]}”?'

    def _example(self, tool: str, part: GoalPart) -> str:
        example = self._meanings.suggestion(part.text, tool)
        return spoken(example or self._tools[tool].examples[0])
