"""How often a clause is to be done, or of how many things: “3 times”, “take 3 pictures”."""

from __future__ import annotations

import re

from bt_executive.planner.offline.amounts import MASK, Amount
from bt_executive.planner.offline.number_and_unit_words import HAN, han_number

# No clause by itself: “drive forward twice, 2 seconds each”.
OF_EACH = re.compile(
    r'\b(?:each(?: time)?|every time|apiece|jeweils|(?:chaque|cada|ogni) (?:fois|vez|volta))\b'
    r'|毎回|每次|ずつ'
)
# “3 times”, “twice”, “take 3 pictures”, “两张”; not “the 3 rocks”.
_TWO = 'two|zwei|deux|dos|twee|dois|duas'
_TIMES = 'times|mal|fois|veces|volte|keer|vezes'
_OFTEN = re.compile(
    rf'(?P<mark>{MASK}) *(?:{_TIMES}|раза?|x)\b'
    rf'|\b(?:twice|zweimal|два раза|due volte)\b|\b(?:{_TWO}) (?:{_TIMES})\b'
    rf'|(?<!第)(?<!第 )(?:(?P<counter>{MASK}) ?|(?P<han>{HAN}) ?)'
    r'(?:[张張枚幅遍]|[回次](?![转轉]))(?!目)'
)
_SEVERAL = re.compile(
    rf'^(?:please )?(?:[^\W\d_]+ (?:me )?)?(?:(?P<mark>{MASK})|(?:{_TWO})) *[^\W\d_]+s\b'
)
_MOST_TIMES = 50  # a greater number is no count


def times_in(masked: str, amounts: tuple[Amount, ...]) -> int:
    """Return how often a clause is to be done; 1 if it does not say so.

    Args:
        masked: Its normalized text, with `MASK` for each of its amounts.
        amounts: These, in their order.
    """
    return _count(_OFTEN, masked, amounts)


def item_count_in(masked: str, amounts: tuple[Amount, ...]) -> int:
    """Return of how many things a clause is to be done; 1 if it does not say so."""
    return _count(_SEVERAL, masked.strip(), amounts)


def without_times(text: str) -> str:
    """Return a text without the words for the number of its repetitions."""
    return ' '.join(OF_EACH.sub(' ', _OFTEN.sub(' ', text)).split())


def _count(pattern: re.Pattern[str], masked: str, amounts: tuple[Amount, ...]) -> int:
    """Return the number that a pattern finds in a text; 1: none."""
    found = pattern.search(masked)
    if found is None:
        return 1
    groups = found.groupdict()
    if groups.get('han'):
        han = han_number(groups['han'])
        return max(int(han), 1) if han.isdecimal() else 2  # “two or three”
    at = next((found.start(name) for name in ('mark', 'counter') if groups.get(name)), None)
    if at is None:
        return 2
    number = masked[:at].count(MASK)
    amount = amounts[number] if number < len(amounts) else None
    if amount is None or amount.unit or amount.key or amount.value not in range(2, _MOST_TIMES):
        return 1
    return int(amount.value)
