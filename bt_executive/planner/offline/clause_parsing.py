"""Parses a goal into clauses, each with its amounts and modifiers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import lru_cache
import re
import unicodedata

from bt_executive.planner.offline.amounts import (
    MASK,
    Amount,
    amounts_of_goal,
    extract_amounts,
    with_inherited_unit,
)
from bt_executive.planner.offline.connectives_lists_and_quotations import (
    Connective,
    is_reason,
    split,
)
from bt_executive.planner.offline.courtesy_and_asides import without_courtesy
from bt_executive.planner.offline.modifiers import Modifier, find_modifiers, is_question, rates_in
from bt_executive.planner.offline.number_and_unit_words import words_for
from bt_executive.planner.offline.repetitions_and_counts import (
    OF_EACH,
    item_count_in,
    times_in,
    without_times,
)
from bt_executive.planner.offline.text_normalization import normalize

_WORDS_OF_AN_ASIDE, _SIGNS_OF_AN_ASIDE = 3, 4
_WITHOUT_BLANKS = re.compile('[\u3040-\u30ff\u4e00-\u9fff\u0e00-\u0e7f]')
MOST_CUTS = 8  # ways to split a clause into two
LONGEST_GOAL = 500  # characters; this bounds the time that parsing takes
_MASKS = re.compile(rf'\s*{MASK}\s*')
_BETWEEN = re.compile(rf'(?<={MASK})\s*[,、]\s*(?={MASK})')  # of x 3, y 2
_FOR = re.compile(
    rf"\b(?:for|about|around|during|für|pendant|durante|per|por|voor|przez|de|d') *(?={MASK})"
)
_ABOUT = re.compile(rf'(?<={MASK}) *(?:だけ|ほど|くらい|ぐらい|間|左右|lang\b)')
_OVER = re.compile(r'(?<![前左右后])(?:[开走跑驶]|移动)过去')  # “over there”, of no direction
PLACE = 'x 5 y 3'  # replaces the coordinates of any place
_WORD = re.compile(r'\w')
_BLANK_IN_HAN = re.compile(
    r'(?<=[\u3040-\u30ff\u4e00-\u9fff]) (?=\d)|(?<=\d) (?=[\u3040-\u30ff\u4e00-\u9fff])'
)
_ENDS = ' ?!.,。、，？！¿¡'
_UNKNOWN_SIGN = re.compile(
    r"[^\w\s'’,.?!:;()\[\]\"“”「」『』。、，？！・/*&…~ー¿¡—-]|\d|(?<!\w)[-*]|[-*/](?!\w)"
    r'|—(?!—*\s*\w)'  # between words it separates them; otherwise it may be a minus
    r'|[ªº]'  # the number library writes them for “none”
)
# A unit of time without a number: “some”, or a number in words that are not recognized.
_UNIT_ALONE = re.compile(
    r'\b(?:seconds|secs|secondes|segundos|secondi|sekunden|seconden|sekund[ay]?|секунд\w*|saniye'
    r'|minutes|minutos|minuti|minuten|minut[ay]?|минут\w*)\b|秒(?!速)|초(?= |$)'
)
_DELAY = re.compile(
    rf'\b(?:in|within|after|nach|dans|en|tra|over|через) {MASK}'
    rf'|{MASK} ?(?:後(?![退ろ方進])|后(?![退面方])|之后|以后|later)'
)
_SPELT_NUMBERS = (
    *('zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'),
    *('eleven', 'twelve'),
)
_REPETITION = re.compile(
    r'\b(?!(?:the|and|you|your|that|this|with|there)\b)([a-zà-ÿ]{3,})\b(?=.*\b\1\b)'
    r'|([ァ-ヿ一-鿿][^\W\d_a-zà-ÿ]+).*\2'
)


# What somebody does meanwhile, or whatever is done while a measured time passes.
_WHILE = r'(?:while|während|pendant que|mientras|mentre|enquanto|terwijl)'
_MEANWHILE = re.compile(
    rf'(?<={MASK})\s+{_WHILE} |\s{_WHILE} (?!(?:you|du|tu|tú|você|je|jij)\b|\w+ing\b)'
)


@dataclass(frozen=True)
class Clause:
    """One clause of a goal: what is asked for at one time.

    Attributes:
        surface: Its words as written, without its amounts.
        text: The normalized words, without courtesy, for the comparison with examples.
        amounts: Its numbers with their units.
        modifiers: What changes the meaning of its intent, such as a negation or a condition.
        unparsed: A sign or number in it that cannot be read; empty: there is none.
        repetition: Words that it repeats; empty: there are none.
        is_delayed: Whether it says when something is to begin.
        connective: What joins it to the clause before.
        times: How often it is to be done; 1 if it does not say so.
        item_count: Of how many things it is to be done; 1 if it does not say so.
        masked: Its normalized text, with `MASK` for each of its amounts.
    """

    surface: str
    text: str
    amounts: tuple[Amount, ...] = ()
    modifiers: frozenset[str] = frozenset()
    unparsed: str = ''
    repetition: str = ''
    is_delayed: bool = False
    connective: Connective = Connective.THEN
    times: int = 1
    item_count: int = 1
    masked: str = ''

    @property
    def count(self) -> int:
        """Return how often it is to be done, or of how many things."""
        return max(self.times, self.item_count)

    @property
    def after_comma(self) -> bool:
        """Return whether only a comma joins it to the clause before."""
        return self.connective is Connective.COMMA

    @property
    def is_short(self) -> bool:
        """Return whether it is too short to say something of its own: “twice”, 不."""
        has_blanks = not _WITHOUT_BLANKS.search(self.text)
        words = self.text.split() if has_blanks else self.text
        return len(words) < (_WORDS_OF_AN_ASIDE if has_blanks else _SIGNS_OF_AN_ASIDE)

    def has(self, kind: Modifier) -> bool:
        """Return whether it has a modifier of this kind."""
        return any(each.partition(':')[0] == kind for each in self.modifiers)

    def repeats(self, before: Clause) -> bool:
        """Return whether it only repeats the clause before it: “stop, stop!”."""
        return (
            self.after_comma and self.text == before.text and not (self.amounts or before.amounts)
        )


def parse_goal(goal: str, arguments: Collection[str]) -> tuple[Clause, list[Clause]]:
    """Return a goal as one clause, and its clauses.

    A clause without words of its own is joined to its neighbour.

    Args:
        goal: Its text, at most `LONGEST_GOAL` characters.
        arguments: Names of the tools' arguments; a number that follows one is its value.
    """
    keys = frozenset(map(str.lower, arguments))
    masked, amounts = amounts_of_goal(normalize(goal), keys)
    pieces: list[tuple[str, Connective]] = []
    for text, connective in split(_BETWEEN.sub(' ', masked)):
        words = _MASKS.sub(' ', OF_EACH.sub('', text)) if amounts else text
        if pieces and not (_WORD.search(words) and _WORD.search(pieces[-1][0])):
            pieces[-1] = (f'{pieces[-1][0]} {text}', pieces[-1][1])
        else:
            pieces.append((text, connective))
    clauses, at, unit = [], 0, ''
    for text, connective in pieces or [('', Connective.THEN)]:
        count = text.count(MASK)
        own = with_inherited_unit(text, amounts[at : at + count], unit)
        clauses.append(replace(parse_clause(text, own), connective=connective))
        unit = next((each.unit for each in reversed(own) if each.unit and not each.key), unit)
        at += count
    return parse_clause(masked, amounts), clauses


def with_numbers(clause: Clause, goal: str) -> Clause:
    """Return a clause with its bare numbers in its text, as parts of names: “camp 2”.

    `goal`: The normalized goal, for the spelling of the numbers.
    """
    pieces, rest = clause.masked.split(MASK), list[Amount]()
    text = pieces[0]
    for amount, piece in zip(clause.amounts, pieces[1:], strict=False):
        is_bare = (not amount.unit or amount.is_inherited) and not amount.key
        spelling = is_bare and next(
            (form for form, pattern in _spellings(amount, goal) if re.search(pattern, goal)), None
        )
        text += (spelling or MASK) + piece
        rest += [] if spelling else [amount]
    if len(rest) == len(clause.amounts):
        return clause
    named = parse_clause(_BLANK_IN_HAN.sub('', text), tuple(rest))
    return replace(
        named, modifiers=clause.modifiers, unparsed=clause.unparsed, connective=clause.connective
    )


def as_spelt(name: str, amounts: Collection[Amount], goal: str) -> str:
    """Return a name with its numbers as the goal has them: “buoy four”, not “buoy 4”."""
    for amount in amounts:
        if amount.surface in name and amount.surface not in goal:
            word = next(iter(words_for(amount.value, goal)), amount.surface)
            name = name.replace(amount.surface, word)
    return name


def _spellings(amount: Amount, goal: str) -> list[tuple[str, str]]:
    """Return the spellings of a bare number, each with a pattern that finds it in a goal."""
    spellings = [(amount.surface, rf'(?<!\d){re.escape(amount.surface)}(?!\d|\.\d)')]
    if amount.value in range(len(_SPELT_NUMBERS)):
        word = _SPELT_NUMBERS[int(amount.value)]
        words = (word, *words_for(amount.value, goal))
        spellings += [(each, rf'\b{each}\b') for each in words]
    return spellings


@lru_cache(512)  # a goal asks for each several times
def parse_clause(masked: str, amounts: tuple[Amount, ...] = ()) -> Clause:
    """Return one clause, from its masked text and its amounts."""
    surface = _MASKS.sub(' ', masked).strip()
    polite = without_courtesy(compared(masked, amounts).lstrip('¿¡'))
    text = polite.strip(_ENDS)
    repetition = _REPETITION.search(text)
    return Clause(
        surface,
        text,
        amounts,
        find_modifiers(polite) | (rates_in(masked) if amounts else frozenset()),
        _unparsed(surface),
        (repetition[1] or repetition[2]) if repetition else '',
        _is_delayed(masked, amounts),
        times=times_in(masked, amounts),
        item_count=item_count_in(masked, amounts),
        masked=masked,
    )


def _is_delayed(masked: str, amounts: tuple[Amount, ...]) -> bool:
    """Return whether a text says when something is to begin; “en x = 1” says where."""
    numbers = (masked[: each.end()].count(MASK) - 1 for each in _DELAY.finditer(masked))
    return any(at >= len(amounts) or not amounts[at].key for at in numbers)


def once(clause: Clause) -> Clause:
    """Return a clause without the words for the number of its repetitions."""
    if clause.times == 1:
        return clause
    text = without_times(clause.text)
    return replace(clause, text=text) if text else clause


def _unparsed(text: str) -> str:
    """Return a sign or a number that cannot be read; empty: there is none."""
    found = _UNKNOWN_SIGN.search(text) or _UNIT_ALONE.search(text)
    raised = (each for each in text if unicodedata.category(each) == 'No')
    return found[0] if found else next(raised, '')


def compared(masked: str, amounts: tuple[Amount, ...]) -> str:
    """Return a text without its amounts; coordinates are replaced by `PLACE`."""
    place = {'x', 'y'} <= {each.key for each in amounts}
    text = _ABOUT.sub(MASK, _FOR.sub(MASK, masked))
    text = _OVER.sub('去那里', text)
    return _MASKS.sub(' ', text.replace(MASK, f' {PLACE} ', 1) if place else text).strip()


@lru_cache(8192)
def bare(text: str) -> str:
    """Return a text as it is compared: without amounts and courtesy."""
    rest = without_courtesy(compared(*_masked(text))).strip(_ENDS)
    return rest or normalize(text).strip()


@lru_cache(8192)
def modifiers_of(text: str) -> frozenset[str]:
    """Return the modifiers of a text."""
    return find_modifiers(_polite(text))


@lru_cache(8192)
def asks(text: str) -> bool:
    """Return whether a question is among the modifiers of a text."""
    return is_question(_polite(text))


def _polite(text: str) -> str:
    return without_courtesy(compared(*_masked(text)).lstrip('¿¡'))


def _masked(text: str) -> tuple[str, tuple[Amount, ...]]:
    return extract_amounts(normalize(text), frozenset('xy'), MASK)


def part_of(clause: Clause, start: int, end: int) -> Clause:
    """Return the part of a clause between two characters of its masked text."""
    masked = clause.masked[start:end]
    skipped = clause.masked[:start].count(MASK)
    amounts = clause.amounts[skipped : skipped + masked.count(MASK)]
    return replace(parse_clause(masked.strip(), amounts), connective=clause.connective)


def without_reason(clause: Clause, moves: bool) -> Clause:
    """Return a clause without the reason or the purpose at its end: “so the kids can pass”.

    What stands behind a reason may take the wish back, so that only a last one is left out.

    `moves`: What is done meanwhile is a condition then, and not why the robot is to wait.
    """
    last = split(clause.masked)[-1:]
    start = clause.masked.rfind(last[0][0]) if last else -1
    if start > 0 and is_reason(last[0][0]):
        reason = part_of(clause, start, len(clause.masked))
        if not reason.has('condition'):
            return part_of(clause, 0, start)
    meanwhile = None if moves else _MEANWHILE.search(clause.masked)
    if meanwhile is None or len(split(clause.masked[meanwhile.start() :])) > 1:
        return clause
    return part_of(clause, 0, meanwhile.start())


def joined(first: Clause, second: Clause) -> Clause:
    """Return two clauses as one."""
    text = f'{first.text} {second.text}'
    repetition = _REPETITION.search(text)
    return Clause(
        f'{first.surface} {second.surface}',
        text,
        first.amounts + second.amounts,
        first.modifiers | second.modifiers,
        first.unparsed or second.unparsed,
        (repetition[1] or repetition[2]) if repetition else '',
        first.is_delayed or second.is_delayed,
        first.connective,
        max(first.times, second.times),
        max(first.item_count, second.item_count),
        f'{first.masked} {second.masked}',
    )


def without_repetition(text: str) -> str:
    """Return a text that only repeats itself, once."""
    found = re.fullmatch(r'(.{2,}?)(?:[\s,、]*\1)+', text)
    return found[1] if found else text


def halves(clause: Clause) -> list[tuple[Clause, Clause]]:
    """Return the ways to split a clause without a connective, each half of two words or more."""
    if clause.amounts:
        return []
    ends = [match.end() for match in re.finditer(r'\s+', clause.text)]
    unspaced = [match.end() for match in re.finditer('(?<=...)(?=...)', clause.text)]
    cuts = ends[1:-1] if ends else unspaced
    found = [
        (parse_clause(clause.text[:cut]), parse_clause(clause.text[cut:]))
        for cut in cuts[:MOST_CUTS]
    ]
    return [(a, replace(b, surface=b.surface.strip())) for a, b in found]
