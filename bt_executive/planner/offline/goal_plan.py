"""Makes a plan of a goal: the tools that all of it needs, or why it is declined as a whole."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise

from bt_executive.planner.offline.example_vectors import SURE, Match
from bt_executive.planner.offline.function_words import (
    asks_in_japanese,
    is_cut_off,
    is_rate,
    kinds,
    reminds,
    tells_of_others,
)
from bt_executive.planner.offline.goal_parts import LONGEST_GOAL, GoalPart, halves, joined
from bt_executive.planner.offline.joints import (
    Joint,
    only_joins,
    without_arrival,
)
from bt_executive.planner.offline.model_reading import Reading, read_aloud, read_by_model
from bt_executive.planner.offline.numbers_with_units import plain
from bt_executive.planner.offline.offered_tools import (
    ENDINGS,
    Tools,
    does_more_than_answer,
    slot_of,
)
from bt_executive.planner.offline.part_task import PartReader, says
from bt_executive.planner.offline.picture_search import LOOK, rates
from bt_executive.planner.offline.planned_tasks import PlannedCommand, Search, Task, add, tool_name
from bt_executive.planner.offline.text_arguments import unquoted
from bt_executive.planner.offline.tool_by_examples import Meanings, meanings_of
from bt_executive.planner.offline.tool_model import ToolModel, arguments_of, tool_of
from bt_executive.planner.offline.wishes import (
    HALF,
    may_be_aside,
    parts_of,
    wishes,
    without_arrivals,
)

MOST_PARTS = 8
# How sure the model of the tools must be of a plan that the examples do not come to, and how
# likely it must find theirs (bench/wordings.py).
SURE_OF_IT, LEAST_OF_EXAMPLES = 0.65, 0.03
CERTAIN = 0.7  # from which words that deny or set a condition are heard with the rest
CLEAR_ASIDE = 0.6  # least score of a rival for words around wishes of which the model is certain
_WORDS_OF_AN_ASIDE = 3
_NEVER_AN_ASIDE = frozenset({'condition', 'manner', 'ending'})
_NEAREST, _NEAR = 5, 0.3  # of the tools of which a part may begin a wish
_AFTER_ANOTHER = frozenset({'manner: again'})  # “…, then take a picture again” is one more


@dataclass(frozen=True)
class Plans:
    """What a goal comes to, each or the rest of a sentence why it is declined.

    Attributes:
        by_examples: With each part near enough to an example.
        by_model: As the model of the tools hears it; None: there is none, or it is not asked.
        likely: How likely it asks for what the model hears.
        examples_likely: How likely, says the model, it asks for what the examples come to.
    """

    by_examples: list[Task] | str
    by_model: list[Task] | str | None = None
    likely: float = 0.0
    examples_likely: float = 0.0


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
    plan = agreed(plans(goal, offered, meanings_of(offered, no_tool)))
    if not isinstance(plan, str) and reminds(plain(unquoted(goal))):
        acts = [offered[each] for each in map(tool_name, plan)]
        if any(map(does_more_than_answer, acts)):
            return f'it cannot tell what was from what is wanted (“{goal.strip():.60}”)'
    return plan


def plans(goal: str, tools: Tools, meanings: Meanings) -> Plans:
    """Return what a goal comes to by the examples, and by the model of the tools.

    Raises:
        ModelError: The sentence encoder is not there.
    """
    whole, parts = parts_of(goal, tools, meanings)
    cut = next((each.text for each in (whole, *parts) if _is_cut_off(each)), '')
    if cut and not meanings.know([whole.text]):
        return Plans(f'“{cut[-60:]}” is cut off')
    parts_ = without_arrivals(parts)
    if not meanings.know(each.text for each in parts_):
        meanings.foresee(_looked_at(whole, parts_), read_aloud(whole))
    by_examples = _by_examples(goal, whole, parts_, tools, meanings)
    model = meanings.model
    only_examples = bool(parts) and meanings.know(each.text for each in parts)
    if model is None or only_examples or meanings.know([whole.text]):
        return Plans(by_examples)
    own_tools = tools.keys() - model.tools  # of which it knows nothing
    if own_tools and _is_perhaps_for(own_tools, by_examples, [whole, *parts], meanings):
        return Plans(by_examples)
    names = [] if isinstance(by_examples, str) else [_class(each, model) for each in by_examples]
    reading = read_by_model(whole, model, [names])
    planning = _Planning(tools, meanings, len(reading.wishes) == 1, goal)
    by_model = planning.asked(reading) if reading.wishes else f'no tool covers “{whole.text:.60}”'
    return Plans(by_examples, by_model, reading.likely, reading.others[0])


def _looked_at(whole: GoalPart, parts: Sequence[GoalPart]) -> list[str]:
    """Return the texts of a goal that are compared with the examples, most of them at least."""
    if len(parts) > MOST_PARTS:
        return []
    both = [joined(a, b).text for a, b in pairwise(parts) if b.after_comma]
    two = [half.text for part in parts for pair in halves(part) for half in pair]
    return [whole.text, *(each.text for each in parts), *both, *two]


def agreed(found: Plans, sure: float = SURE_OF_IT) -> list[Task] | str:
    """Return the plan of the examples if the model is not against it, or that which it is sure of.

    Args:
        found: What the goal comes to by both.
        sure: How sure the model must be of a plan that the examples do not come to.
    """
    plan = found.by_examples
    if found.by_model is None:
        return plan
    if not isinstance(plan, str) and found.examples_likely >= LEAST_OF_EXAMPLES:
        return plan
    if found.likely >= sure and not isinstance(found.by_model, str):
        return found.by_model
    if isinstance(plan, str):
        return plan
    return f'it is not sure that this is all: {", ".join(map(tool_name, plan))}'


def _says_no_more(part: GoalPart) -> bool:
    """Return whether a part says nothing besides a wish."""
    return not (part.kinds or part.amounts or part.odd or part.twice or part.later)


def _is_near(match: Match, names: Set[str]) -> bool:
    """Return whether a part may be meant for one of these tools."""
    least = match.best.score - _NEAR
    return any(each.name in names and each.score >= least for each in match.ranked[:_NEAREST])


def _is_often(part: GoalPart) -> bool:
    return bool(part.amounts) and any(map(is_rate, part.kinds))


def _is_cut_off(part: GoalPart) -> bool:
    """Return whether a part ends where more must follow: a question may end so."""
    return is_cut_off(part.marked) and not says(part, 'question')


def _is_short(text: str) -> bool:
    """Return whether a text is too short to say of itself what it tells of: “not”, “he”."""
    return len(text.split()) < _WORDS_OF_AN_ASIDE and text.isascii()


def _class(task: Task, model: ToolModel) -> str:
    """Return the class of a model that asks for a task."""
    name = tool_name(task)
    given = {} if isinstance(task, Search) else task.arguments
    fits = [
        each
        for each in model.classes
        if tool_of(each) == name and arguments_of(each).items() <= given.items()
    ]
    return max(fits, key=len, default=name)


def _may_be_one_picture(
    task: Task, tasks: Sequence[Task], part: GoalPart, before: GoalPart | None
) -> bool:
    """Return whether a part may only rate the picture before it: “snap it and score it”."""
    if not tasks or tasks[-1] != PlannedCommand(LOOK) or before is None:
        return False
    return task == Search() or (task == PlannedCommand(LOOK) and part.text != before.text)


def _is_perhaps_for(
    names: Set[str], plan: list[Task] | str, parts: Sequence[GoalPart], meanings: Meanings
) -> bool:
    """Return whether a goal asks for one of these tools, or a part of it is near to one."""
    if not isinstance(plan, str):
        return not names.isdisjoint(map(tool_name, plan))
    found = meanings.match([each.text for each in parts])
    near = (each for match in found for each in match.ranked[:2] if each.score >= SURE)
    return not names.isdisjoint(each.name for each in near)


def _by_examples(
    goal: str, whole: GoalPart, parts: list[GoalPart], tools: Tools, meanings: Meanings
) -> list[Task] | str:
    """Return the plan of a goal each of whose parts is near enough to an example."""
    declined = ''
    for with_asides in (False, True):
        found = wishes(whole, parts, tools, meanings, MOST_PARTS, with_asides)
        if len(found) > MOST_PARTS:
            return f'it does at most {MOST_PARTS} things for a goal'
        plan = _Planning(tools, meanings, len(found) == 1, goal).tasks(found)
        if not isinstance(plan, str):
            return plan
        declined = declined or plan
    return declined


class _Planning:
    """One goal, with what was named in it so far."""

    def __init__(self, tools: Tools, meanings: Meanings, alone: bool, goal: str) -> None:
        self._tools, self._meanings, self._goal = tools, meanings, goal
        self._parts = PartReader(tools, meanings, alone, goal)

    def tasks(self, parts: Sequence[GoalPart]) -> list[Task] | str:
        tasks: list[Task] = []
        before: GoalPart | None = None
        matches = self._meanings.match([part.text for part in parts])
        both = self._without_openings(list(zip(parts, matches, strict=True)))
        conditions, taken = sum(says(each, 'condition') for each in parts), 0
        for at, (part, match) in enumerate(both):
            said_more = part.amounts or part.odd or kinds(part.text)
            if match.is_polite and not said_more:
                continue
            if (before and part.repeats(before)) or self._only_rates(part, tasks):
                continue
            again = part.kinds & _AFTER_ANOTHER
            if tasks:
                part = replace(part, kinds=part.kinds - _AFTER_ANOTHER)
            task = self._parts.two(part, match) or self._parts.task(part, match)
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
            if not again and _may_be_one_picture(task, tasks, part, before):
                return f'it is not sure whether “{part.text}” asks for another picture'
            if not self._asks_more(task, tasks):
                same_words = before is not None and part.text == before.text
                moves = bool(self._tools[tool_name(task)].parts)
                add(task, tasks, part.joint, same_words, moves)
            taken += says(part, 'condition') and self._waits(tasks[-1])
            before = part
        is_open = any(map(self._waits, tasks[:-1])) or taken < conditions
        if len(tasks) > 1 and conditions and is_open:
            return 'it cannot wait for a condition, or choose, beside other wishes'
        return tasks or 'it names nothing to do'

    def asked(self, reading: Reading) -> list[Task] | str:
        """Return the tasks of what a model has heard in a goal."""
        tasks: list[Task] = []
        before: GoalPart | None = None
        certain = reading.likely >= CERTAIN
        if why := self._no_aside(reading, certain):
            return why
        for at, wish in enumerate(reading.wishes, 1):
            if wish.name == LOOK and self._only_rates(wish.part, tasks):
                continue
            if before and (not wish.part.said or wish.part.text == before.text):
                return f'it is not sure that this is all: “{wish.part.text:.60}”'
            is_last = at == len(reading.wishes)
            if before and wish.name == reading.wishes[at - 2].name and self._is_once(wish.name):
                return f'it is not sure whether “{wish.part.text:.60}” asks for more'
            task = self._parts.asked(wish, before is not None, is_last, certain)
            if isinstance(task, str):
                return task
            if before and self._is_opened(before, task):
                tasks.pop()
            again = wish.part.kinds & _AFTER_ANOTHER
            if not again and _may_be_one_picture(task, tasks, wish.part, before):
                continue
            if not self._asks_more(task, tasks):
                same_words = before is not None and wish.part.text == before.text
                moves = bool(self._tools[tool_name(task)].parts)
                add(task, tasks, wish.part.joint, same_words, moves)
            before = wish.part
        if any(map(self._waits, tasks[:-1])):
            return 'it cannot wait for a condition, or choose, beside other wishes'
        return tasks

    def _only_rates(self, part: GoalPart, tasks: Sequence[Task]) -> bool:
        """Return whether a part is only about the picture that was asked for just before it."""
        says_more = part.amounts or part.odd or kinds(part.text) - {'question', 'asking: how'}
        return tasks[-1:] == [PlannedCommand(LOOK)] and rates(part.text) and not says_more

    def _waits(self, task: Task) -> bool:
        """Return whether a tool is told what to wait for, by one of the words that it knows."""
        return not isinstance(task, Search) and self._tools[task.tool].waits(task.arguments)

    def _without_openings(
        self, both: list[tuple[GoalPart, Match]]
    ) -> list[tuple[GoalPart, Match]]:
        """Return parts without those that only begin the next: “keep an eye on it and …”."""
        kept = []
        for at, (part, match) in enumerate(both):
            after = both[at + 1 : at + 2]
            if after and after[0][0].joint is Joint.THEN and not asks_in_japanese(part.text):
                after = []
            tasks = [self._parts.task(*each) for each in after if self._may_open(part, match)]
            if not any(self._opens(match, each) for each in tasks):
                kept.append((part, match))
        return kept

    def _may_open(self, part: GoalPart, match: Match) -> bool:
        """Return whether a part may only begin the next: it is not clear, or looks."""
        tool = self._tools.get(match.best.name)
        is_seen = tool is not None and tool.text_argument and not any(map(slot_of, tool.examples))
        keeps_on = tool is not None and tool.switch
        return _says_no_more(part) and (not match.is_sure or bool(is_seen or keeps_on))

    def _is_opened(self, before: GoalPart, task: Task) -> bool:
        (match,) = self._meanings.match([before.text])
        return self._may_open(before, match) and self._opens(match, task)

    def _opens(self, match: Match, task: Task | str) -> bool:
        """Return whether what a part is near to is told here what to wait for, or how often."""
        if isinstance(task, str | Search):
            return False
        often = not self._tools[task.tool].rates.isdisjoint(task.arguments)
        return (often or self._waits(task)) and _is_near(match, {tool_name(task)})

    def _is_once(self, name: str) -> bool:
        """Return whether a tool is rather asked for once where it is heard twice in a row."""
        tool = self._tools.get(tool_of(name))
        return tool is not None and tool.name != LOOK and not tool.text_argument

    def _no_aside(self, reading: Reading, certain: bool) -> str:
        """Say why what stands around the wishes is more than that; empty: it is not."""
        last = reading.around[-1].text if reading.around else ''
        if last and only_joins(last) and plain(self._goal).rstrip(' .!?').endswith(f' {last}'):
            return f'it is not sure that this is all: “{last}”'
        texts = [without_arrival(each.text) for each in reading.around]
        both = [
            (part, text)
            for part, text in zip(reading.around, texts, strict=True)
            if text and not only_joins(text)
        ]
        matches = self._meanings.match([text for _, text in both])
        names = {tool_of(each.name) for each in reading.wishes}
        waiting = {
            tool_of(each.name)
            for each in reading.wishes
            if any(arguments_of(each.name).values()) or _is_often(each.part)
        }
        for (part, text), match in zip(both, matches, strict=True):
            said = {each.partition(':')[0] for each in kinds(text)}
            never = said & _NEVER_AN_ASIDE and not (certain and tells_of_others(text))
            known = may_be_aside(replace(part, text=text)) or (certain and not _is_short(text))
            if LOOK in names and rates(text) and not (part.odd.strip() or part.amounts):
                continue  # it says more of the picture
            if _says_no_more(part) and _is_near(match, waiting):
                continue  # “keep an eye on it and …”
            if part.odd.strip() or part.amounts or never or not known:
                return f'no tool covers “{part.text:.60}”'
            rival = match.best.name in self._tools and match.best.name not in names
            if not rival or (certain and match.best.score < CLEAR_ASIDE):
                continue
            if match.is_sure or not self._meanings.asides([text])[0]:
                return f'it is not sure that this is all: “{part.text:.60}”'
        return ''

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
        task = self._parts.task(whole, found)
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
        task = self._parts.task(whole, found)
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
