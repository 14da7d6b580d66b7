"""Which tools a part of a goal may be for, where its numbers say more than its words do."""

from __future__ import annotations

from dataclasses import replace
import re

from bt_executive.planner.offline.clauses import PLACE, GoalPart
from bt_executive.planner.offline.example_table import NONE, POLITE
from bt_executive.planner.offline.example_vectors import SURE, Match
from bt_executive.planner.offline.function_words import is_rate
from bt_executive.planner.offline.offered_tools import Tools, slot_of
from bt_executive.planner.offline.text_arguments import text_for
from bt_executive.planner.offline.tool_by_examples import Meanings

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
_ASKED = re.compile(r'[?吗]')


def is_measured(part: GoalPart, match: Match) -> bool:
    """Return whether its amounts decide between tools: what is measured is no chat."""
    return (
        any(each.unit for each in part.amounts)
        and match.best.score >= _WITH_AMOUNT
        and match.margin < 1.0
    )


class LikelyTools:
    """The tools that are offered, of which a part's numbers choose.

    Args:
        tools: Those that are offered.
        meanings: Their examples.
    """

    def __init__(self, tools: Tools, meanings: Meanings) -> None:
        self._tools, self._meanings = tools, meanings

    def weighed(self, match: Match, part: GoalPart) -> tuple[Match, GoalPart]:
        """Return a match with what a part asks and measures taken into account, and the part."""
        match = self._of_its_kind(match, part)
        match, part = self._of_its_rate(match, part)
        match = self._without_amounts(match, part)
        return self._with_place(match, part), part

    def near(self, match: Match, part: GoalPart) -> list[str]:
        """Return the best tool, and with amounts those so near that the amounts may decide."""
        if match.best.name not in self._tools:
            return []
        least = max(match.best.score - max(_NEXT_BEST, match.margin), SURE)
        near = [each.name for each in match.ranked if each.score >= least]
        if is_measured(part, match):
            near = [each for each in near if each not in (NONE, POLITE)]
        if part.amounts and set(near) <= set(self._tools):
            return near
        return near[:1]

    def names_another(self, part: GoalPart) -> str:
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
        return not self.names_another(part)
