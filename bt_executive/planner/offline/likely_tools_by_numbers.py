"""Ranks the likely tools of a clause by its numbers: amounts, rates, and coordinates."""

from __future__ import annotations

from dataclasses import replace
import re

from bt_executive.planner.offline.candidate_names_for_slots import text_for
from bt_executive.planner.offline.clause_parsing import PLACE, Clause
from bt_executive.planner.offline.example_vectors import SURE, Match
from bt_executive.planner.offline.modifiers import is_rate
from bt_executive.planner.offline.offered_tools import Tools
from bt_executive.planner.offline.table_of_examples import NONE, POLITE
from bt_executive.planner.offline.tool_classifier import ToolClassifier

_WITH_AMOUNT = 0.42  # least score of a tool that takes the amounts, which small talk has not
_WORDS_WITH_A_NAME = 3  # in a language without examples: a verb, a preposition, a name
_TOP = 3
_COORDINATES = 2  # bare numbers that are x and y
_CLEAR_SECOND = 0.6  # least score of a tool in place of one that lacks its amount
_NEXT_BEST = 0.12  # how far behind the best a tool may be that takes the amounts
_A_PLACE = re.compile(
    r'(?:the |a )?(?:point|spot|position|location|place|coordinates?|grid|origin|punto|punkt)'
    r'|(?:の)?(?:地点|場所|ところ|位置|座標|点|原点)|(?:那个?|这个?)?(?:点|地点|位置|坐标|地方|原点)'
)
_ASKED = re.compile(r'[?吗]')


def is_measured(clause: Clause, match: Match) -> bool:
    """Return whether the amounts of a clause decide between tools: small talk has no units."""
    return (
        any(each.unit for each in clause.amounts)
        and match.best.score >= _WITH_AMOUNT
        and match.margin < 1.0
    )


class LikelyTools:
    """Ranks the offered tools for a clause by its numbers."""

    def __init__(self, tools: Tools, classifier: ToolClassifier) -> None:
        self._tools, self._classifier = tools, classifier

    def weighed(self, match: Match, clause: Clause) -> tuple[Match, Clause]:
        """Return a match weighed by the modifiers and amounts of its clause, and the clause."""
        match = self._with_modifiers(match, clause)
        match, clause = self._with_rate(match, clause)
        match = self._without_amounts(match, clause)
        return self._with_place(match, clause), clause

    def near(self, match: Match, clause: Clause) -> list[str]:
        """Return the best tool, and of a clause with amounts all tools that are near."""
        if match.best.name not in self._tools:
            return []
        least = max(match.best.score - max(_NEXT_BEST, match.margin), SURE)
        near = [each.name for each in match.ranked if each.score >= least]
        if is_measured(clause, match):
            near = [each for each in near if each not in (NONE, POLITE)]
        if clause.amounts and set(near) <= set(self._tools):
            return near
        return near[:1]

    def names_another(self, clause: Clause) -> str:
        """Return the tool with slots that a clause with coordinates asks for without them."""
        if PLACE not in clause.text:
            return ''
        (match,) = self._classifier.match([' '.join(clause.text.replace(PLACE, ' ').split())])
        other = self._tools.get(match.best.name)
        if other is None or not match.is_sure or not other.has_slots:
            return ''
        name = text_for(other, match.text)
        if _A_PLACE.fullmatch(name):
            return ''
        if name == match.text.strip() and len(name.split()) < _WORDS_WITH_A_NAME:
            return ''  # in a language without examples: a verb and “to”
        return other.name if name else ''

    def _with_modifiers(self, match: Match, clause: Clause) -> Match:
        """Return a match without the tools that have no example of a question or an ending."""
        if clause.modifiers not in ({'question'}, {'ending'}):
            return match
        fitting = [
            each
            for each in match.ranked
            if each.name not in self._tools
            or self._classifier.example_for(clause.text, each.name, clause.modifiers) is not None
        ]
        return replace(match, ranked=tuple(fitting)) if len(fitting) > 1 else match

    def _with_rate(self, match: Match, clause: Clause) -> tuple[Match, Clause]:
        """Return a match of a clause with a rate for a tool that takes rates, if one is near."""
        if not clause.amounts or not any(map(is_rate, clause.modifiers)):
            return match, clause
        for at, each in enumerate(match.ranked[:_TOP]):
            tool = self._tools.get(each.name)
            if tool and tool.rates and each.score >= SURE:
                ignored = {'question'} if not _ASKED.search(clause.masked) else set()
                # “say every 5 s what is there”
                clause = replace(clause, modifiers=clause.modifiers - ignored)
                return replace(match, ranked=match.ranked[at:]), clause
        return match, clause

    def _without_amounts(self, match: Match, clause: Clause) -> Match:
        """Return a match without the best tool if it lacks its amount, and the second is clear."""
        tool = self._tools.get(match.best.name)
        if clause.amounts or tool is None or len(match.ranked) < _TOP:
            return match
        second, third = match.ranked[1:_TOP]
        if second.name not in self._tools:
            return match
        needs_number = any(tool.properties[each].get('type') == 'number' for each in tool.required)
        is_clear = second.score >= _CLEAR_SECOND and second.score - third.score >= match.margin
        return replace(match, ranked=match.ranked[1:]) if needs_number and is_clear else match

    def _with_place(self, match: Match, clause: Clause) -> Match:
        """Return a match of a clause with coordinates for a near tool that takes them."""
        keys = {each.key for each in clause.amounts if each.key}
        bare = [each for each in clause.amounts if not each.key and not each.unit]
        if not {'x', 'y'} <= keys and (keys or len(bare) != _COORDINATES):
            return match
        for at, each in enumerate(match.ranked[:_TOP]):
            tool = self._tools.get(each.name)
            if tool and {'x', 'y'} <= tool.required and each.score >= SURE:
                is_other = self.names_another(clause)
                return match if is_other else replace(match, ranked=match.ranked[at:])
        return match
