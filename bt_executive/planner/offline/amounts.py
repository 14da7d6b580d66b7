"""The amounts in a goal: numbers with units or keys, in base units, corrected and in full."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
import re

from bt_executive.planner.offline.coordinates_in_text import numbers_in_digits
from bt_executive.planner.offline.number_and_unit_words import one_of, unit_words

MASK = '\ue000'  # replaces an amount in a text

_NUMBER = r'(?:(?<![a-z0-9_])[-+]\s?)?(?:\d+(?:\.\d+)?|(?<![\d.])\.\d+)'


@dataclass(frozen=True)
class Amount:
    """A number with its unit.

    Attributes:
        surface: As written.
        value: In `unit`.
        unit: s, m, deg, rad or empty.
        key: The argument that precedes it; empty: none does.
        is_inherited: Whether the unit is that of an amount before it.
    """

    surface: str
    value: float
    unit: str = ''
    key: str = ''
    is_inherited: bool = False


@lru_cache(8192)
def extract_amounts(
    text: str, keys: frozenset[str], mask: str = ' '
) -> tuple[str, tuple[Amount, ...]]:
    """Return a normalized text with a mask for each of its amounts, and these in their order.

    Args:
        text: As `normalize` returns it.
        keys: Names of arguments; a number that follows one is its value.
        mask: Replaces an amount; coordinates in brackets get two.
    """
    text = numbers_in_digits(text)
    found: list[Amount] = []
    rest, at = [], 0
    for match in _pattern(keys).finditer(text):
        amounts = list(_amounts(match))
        found += amounts
        word = amounts[0].key if len(amounts[0].key) > 2 else ''
        rest += [text[at : match.start()], f' {word} {mask * len(amounts)} ']
        at = match.end()
    return ' '.join(''.join([*rest, text[at:]]).split()), tuple(found)


def _amounts(match: re.Match[str]) -> Iterator[Amount]:
    for first, second in (('first', 'second'), ('third', 'fourth')):
        if match[first] is None:
            continue
        for key, group in (('x', first), ('y', second)):
            yield Amount(match[0].strip(), _value(match[group]), 'm', key)
        return
    unit, factor = unit_words().get(match['unit'] or '', ('', 1.0))
    value = round(_value(match['number']) * factor, 9)
    yield Amount(match[0].strip(), value, unit, match['key'] or '')


def _value(number: str) -> float:
    return float(''.join(number.split()))


@cache
def _pattern(keys: frozenset[str]) -> re.Pattern[str]:
    units, names = one_of(unit_words()), one_of(keys) or '(?!)'
    metres = one_of(each for each, it in unit_words().items() if it == ('m', 1.0))
    return re.compile(
        rf'\(\s*(?P<first>{_NUMBER})\s*m?\s*[,、]\s*(?P<second>{_NUMBER})\s*m?\s*\)'
        rf'|(?<![a-zà-ÿ0-9_.])(?P<third>{_NUMBER})(?P<metres>\s*(?:{metres}))?[,、]\s*(?P<fourth>{_NUMBER})'
        rf'(?(metres)\s*(?:{metres})(?![a-zà-ÿа-я0-9/])|(?!\s*(?:{units})(?![a-z])|[a-z0-9_回次个個张張枚]|\.\d))'
        rf'|(?:(?<![a-z0-9_-])(?P<key>{names})(?:\s*(?:[=:がはを是为在]|等于|equals)?\s*|(?:(?<=\b[xy])|(?<=heading))\s+(?:is|es|est|ist)\s+)|(?<![a-z_.])(?=[\d.]|(?<![a-z0-9_])[-+]))'
        rf'(?P<number>(?:[-+]\s?)?(?:\d+(?:\.\d+)?|(?<![\d.])\.\d+))(?!(?<=\d)d\b)'
        rf'(?:\s*-?(?P<unit>{units})(?!(?<![\u3040-\u30ff\u4e00-\u9fff])[0-9]|[a-zà-ÿа-я/]))?',
        re.IGNORECASE,
    )


_JUST_AS_LONG = re.compile(
    r'\bfor (?:(?:just )?as long|the same (?:time|duration))(?: again)?\b'
    r'|\bthe same (?:time|length|duration)(?= to\b)|\bthe same(?= ?[.!]?$)'
    r'|\b(?:genauso|ebenso) lange?\b|\baussi longtemps\b|\botro tanto\b|\bel mismo tiempo\b'
    r'|\baltrettanto\b|\bo mesmo tempo\b|同じ(?:だけ|時間|秒数)|同样(?:的)?(?:时间|秒数|久)'
)

# A correction: of two amounts the second holds.
_CORRECTION = re.compile(
    rf'{MASK}[ ,、。.;-]*(?:\b(?:no,? (?:sorry|wait|make (?:it|that)|i mean)|no|sorry|i mean'
    r'|or rather|make that|(?:ach |äh )?nein|quatsch|non|pardon|(?:no,? )?perdón|anzi|não|aliás'
    r'|nee|nie|нет)\b|いや(?:違う|ちがう)?|じゃなくて|ではなく(?:て)?|違う'
    rf'|[呃哦]?不对?(?:改成|是)?|说错了)[ ,、。.;-]*(?={MASK})'
)

_AT_END = re.compile(
    r'\b(?:for|per|por|durante|pendant|für|voor|dritto|recto|droit|direito|geradeaus)'
    rf' *{MASK}[ ?!.]*$'
)


def amounts_of_goal(text: str, keys: frozenset[str]) -> tuple[str, tuple[Amount, ...]]:
    """Return a normalized goal with `MASK` for its amounts, and these, corrected and in full."""
    return _corrected(*extract_amounts(_with_same_amount(text, keys), keys, MASK))


def _corrected(masked: str, amounts: tuple[Amount, ...]) -> tuple[str, tuple[Amount, ...]]:
    """Return a text without amounts that are corrected at once: “five, no, six seconds”."""
    while found := _CORRECTION.search(masked):
        at = masked[: found.start()].count(MASK)
        first, second = amounts[at : at + 2]
        if second.key or (first.unit and second.unit not in (first.unit, '')):
            break
        masked = f'{masked[: found.start()]} {masked[found.end() :]}'
        if not second.unit:
            second = replace(second, unit=first.unit, is_inherited=bool(first.unit))
        amounts = (*amounts[:at], replace(second, key=first.key), *amounts[at + 2 :])
    return masked, amounts


def _with_same_amount(text: str, keys: frozenset[str]) -> str:
    """Return a text with an amount in full where it refers to the one before: “as long”."""
    for found in _JUST_AS_LONG.finditer(text):
        _, before = extract_amounts(text[: found.start()], keys, MASK)
        if before and before[-1].unit in ('s', '') and not before[-1].key:
            same = f'{before[-1].value:g} {before[-1].unit}'.strip()
            return f'{text[: found.start()]} {same} {text[found.end() :]}'
    return text


def with_inherited_unit(masked: str, own: tuple[Amount, ...], unit: str) -> tuple[Amount, ...]:
    """Return the amounts of a clause; a bare one at its end has the unit of the clause before.

    “Left for 2 s, then straight on for 5”.
    """
    bare_at_end = own and not (own[-1].unit or own[-1].key) and _AT_END.search(masked)
    return (
        (*own[:-1], replace(own[-1], unit=unit, is_inherited=True))
        if bare_at_end and unit
        else own
    )
