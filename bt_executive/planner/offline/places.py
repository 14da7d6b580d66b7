"""Phrases about remembered places: where something was seen, go there, go to it, remember here.

They are taken out of a goal before the rest is read, because what was seen has words of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import re
from typing import Any, Literal

from bt_executive.planner.offline import lexicon
from bt_executive.planner.offline.goal import GoalPart

RECALL, GO, REMEMBER = 'recall', 'go_to_remembered', 'remember'
MARK = 'rememberedplace'  # stands in the goal for a phrase; its number follows

_THE = r'(?:the |a |an |any |my |our |that )?'
_END = r'(?= and | then | please\b| ?[&.;,!?\n。！？、，；]|$)'
_LOOK = (
    r'(?:,? (?:and|to|then)(?: then)? (?:have a |take a )?(?:look|check|see|confirm|verify)'
    r'(?: (?:at|for) it)?(?: again)?(?: (?:if|whether) it(?: i|\')s (?:still )?there)?)?'
)
_DRIVE = r'(?:go|drive|navigate|return|travel)(?: back)?'
_PATTERNS: tuple[tuple[str, str], ...] = (
    (RECALL, r'\bwhere (?:(?:did|have|do|has) (?:you|we) (?:last )?'
             r'(?:see|seen|saw|spot|spotted|remember|find|found|notice|noticed)'
             rf'|(?:is|are|was|were)) {_THE}(?P<what>[^.;,!?\n]+?)(?: last| before)?{_END}\??'),
    (RECALL, rf'\b(?:have|did) you (?:ever )?(?:see|seen|spot|notice|noticed) {_THE}'
             rf'(?P<what>[^.;,!?\n]+?){_END}\??'),
    (RECALL, rf'\brecall {_THE}(?P<what>[^.;,!?\n]+?){_END}'),
    (RECALL, r'(?P<what>[^\s、。！？?]{1,60}?)(?:は|を)(?:どこ(?:で|に)?)'
             r'(?:見ました|見た|見かけた|見かけました|あります|ある|です)?か?[?？。]?'),
    (RECALL, r'(?:你)?(?:在)?哪里(?:看到|见到|见)过?了?(?P<what>[^\s、。！？?，]{1,60})[?？。]?'),
    (RECALL, r'请?(?:告诉我)?(?P<what>[^\s、。！？?，]{1,60}?)在哪里?[?？。]?'),
    (GO, rf'\b{_DRIVE} (?:there|to it){_LOOK}{_END}'),
    (GO, r'(?:そこ|あそこ)(?:に|へ|まで)行って(?:確認して|見て|みて)?(?:きて)?(?:ください)?'),
    (GO, r'(?:去|到)那里(?:去)?(?:看看|看一下|确认一下)?'),
    (GO, rf'\b(?:{_DRIVE} to|visit) {_THE}(?P<what>[^.;,!?\n\d()]+?){_LOOK}{_END}'),
    (REMEMBER, rf'\bremember (?:this place|this spot|here|where you are) as {_THE}'
               rf'(?P<what>[^.;,!?\n]+?){_END}'),
    (REMEMBER, r'(?:ここ|この場所)を(?P<what>[^\s、。！？]{1,60}?)として'
               r'(?:覚えて|記憶して)(?:ください)?'),
    (REMEMBER, r'(?:把)?(?:这里|这个地方)记(?:为|作|成)(?P<what>[^\s、。！？，]{1,60})'),
)  # fmt: skip
_READ = tuple((tool, re.compile(pattern, re.IGNORECASE)) for tool, pattern in _PATTERNS)
_THERE = 'there'
_NUMBERED = re.compile(r'\D+ \d+')  # as in "camp 2"


@dataclass(frozen=True)
class PlacePhrase:
    """What a phrase asks for. `what`: in its own words; empty: what was asked about before it."""

    tool: Literal['recall', 'go_to_remembered', 'remember']
    what: str

    @property
    def arguments(self) -> dict[str, Any]:
        """Of its tool."""
        return {'name' if self.tool == REMEMBER else 'text': self.what}


def take_out(goal: str) -> tuple[str, list[PlacePhrase]]:
    """The goal with a mark in place of each phrase, and the phrases in their order."""
    found: list[tuple[int, int, PlacePhrase]] = []
    for tool, pattern in _READ:
        for match in pattern.finditer(goal):
            phrase = _phrase(tool, match)
            taken = any(a < match.end() and match.start() < b for a, b, _ in found)
            if phrase is not None and not taken:
                found.append((match.start(), match.end(), phrase))
    found.sort(key=lambda each: each[0])
    rest, at = [], 0
    for number, (begin, end, _) in enumerate(found):
        rest += [goal[at:begin], f'. {mark(number)} . ']
        at = end
    return ''.join([*rest, goal[at:]]), [phrase for *_, phrase in found]


def mark(number: int) -> str:
    """The word that stands for a phrase."""
    return f'{MARK}{number}'


def phrase_in(part: GoalPart, phrases: Sequence[PlacePhrase]) -> PlacePhrase | None:
    """The phrase that a part of the goal stands for; None if it is an ordinary part."""
    said = {token.said for token in part.words}
    return next((each for n, each in enumerate(phrases) if said == {mark(n)}), None)


def _phrase(tool: str, match: re.Match[str]) -> PlacePhrase | None:
    groups = match.groupdict()
    what = ' '.join((groups.get('what') or '').split())
    if 'what' in groups and not _is_name(what, tool):
        return None
    if what.lower() == _THERE:
        what = ''
    return PlacePhrase(tool, what)  # type: ignore[arg-type]


def _is_name(what: str, tool: str) -> bool:
    """Whether it names a remembered thing and says nothing else, which would be dropped."""
    no_name = lexicon.NO_THING.search(what) or lexicon.NO_NAME.search(what)
    further = tool == GO and lexicon.NO_DESTINATION.search(what)
    amount = re.search(r'\d', what) and not _NUMBERED.fullmatch(what)
    return bool(what) and not (no_name or further or amount or lexicon.has_clause(what))
