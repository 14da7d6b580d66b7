"""Takes a goal apart: what is asked for, in which words and with which numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
import re
from typing import Literal, TypeAlias
import unicodedata

from bt_executive.planner.offline import lexicon
from bt_executive.planner.offline.lexicon import meanings, named_by

Language: TypeAlias = Literal['en', 'ja', 'zh']
LONGEST_GOAL = 500  # characters; this bounds the time that reading takes

_NUMBER = r'(?:[-+]\s*)?(?:\d+(?:\.\d+)?|(?<![\d.])\.\d+)'
_UNITS = {  # word: the unit of arguments, and how much of it
    **dict.fromkeys(('s', 'sec', 'secs', 'second', 'seconds', '秒'), ('s', 1.0)),
    **dict.fromkeys(('min', 'mins', 'minute', 'minutes', '分', '分钟'), ('s', 60.0)),
    **dict.fromkeys(('m', 'meter', 'meters', 'metre', 'metres', 'メートル', '米'), ('m', 1.0)),
    **dict.fromkeys(('cm', 'センチ', '厘米'), ('m', 0.01)),
    **dict.fromkeys(('km', 'キロ', '公里'), ('m', 1000.0)),
    **dict.fromkeys(('deg', 'degree', 'degrees', '°', '度'), ('deg', 1.0)),
    **dict.fromkeys(('rad', 'radian', 'radians'), ('rad', 1.0)),
}
_UNIT = '|'.join(sorted(_UNITS, key=len, reverse=True))
_TOKEN = re.compile(
    rf'\(\s*(?P<x>{_NUMBER})\s*m?\s*[,、]\s*(?P<y>{_NUMBER})\s*m?\s*\)'
    rf'|(?P<number>{_NUMBER})\s*(?P<unit>(?:{_UNIT})(?![a-z0-9]))?'
    rf"|(?P<unspaced>{lexicon.UNSPACED})|(?P<phrase>(?:{lexicon.PHRASES})(?![a-z0-9_']))"
    r"|(?P<word>[a-z][a-z0-9_']*)|(?P<break>[.,;!&\n、。])|(?P<asks>\?)"
    r'|(?P<blank>[\s:=()\[\]・]|(?<=[a-z])-(?=[a-z]))|(?P<other>.)',
    re.DOTALL,
)


@dataclass(frozen=True)
class Token:
    """A word with its meaning, or a number with its unit (s, m, deg, rad or none).

    `key` is the argument that the number was said to be for.
    """

    said: str
    meaning: str = ''
    number: float | None = None
    unit: str = ''
    key: str = ''


@dataclass(frozen=True)
class GoalPart:
    """One thing that is asked for."""

    tokens: tuple[Token, ...]

    @property
    def words(self) -> list[Token]:
        """The words that say what is asked for."""
        return [each for each in self.tokens if each.meaning not in ('', *lexicon.JOINING)]

    @property
    def numbers(self) -> list[Token]:
        """The numbers with their units."""
        return [each for each in self.tokens if each.number is not None]

    @property
    def meanings(self) -> frozenset[str]:
        """The meanings of its words."""
        return frozenset(each.meaning for each in self.words)

    @property
    def is_question(self) -> bool:
        """Whether it asks for something to be told, in another form than "could you …?"."""
        said = {each.meaning for each in self.tokens}
        queries = lexicon.QUERIES in said and lexicon.REQUESTS not in said
        return queries or bool(said & {lexicon.ASKS, lexicon.TELLS})

    @property
    def repeated(self) -> str:
        """A word that says again what another one has said: how often is it to be done?"""
        meant = [each.meaning for each in self.words]
        twice = (each.said for at, each in enumerate(self.words) if each.meaning in meant[:at])
        return next(twice, '')


def read_goal(goal: str, tools: Iterable[str], arguments: Collection[str]) -> list[GoalPart]:
    """The parts of a goal, in their order. What has no words of its own belongs to its neighbour.

    Args:
        goal: What was said, at most `LONGEST_GOAL` characters.
        tools: Names of the offered tools, which are also found with blanks for `_`.
        arguments: Names of their arguments: a number that follows one is meant for it.
    """
    text = _plain(goal).lower().replace('’', "'").replace('−', '-')
    for name in tools:
        spaced = re.escape(name).replace('_', '[ _]')
        text = re.sub(rf'(?<![a-z0-9_]){spaced}(?![a-z0-9_])', name, text)
    said: list[list[Token]] = [[]]
    for token in _keyed(_tokens(text, set(tools)), arguments):
        if token.meaning == lexicon.BREAKS:
            said.append([])
        else:
            said[-1].append(token)
    parts = [GoalPart(tuple(said[0]))]
    for part in (GoalPart(tuple(each)) for each in said[1:] if each):
        if part.words and parts[-1].words:
            parts.append(part)
        else:
            parts[-1] = GoalPart(parts[-1].tokens + part.tokens)
    return parts


def _plain(goal: str) -> str:
    """The text with wide letters and digits made narrow; raised and circled digits stay."""
    runs = groupby(goal, key=lambda character: unicodedata.category(character) == 'No')
    texts = ((raised, ''.join(run)) for raised, run in runs)
    return ''.join(t if raised else unicodedata.normalize('NFKC', t) for raised, t in texts)


def language_of(text: str) -> Language:
    """Japanese if it has kana, Chinese if it has only Han characters, otherwise English."""
    if re.search('[぀-ヿ]', text):
        return 'ja'
    return 'zh' if re.search('[一-鿿]', text) else 'en'


def _tokens(text: str, tools: Collection[str]) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        kind, said = match.lastgroup, match[0]
        if kind == 'y':
            yield from (Token(said, '', _value(match[key]), 'm', key) for key in 'xy')
        elif kind in ('number', 'unit'):
            unit, factor = _UNITS.get(match['unit'] or '', ('', 1.0))
            yield Token(said.strip(), '', _value(match['number']) * factor, unit)
        elif kind in ('break', 'asks'):
            yield Token(said, lexicon.BREAKS if kind == 'break' else lexicon.QUERIES)
        elif kind != 'blank':
            found = named_by(said) if said in tools else meanings(said)
            meant = (said if each == lexicon.FILLS_NAMES else each for each in found)
            yield from (Token(said, each) for each in meant if each != lexicon.FILLS)


def _value(number: str) -> float:
    """Of a number that may have blanks after its sign."""
    return float(''.join(number.split()))


def _keyed(tokens: Iterable[Token], arguments: Collection[str]) -> list[Token]:
    """The tokens, with each number's key in the number."""
    kept: list[Token] = []
    for token in tokens:
        named = token.number is not None and kept and kept[-1].number is None
        if named and kept[-1].said in arguments and not token.key:
            token = replace(token, key=kept.pop().said)
        kept.append(token)
    return kept
