"""Takes a goal apart: what is asked for, in which words, with which numbers and texts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
import re
from typing import Literal, TypeAlias
import unicodedata

from bt_executive.planner.offline.lexicon import (
    ASKS,
    BREAKS,
    FILLS,
    REQUESTS,
    TELLS,
    UNSPACED,
    meanings,
    named_by,
)

Language: TypeAlias = Literal['en', 'ja', 'zh']
LONGEST_GOAL = 500  # characters; this also bounds the time that reading takes

_NUMBER = r'[-+]?\d+(?:\.\d+)?'
_UNITS = {  # word: the unit of arguments, and how many of it
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
    r'"(?P<text>[^"]*)"|「(?P<ja>[^「」]*)」|“(?P<zh>[^“”]*)”|(?P<path>/[a-z_][a-z0-9_/]*)'
    rf'|\(\s*(?P<x>{_NUMBER})\s*m?\s*[,、]\s*(?P<y>{_NUMBER})\s*m?\s*\)'
    rf'|(?P<number>{_NUMBER})\s*(?P<unit>(?:{_UNIT})(?![a-z0-9]))?'
    rf"|(?P<unspaced>{UNSPACED})|(?P<word>[a-z][a-z0-9_']*)"
    r'|(?P<break>[.,;!&\n、。])|(?P<asks>\?)|(?P<blank>[\s:=()\[\]・-])|(?P<other>.)',
    re.DOTALL,
)


@dataclass(frozen=True)
class Amount:
    """A number as it was said; `key` names its argument, `unit` is s, m, deg, rad or nothing."""

    said: str
    value: float
    unit: str = ''
    key: str = ''


@dataclass(frozen=True)
class Part:
    """One thing that is asked for. `words` are meanings, each with what was said."""

    words: tuple[tuple[str, str], ...] = ()
    amounts: tuple[Amount, ...] = ()
    texts: tuple[str, ...] = ()
    tool: str = ''  # a tool's own name
    asks: bool = False  # is, what, 吗
    tells: bool = False  # tell, 教えて: asks, in whichever form
    requests: bool = False  # could you: in the form of a question

    @property
    def meanings(self) -> frozenset[str]:
        """The meanings of its words."""
        return frozenset(meaning for meaning, _ in self.words)

    @property
    def is_question(self) -> bool:
        """Whether it is a question, and not a request in the form of one."""
        return self.tells or (self.asks and not self.requests)

    def __add__(self, other: Part) -> Part:
        return Part(
            self.words + other.words,
            self.amounts + other.amounts,
            self.texts + other.texts,
            self.tool or other.tool,
            self.asks or other.asks,
            self.tells or other.tells,
            self.requests or other.requests,
        )


def read_goal(goal: str, tools: Iterable[str], arguments: Collection[str]) -> tuple[Part, ...]:
    """The parts of a goal, in their order.

    Args:
        goal: At most `LONGEST_GOAL` characters.
        tools: Names of the offered tools, which are also found with blanks for `_`.
        arguments: Names of their arguments: a number that follows one is meant for it.
    """
    text = unicodedata.normalize('NFKC', goal).lower().replace('’', "'").replace('−', '-')
    for name in tools:
        spaced = re.escape(name).replace('_', '[ _]')
        text = re.sub(rf'(?<![a-z0-9_]){spaced}(?![a-z0-9_])', name, text)
    parts: list[Part] = []
    current = Part()
    for piece in _pieces(text, set(tools), arguments):
        if piece is not None:
            current += piece
        else:
            _add(parts, current)
            current = Part()
    _add(parts, current)
    return tuple(parts)


def _add(parts: list[Part], part: Part) -> None:
    """Adds a part; what has no words of its own belongs to its neighbour."""
    if parts and not (part.words and parts[-1].words):
        parts[-1] += part
    else:
        parts.append(part)


def _pieces(
    text: str, tools: Collection[str], arguments: Collection[str]
) -> Iterator[Part | None]:
    """What is said, piece by piece; None where a part ends."""
    held = ''  # an argument's name that waits for its number
    for token in _TOKEN.finditer(text):
        kind, said = str(token.lastgroup), token[0]
        if kind == 'blank' or (held and said in ('は', 'が')):
            continue
        if kind in ('number', 'unit'):
            unit, factor = _UNITS.get(token['unit'] or '', ('', 1.0))
            yield Part(amounts=(Amount(said, float(token['number']) * factor, unit, held),))
            held = ''
            continue
        if held:
            yield _word(held)
            held = ''
        if kind == 'word' and said in arguments:
            held = said
        elif kind == 'break':
            yield None
        else:
            yield from _piece(token, kind, said, tools)
    if held:
        yield _word(held)


def _piece(
    token: re.Match[str], kind: str, said: str, tools: Collection[str]
) -> Iterator[Part | None]:
    if kind == 'y':
        both = ('x', 'y')
        yield Part(amounts=tuple(Amount(said, float(token[each]), 'm', each) for each in both))
    elif kind in ('text', 'ja', 'zh', 'path'):
        yield Part(texts=(token[kind],))
    elif kind == 'asks':
        yield Part(asks=True)
    elif kind == 'other':
        yield Part(words=((said, said),))
    elif said in tools:
        yield Part(words=tuple((each, said) for each in named_by(said)), tool=said)
    else:
        yield from _meant(said)


def _meant(said: str) -> Iterator[Part | None]:
    for meaning in meanings(said):
        if meaning == BREAKS:
            yield None
        elif meaning == ASKS:
            yield Part(asks=True)
        elif meaning == TELLS:
            yield Part(tells=True)
        elif meaning == REQUESTS:
            yield Part(requests=True)
        elif meaning != FILLS:
            yield Part(words=((meaning, said),))


def _word(said: str) -> Part:
    return Part(words=tuple((each, said) for each in meanings(said)))


def language_of(text: str) -> Language:
    """Japanese if it has kana, Chinese if it has only Han characters, otherwise English."""
    if re.search('[぀-ヿ]', text):
        return 'ja'
    return 'zh' if re.search('[一-鿿]', text) else 'en'
