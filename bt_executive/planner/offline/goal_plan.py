"""Makes a plan of a goal: the tools that all of it needs, or why it is declined as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
import re

from bt_executive.planner.offline.amounts import plain
from bt_executive.planner.offline.argument_filling import fill
from bt_executive.planner.offline.done_with import does_something_else
from bt_executive.planner.offline.goal_parts import (
    LONGEST_GOAL,
    PLACE,
    GoalPart,
    joined,
    said_once,
    with_numbers,
)
from bt_executive.planner.offline.languages import (
    AS_FAR_AS,
    Joint,
    Kind,
    asks_which,
    consequence,
    kinds,
)
from bt_executive.planner.offline.meanings import (
    NONE,
    POLITE,
    SURE,
    Match,
    Meanings,
    meanings_of,
)
from bt_executive.planner.offline.picture_search import LOOK
from bt_executive.planner.offline.planned_tasks import (
    PlannedCommand,
    Question,
    Search,
    Task,
    add,
)
from bt_executive.planner.offline.slots import loses_order, says_order, text_for, unquoted
from bt_executive.planner.offline.toolbox import ENDINGS, OfflineTool, Tools, slot_of, spoken
from bt_executive.planner.offline.wishes import HALF, two_wishes, wishes
from bt_executive.planner.offline.wording import language_of

MOST_PARTS = 8
_WITH_AMOUNT = 0.42  # least score of a tool that takes what is measured, which no chat does
_WORDS_OF_A_NAMED_WISH = 3  # in a language without examples: a verb, a preposition, a name
_BEST_AND_TWO = 3
_OF_A_PLACE = 2  # bare numbers that are x and y
_CLEAR_SECOND = 0.6  # least score of a tool in place of one that lacks its amount
_NEXT_BEST = 0.12  # how far behind the best a tool may be that takes the amounts

_AFTER_ANOTHER = frozenset({'manner: again'})  # “…, then take a picture again” is one more
_A_PLACE = re.compile(
    r'(?:the |a )?(?:point|spot|position|location|place|coordinates?|grid|origin|punto|punkt)'
    r'|(?:の)?(?:地点|場所|ところ|位置|座標|点|原点)|(?:那个?|这个?)?(?:点|地点|位置|坐标|地方|原点)'
)
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


def make_plan(goal: str, tools: Tools, no_tool: tuple[str, ...] = ()) -> list[Task] | str:
    """Return the tasks of a goal in their order, or the rest of a sentence why it is declined.

    Args:
        goal: What was said.
        tools: Those that are offered.
        no_tool: Examples of what none of them covers.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    if len(goal) > LONGEST_GOAL:
        return f'it reads at most {LONGEST_GOAL} characters'
    offered = {name: tool for name, tool in tools.items() if name not in ENDINGS}
    if not offered:
        return 'no tool is offered'
    meanings = meanings_of(offered, no_tool)
    declined = ''
    for with_asides in (False, True):
        parts = wishes(goal, offered, meanings, MOST_PARTS, with_asides)
        if len(parts) > MOST_PARTS:
            return f'it does at most {MOST_PARTS} things for a goal'
        plan = _Planning(offered, meanings, len(parts) == 1, goal).tasks(parts)
        if not isinstance(plan, str):
            return plan
        declined = declined or plan
    return declined


def _says(part: GoalPart, kind: Kind) -> bool:
    return any(each.partition(':')[0] == kind for each in part.kinds)


def _is_measured(part: GoalPart, match: Match) -> bool:
    """Return whether its amounts decide between tools: what is measured is no chat."""
    return (
        any(each.unit for each in part.amounts)
        and match.best.score >= _WITH_AMOUNT
        and match.margin < 1.0
    )


def _is_emphasis(before: GoalPart, part: GoalPart) -> bool:
    """Return whether a part is the one before once more: “stop, stop!”."""
    return part.after_comma and part.text == before.text and not (part.amounts or before.amounts)


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


class _Planning:
    """One goal, with what was named in it so far."""

    def __init__(self, tools: Tools, meanings: Meanings, alone: bool, goal: str) -> None:
        self._tools, self._meanings, self._alone, self._goal = tools, meanings, alone, goal
        self._named = ''  # what was asked about last: “there” is where that is

    def tasks(self, parts: Sequence[GoalPart]) -> list[Task] | str:
        tasks: list[Task] = []
        before: GoalPart | None = None
        matches = self._meanings.match([part.text for part in parts])
        both = list(zip(parts, matches, strict=True))
        for at, (part, match) in enumerate(both):
            said_more = part.amounts or part.odd or kinds(part.text)
            if match.is_polite and not said_more:
                continue
            if before and _is_emphasis(before, part):
                continue
            if tasks:
                part = replace(part, kinds=part.kinds - _AFTER_ANOTHER)
            task = self._two(part, match) or self._task(part, match)
            if isinstance(task, str) and (more := self._with_next(*both[at : at + 2])):
                both[at + 1] = more
                continue
            if isinstance(task, str) and before:
                task = self._with_verb(before, part, match) or task
                if added := self._with_more(tasks, before, part):
                    tasks[-1] = added
                    continue
            if isinstance(task, str):
                return task
            if task == Search() and tasks and tasks[-1] == PlannedCommand(LOOK):
                return f'it is not sure whether “{part.text}” asks for another picture'
            last_part, before = before, part
            if not self._asks_more(task, tasks) and not self._is_same_wish(
                task, part, last_part, tasks
            ):
                add(task, tasks)
        if len(tasks) > 1 and any(_says(each, 'condition') for each in parts):
            return 'it cannot wait for a condition, or choose, beside other wishes'
        return tasks or 'it names nothing to do'

    def _with_next(
        self, this: tuple[GoalPart, Match], *following: tuple[GoalPart, Match]
    ) -> tuple[GoalPart, Match] | None:
        """Return a part with the next one, if a comma parts them and both are for one tool.

        “Mark this spot, we call it camp” names nothing before the comma.
        """
        part, match = this
        for other, its in following:
            if other.after_comma and its.best.name == match.best.name in self._tools:
                whole = joined(part, other)
                (found,) = self._meanings.match([whole.text])
                if found.is_sure and found.best.name == match.best.name:
                    return whole, found
        return None

    def _with_verb(self, before: GoalPart, part: GoalPart, match: Match) -> Task | None:
        """Return what a part without a verb means after the verb of the part before it.

        “Show me the topics and the nodes”. The part itself must be nearest to the same tool.
        """
        verb, blank, _ = before.text.partition(' ')
        if match.is_sure or not blank or match.best.name not in self._tools:
            return None
        whole = replace(part, text=f'{verb} {part.text}')
        (found,) = self._meanings.match([whole.text])
        if not found.is_sure or found.best.name != match.best.name or found.similarity < HALF:
            return None
        task = self._task(whole, found)
        return None if isinstance(task, str) else task

    def _with_more(
        self, tasks: Sequence[Task], before: GoalPart, part: GoalPart
    ) -> PlannedCommand | None:
        """Return the last task with an amount that a part only adds: “…, facing 1.57 rad”."""
        last = tasks[-1]
        alike = {each.unit for each in before.amounts} & {each.unit for each in part.amounts}
        if not part.amounts or alike or not isinstance(last, PlannedCommand):
            return None
        whole = joined(before, part)
        (found,) = self._meanings.match([whole.text])
        if not found.is_sure or found.best.name != last.tool:
            return None
        task = self._task(whole, found)
        is_more = (
            isinstance(task, PlannedCommand) and last.arguments.items() <= task.arguments.items()
        )
        return task if is_more and isinstance(task, PlannedCommand) else None

    def _asks_more(self, task: Task, tasks: list[Task]) -> bool:
        """Make one of two questions to a tool that is asked in free words: the whole goal."""
        last = tasks[-1] if tasks else None
        if not isinstance(task, PlannedCommand) or not isinstance(last, PlannedCommand):
            return False
        tool = self._tools[task.tool]
        text = tool.text_argument
        if last.tool != task.tool or not text or any(map(slot_of, tool.examples)):
            return False
        tasks[-1] = PlannedCommand(task.tool, {**last.arguments, text: self._goal.strip()[:200]})
        return True

    def _is_same_wish(
        self, task: Task, part: GoalPart, before: GoalPart | None, tasks: list[Task]
    ) -> bool:
        """Return whether a task is the one before in other words, which takes over what it adds.

        “Halt! Stop right there.” Amounts that are said twice are two wishes, and so is what “then”
        joins, and the same words with “and” between them.
        """
        last = tasks[-1] if tasks else None
        if not isinstance(task, PlannedCommand) or not isinstance(last, PlannedCommand):
            return False
        if last.tool != task.tool:
            return False
        if last.arguments and task.arguments and (task != last or task.measured):
            return False
        if part.joint is Joint.THEN or (
            part.joint is Joint.AND and before and part.text == before.text
        ):
            return False
        if task.arguments and part.joint is Joint.AND and self._tools[task.tool].parts:
            return False
        tasks[-1] = task if task.arguments else last
        return True

    def _two(self, part: GoalPart, match: Match) -> str:
        """Say that a part is two wishes that nothing joins; empty: it is one."""
        two = two_wishes(part, match, self._tools, self._meanings)
        said = [f'“{each.text:.40}”' for _, each in two]
        return f'{" and ".join(said)} are two: say “and” between them' if said else ''

    def _task(self, part: GoalPart, match: Match) -> Task | str:
        if part.odd and not part.odd.isdecimal():
            return f'no tool covers “{part.odd}”'
        if part.twice and not self._is_urged(part):
            return f'“{part.twice:.60}” is said twice: say “and” between two wishes'
        if part.later:
            return 'it cannot begin something later'
        match = self._of_its_kind(match, part)
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

    def _is_urged(self, part: GoalPart) -> bool:
        """Return whether a part says all of its wish twice, and twice is no more: “快停快停”."""
        once_said = said_once(part.text)
        (match,) = self._meanings.match([once_said])
        tool = self._tools.get(match.best.name)
        return once_said != part.text and tool is not None and match.is_sure and not tool.parts

    def _of_its_kind(self, match: Match, part: GoalPart) -> Match:
        """Return a question's match without tools that only act: they are no rivals for it."""
        if part.kinds != {'question'}:
            return match
        asked = [
            each
            for each in match.ranked
            if each.name not in self._tools
            or self._meanings.example_for(part.text, each.name, part.kinds) is not None
        ]
        return replace(match, ranked=tuple(asked)) if len(asked) > 1 else match

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
        example = self._meanings.example_for(part.text, tool.name, part.kinds)
        if example is None or self._wants_another(part, tool):
            return self._besides(part, tool)
        if example.seek and not part.amounts:
            self._named = ''  # “there” is then where it was found
            return Search()
        arguments = dict(example.args)
        if text := tool.text_argument:
            what = self._text(part, tool)
            if why := self._no_thing(part, what, tool):
                return why
            if what:
                arguments[text] = what
            elif text in tool.required:
                return f'{tool.name} needs to know what: nothing was named'
        filled = fill(tool, part, arguments)
        if isinstance(filled, str):
            return filled
        if example.tells or tool.topics:
            return Question(tool.name, example.tells, filled)
        measured = any(each.unit and not each.key for each in part.amounts)
        return PlannedCommand(tool.name, filled, measured)

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
        if not what or not _says(part, 'condition'):
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

    def _besides(self, part: GoalPart, tool: OfflineTool) -> str:
        for kind, why in _SAID_BESIDES.items():
            if _says(part, kind):
                return f'{why} (“{part.text:.60}” for {tool.name})'
        return f'no tool covers “{part.text:.60}”'

    def _unsure(self, part: GoalPart, match: Match) -> str:
        """Ask back with the two nearest, or say that no tool is near."""
        likely = [each for each in match.ranked if each.name in self._tools][:2]
        best = match.best
        if best.name in self._tools and (_says(part, 'negation') or _says(part, 'condition')):
            return self._besides(part, self._tools[best.name])
        if best.name in (NONE, POLITE) or best.score < SURE or len(likely) < 2:
            return f'no tool covers “{part.text:.60}”'
        said = [self._example(each.name, part) for each in likely]
        return f'it is not sure about “{part.text:.60}”: did you mean “{said[0]}” or “{said[1]}”?'

    def _example(self, tool: str, part: GoalPart) -> str:
        example = self._meanings.suggestion(part.text, tool)
        return spoken(example or self._tools[tool].examples[0])
