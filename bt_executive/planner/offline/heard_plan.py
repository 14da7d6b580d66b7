"""Makes a plan of what a model has heard in a goal, if nothing in the goal speaks against it."""

from __future__ import annotations

from dataclasses import replace

from bt_executive.planner.offline.clauses import GoalPart
from bt_executive.planner.offline.clauses_by_networks import Reading
from bt_executive.planner.offline.connectives import only_joins, without_arrival
from bt_executive.planner.offline.function_words import (
    is_rate,
    is_short_verb,
    kinds,
    tells_of_others,
)
from bt_executive.planner.offline.neural_networks import arguments_of, tool_of
from bt_executive.planner.offline.numbers_with_units import normalize
from bt_executive.planner.offline.offered_tools import Tools
from bt_executive.planner.offline.part_rules import (
    AFTER_ANOTHER,
    PartRules,
    is_near,
    may_be_one_picture,
    says_no_more,
)
from bt_executive.planner.offline.part_task import PartReader
from bt_executive.planner.offline.picture_search import LOOK, rates
from bt_executive.planner.offline.planned_tasks import Task, add, tool_name
from bt_executive.planner.offline.tool_by_examples import Meanings
from bt_executive.planner.offline.wishes import may_be_aside

CERTAIN = 0.7  # from which words that deny or set a condition are heard with the rest
CLEAR_ASIDE = 0.6  # least score of a rival for words around wishes of which the model is certain
_WORDS_OF_AN_ASIDE = 3
_NEVER_AN_ASIDE = frozenset({'condition', 'manner', 'ending'})


def _is_often(part: GoalPart) -> bool:
    return bool(part.amounts) and any(map(is_rate, part.kinds))


def _is_short(text: str) -> bool:
    """Return whether a text is too short to say of itself what it tells of: “not”, “he”."""
    return len(text.split()) < _WORDS_OF_AN_ASIDE and text.isascii()


class HeardPlan:
    """One goal, with what was named in it so far.

    Args:
        tools: Those that are offered.
        meanings: Their examples.
        alone: Whether one wish was heard.
        goal: What was said.
    """

    def __init__(self, tools: Tools, meanings: Meanings, alone: bool, goal: str) -> None:
        self._tools, self._meanings, self._goal = tools, meanings, goal
        self._parts = PartReader(tools, meanings, alone, goal)
        self._rules = PartRules(tools, goal)

    def tasks(self, reading: Reading) -> list[Task] | str:
        """Return the tasks of what a model has heard in a goal."""
        tasks: list[Task] = []
        before: GoalPart | None = None
        certain = reading.likely >= CERTAIN
        if why := self._no_aside(reading, certain):
            return why
        for at, wish in enumerate(reading.wishes, 1):
            if wish.name == LOOK and self._rules.only_rates(wish.part, tasks):
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
            again = wish.part.kinds & AFTER_ANOTHER
            if not again and may_be_one_picture(task, tasks, wish.part, before):
                continue
            if not self._rules.asks_more(task, tasks):
                same_words = before is not None and wish.part.text == before.text
                moves = bool(self._tools[tool_name(task)].parts)
                add(task, tasks, wish.part.joint, same_words, moves)
            before = wish.part
        if any(map(self._rules.waits, tasks[:-1])):
            return 'it cannot wait for a condition, or choose, beside other wishes'
        return tasks

    def _is_opened(self, before: GoalPart, task: Task) -> bool:
        (match,) = self._meanings.match([before.text])
        return self._rules.may_open(before, match) and self._rules.opens(match, task)

    def _is_once(self, name: str) -> bool:
        """Return whether a tool is rather asked for once where it is heard twice in a row."""
        tool = self._tools.get(tool_of(name))
        return tool is not None and tool.name != LOOK and not tool.text_argument

    def _no_aside(self, reading: Reading, certain: bool) -> str:
        """Say why what stands around the wishes is more than that; empty: it is not."""
        last = reading.around[-1].text if reading.around else ''
        if last and only_joins(last) and normalize(self._goal).rstrip(' .!?').endswith(f' {last}'):
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
            if says_no_more(part) and is_near(match, waiting):
                continue  # “keep an eye on it and …”
            asks = never or is_short_verb(text)
            if part.odd.strip() or part.amounts or asks or not known:
                return f'no tool covers “{part.text:.60}”'
            rival = match.best.name in self._tools and match.best.name not in names
            if not rival or (certain and match.best.score < CLEAR_ASIDE):
                continue
            if match.is_sure or not self._meanings.asides([text])[0]:
                return f'it is not sure that this is all: “{part.text:.60}”'
        return ''
