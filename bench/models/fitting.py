"""What the offline model's `ToolModel` is fitted to: examples, wordings, and both put together.

Each network is fitted without the wordings of some authors (`groups`), so that each author can be
judged by those that have not seen him.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
import math
from pathlib import Path
import random
import re
from typing import Any, Protocol

import yaml

from bt_executive.planner.offline.asides import sentences
from bt_executive.planner.offline.goal_parts import read_goal
from bt_executive.planner.offline.goal_parts_by_networks import read_aloud
from bt_executive.planner.offline.joints import (
    in_order,
)
from bt_executive.planner.offline.neural_networks import NO_TOOL, Heard, class_of
from bt_executive.planner.offline.no_tool_examples import NO_TOOL as NO_TOOL_AT_ALL
from bt_executive.planner.offline.numbers_with_units import plain
from bt_executive.planner.offline.offered_tools import Tools, slot_of, spoken
from bt_executive.planner.offline.reply_sentences import language_of

FOLDER = Path(__file__).parent
NETWORKS = 4
MADE_UP = 9000  # texts that are put together, for each network
UNKNOWN = -1  # of a mark
_LEAST_OF_A_CLASS = 8  # examples with the same arguments, which are a class of their own
_LONGEST, _MOST_WISHES = 80, 8  # characters of a wording that is put together with others
_AS_AUTHORS = 3  # how often a wording is taken for each time that an example is
_LEAST_OF_A_LANGUAGE = 25
_JOINS = {
    'ja': ('、', '。', '、それから', '、次に', '。それから', '、そのあと', 'したら、'),
    'zh': (',', '。', ',然后', '然后', '再', ',接着', ',再', ',完了', '', '。接着'),
    'en': (
        *(', then ', ' and ', ', ', '. ', ' and then ', '; ', ' then ', ' ', '. then ', '! '),
        *('. after that, ', ', after that ', ' - ', ', and '),
    ),
    'de': (', dann ', ' und ', ', ', '. ', ' und dann ', ' dann ', '. danach '),
    'fr': (', puis ', ' et ', ', ', '. ', ' puis ', ' et ensuite ', '. ensuite '),
    'es': (', luego ', ' y ', ', ', '. ', ' y luego ', ' y después ', '. después '),
    'it': (', poi ', ' e ', ', ', '. ', ' e poi ', '. poi '),
    'pt': (', depois ', ' e ', ', ', '. ', ' e depois ', ' e a seguir ', '. depois '),
    'nl': (', dan ', ' en ', ', ', '. ', ' en dan '),
    'pl': (', potem ', ' i ', ', ', '. ', ' a potem '),
    'ru': (', потом ', ' и ', ', ', '. ', ', затем '),
    'ko': (', ', '. ', ' 그리고 ', ' 그다음 '),
    'tr': (', sonra ', ' ve ', ', ', '. '),
}
_UNSPACED = ('ja', 'zh')
_BESIDE = {True: ('、', '。', ',', '!'), False: (', ', '. ', '; ', ' - ', ' ', '! ')}  # asides
_ENDS = ' ,.!?。、;'
_PIECE = re.compile(r'[^,.!?。、;]+[,.!?。、;]*\s*')
_LEAST_OF_AN_ASIDE = 3  # characters


@dataclass(frozen=True)
class Wording:
    """What an author has written, and the calls that it amounts to."""

    author: str
    lang: str
    text: str
    calls: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True)
class Sample:
    """A text to learn from, as a model reads it.

    Attributes:
        text: Its words.
        wanted: The classes that it asks for, in their order; none: it is said around a wish.
        begins: For each character whether something new begins with it, or `UNKNOWN`.
        names: For each character whether it belongs to a thing's name, or `UNKNOWN`.
        author: Who has written it; empty: we have.
        lang: Its language.
    """

    text: str
    wanted: tuple[str, ...]
    begins: tuple[int, ...]
    names: tuple[int, ...]
    author: str = ''
    lang: str = 'en'


class Hears(Protocol):
    """Hears in each of several texts what is asked for."""

    def hear(self, texts: Sequence[str]) -> list[Heard]:
        """Return what is asked for in each."""
        ...


def wordings(folder: Path = FOLDER, pattern: str = 'wordings_*.yaml') -> list[Wording]:
    """Return all wordings of a folder, each once, by file."""
    found: dict[str, Wording] = {}
    for file in sorted(folder.glob(pattern)):
        for each in yaml.safe_load(file.read_text(encoding='utf-8')):
            calls = tuple(each.get('calls') or ())
            found.setdefault(
                each['text'], Wording(file.stem, each.get('lang', ''), each['text'], calls)
            )
    return list(found.values())


def groups(said: Iterable[Wording]) -> list[frozenset[str]]:
    """Return for each network the authors that it has not seen: each author in one of them."""
    count: dict[str, int] = {}
    for each in said:
        count[each.author] = count.get(each.author, 0) + 1
    found: list[set[str]] = [set() for _ in range(NETWORKS)]
    for author in sorted(count, key=lambda each: (-count[each], each)):
        min(found, key=lambda group: sum(count[each] for each in group)).add(author)
    return [frozenset(each) for each in found]


class Fitting:
    """The samples for one set of tools.

    It knows the tools that authors ask for: of others too little is known to speak against.

    Args:
        tools: With their examples.
        no_tool: Examples of what none of them does.
        said: Wordings by authors.
    """

    def __init__(self, tools: Tools, no_tool: Sequence[str], said: Sequence[Wording]) -> None:
        self._tools = tools
        self._arguments = {name for tool in tools.values() for name in tool.properties}
        asked = {call['tool'] for each in said for call in each.calls}
        self._variants = _variants({name: each for name, each in tools.items() if name in asked})
        self.classes = [
            *(each for tool in sorted(asked) for each in (tool, *self._variants.get(tool, ()))),
            NO_TOOL,
        ]
        self.ours = list(self._of_examples(no_tool))
        self.theirs = [self._of_wording(each) for each in said]

    def made_up(self, without: frozenset[str], hears: Hears, seed: int) -> list[Sample]:
        """Return texts that are put together: sequences, and wishes with what is said around them.

        Args:
            without: Authors who have no part in them.
            hears: Tells in wordings the wishes from what is said around them.
            seed: Of the dice.
        """
        theirs = [each for each in self.theirs if each.author not in without]
        return list(_made_up([*self.ours, *theirs, *_asides_in(theirs, hears)], seed))

    def aloud(self, text: str) -> str:
        """Return a text as a model reads it."""
        for name, tool in self._tools.items():
            text = text.replace(name, tool.spaced)
        return read_aloud(read_goal(in_order(plain(text)), self._arguments)[0])

    def _of_wording(self, said: Wording) -> Sample:
        text = self.aloud(said.text)
        things = [
            each
            for call in said.calls
            for name, each in call.get('arguments', {}).items()
            if name in ('text', 'name')
        ]
        wanted = tuple(self._asked(said)) or (NO_TOOL,)
        unknown = (UNKNOWN,) * len(text)
        return Sample(text, wanted, unknown, self._names(text, things), said.author, said.lang)

    def _asked(self, said: Wording) -> Iterator[str]:
        """Yield the classes of a wording's calls, in their order."""
        for call in said.calls:
            given = dict(call.get('arguments', {}))
            fits = [
                name
                for name, arguments in self._variants.get(call['tool'], {}).items()
                if {**arguments, **given} == given or _says(given, arguments)
            ]
            yield fits[-1] if fits else call['tool']

    def _of_examples(self, no_tool: Sequence[str]) -> Iterator[Sample]:
        dice = random.Random(1)
        things: dict[str, list[str]] = {}
        for each in (each for tool in self._tools.values() for each in tool.examples):
            slot = slot_of(each)
            if slot and not slot.startswith('/'):
                things.setdefault(language_of(slot), []).append(slot)
        for name in {each.partition(' ')[0] for each in self.classes} & self._tools.keys():
            for each in self._tools[name].examples:
                made = class_of(name, each.args)
                own = (made if made in self.classes else name,)
                slot = slot_of(each)
                named = slot if not slot.startswith('/') else ''
                yield self._ours(spoken(each), own, named)
                if named:
                    other = dice.choice(things[language_of(slot)])
                    yield self._ours(each.say.replace(f'{{{slot}}}', other), own, other)
        for text in (*no_tool, *NO_TOOL_AT_ALL, *sentences('requests.txt')):
            yield self._ours(text, (NO_TOOL,))
        for text in sentences('asides.txt'):
            yield self._ours(text, ())

    def _ours(self, said: str, wanted: tuple[str, ...], thing: str = '') -> Sample:
        text = self.aloud(said)
        names = self._names(text, [thing] if thing else [])
        return Sample(text, wanted, (0,) * len(text), names, '', language_of(said))

    def _names(self, text: str, things: Sequence[str]) -> tuple[int, ...]:
        found = [0] * len(text)
        for each in things:
            written = next((x for x in (plain(each), self.aloud(each)) if x in text), None)
            if written is None:
                return (UNKNOWN,) * len(text)
            begin = text.index(written)
            found[begin : begin + len(written)] = [1] * len(written)
        return tuple(found)


def _variants(tools: Tools) -> dict[str, dict[str, Mapping[str, Any]]]:
    """Return the classes of tools with arguments that many of their examples have."""
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for name, tool in tools.items():
        made = [(class_of(name, each.args), each.args) for each in tool.examples if each.args]
        names = [each for each, _ in made]
        often: dict[str, Mapping[str, Any]] = {
            each: args for each, args in made if names.count(each) >= _LEAST_OF_A_CLASS
        }
        if often:
            found[name] = often
    return found


def _says(given: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
    """Return whether arguments say the same as those of a class, but for a switch that is on."""
    known = {name: each for name, each in arguments.items() if each is not True}
    return bool(known) and known.items() <= given.items()


def _asides_in(samples: Sequence[Sample], hears: Hears) -> Iterator[Sample]:
    """Yield what stands apart in wordings, and in which none of their wishes is heard."""
    wishes = [each for each in samples if each.wanted != (NO_TOOL,)]
    for each, heard in zip(wishes, hears.hear([each.text for each in wishes]), strict=True):
        if heard.classes != each.wanted:
            continue
        for piece in _PIECE.finditer(each.text):
            text = piece[0].strip()
            is_idle = not any(piece.start() <= at < piece.end() for at in heard.places)
            if is_idle and len(text) >= _LEAST_OF_AN_ASIDE and not re.search(r'\d', text):
                marks = (0,) * len(text)
                yield Sample(text, (), marks, marks, each.author, each.lang)


def _made_up(samples: Sequence[Sample], seed: int) -> Iterator[Sample]:
    dice = random.Random(seed)
    wishes: dict[str, list[Sample]] = {}
    asides: dict[str, list[Sample]] = {}
    declined: dict[str, list[Sample]] = {}
    for each in samples:
        if not each.wanted:
            asides.setdefault(each.lang, []).append(each)
        elif each.wanted == (NO_TOOL,):
            declined.setdefault(each.lang, []).extend([each] if each.author else [])
        elif len(each.text) < _LONGEST:
            often = _AS_AUTHORS if each.author else 1
            wishes.setdefault(each.lang, []).extend([each] * often)
    langs = [each for each in wishes if len(wishes[each]) >= _LEAST_OF_A_LANGUAGE]
    weights = [math.sqrt(len(wishes[each])) for each in langs]
    count = 0
    while count < MADE_UP:
        (lang,) = dice.choices(langs, weights)
        kind = dice.random()
        chosen = dice.choices(
            wishes[lang], k=dice.choice((2, 2, 2, 3, 3, 4)) if kind < 0.55 else 1
        )
        if kind > 0.4 and asides.get(lang):
            for _ in range(dice.choice((1, 1, 2))):
                chosen.insert(dice.randint(0, len(chosen)), dice.choice(asides[lang]))
        if kind > 0.93 and declined.get(lang):
            chosen.insert(dice.randint(0, len(chosen)), dice.choice(declined[lang]))
        if len(chosen) > 1 and sum(len(each.wanted) for each in chosen) <= _MOST_WISHES:
            count += 1
            yield _together(chosen, lang, dice)


def _together(chosen: Sequence[Sample], lang: str, dice: random.Random) -> Sample:
    text, begins, names, wanted = '', list[int](), list[int](), list[str]()
    for at, each in enumerate(chosen):
        new = list(each.begins)
        if text:
            is_aside = not each.wanted or not chosen[at - 1].wanted
            joins = _BESIDE[lang in _UNSPACED] if is_aside else _JOINS.get(lang, _JOINS['en'])
            join = dice.choice(joins)
            cut = text.rstrip(_ENDS) or text
            if '?' in text[len(cut) :] and dice.random() < 0.7:
                cut, join = text, '' if lang in _UNSPACED else ' '
            text = cut + join
            begins = begins[: len(cut)] + [UNKNOWN] * len(join)
            names = names[: len(cut)] + [0] * len(join)
            new[:1] = [1]
        if not each.wanted:
            new[1:] = [0] * (len(new) - 1)
        text, begins, names = text + each.text, begins + new, names + list(each.names)
        wanted += each.wanted
    return Sample(text, tuple(wanted), tuple(begins), tuple(names), '*', lang)
