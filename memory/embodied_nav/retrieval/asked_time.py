"""When something was seen, as far as a question says it: "10 minutes ago", "today". Pure."""

from __future__ import annotations

from dataclasses import dataclass
import math
import re

_UNITS = {'second': 1.0, 'minute': 60.0, 'hour': 3600.0, 'day': 86_400.0}
_NUMBERS = {'a': 1.0, 'an': 1.0, 'one': 1.0, 'two': 2.0, 'three': 3.0, 'five': 5.0, 'ten': 10.0}
_COUNT = rf'(?P<count>\d{{1,6}}(?:\.\d{{1,6}})?|{"|".join(_NUMBERS)})'
_UNIT = rf'(?P<unit>{"|".join(_UNITS)})s?'
_AGO = re.compile(rf'\b(?:about |some )?{_COUNT} {_UNIT} ago\b', re.IGNORECASE)
_WITHIN = re.compile(
    rf'\b(?:in|within|during) the (?:last|past) (?:{_COUNT} )?{_UNIT}\b', re.IGNORECASE
)
_SINCE = {
    re.compile(r'\bjust now\b', re.IGNORECASE): (0.0, 300.0),
    re.compile(r'\btoday\b', re.IGNORECASE): (0.0, 86_400.0),
    re.compile(r'\byesterday\b', re.IGNORECASE): (43_200.0, 172_800.0),
}
_ABOUT = 2.0  # what was seen half or twice as long ago is meant, too


@dataclass(frozen=True)
class AskedTime:
    """How long ago it must have been seen last, s; `text`: as it was asked."""

    text: str = ''
    least_s: float = 0.0
    most_s: float = math.inf

    def holds(self, age_s: float) -> bool:
        """Return whether something was seen then."""
        return self.least_s <= age_s <= self.most_s


def asked_time(text: str) -> tuple[str, AskedTime]:
    """Return the question without its time, and the time; what is no time is left in the text."""
    for pattern, around in ((_AGO, True), (_WITHIN, False)):
        found = pattern.search(text)
        if found:
            count, unit = found['count'] or '1', found['unit'].lower()
            seconds = _NUMBERS.get(count.lower()) or float(count)
            seconds *= _UNITS[unit]
            least, most = (seconds / _ABOUT, seconds * _ABOUT) if around else (0.0, seconds)
            return _without(text, found), AskedTime(found[0], least, most)
    for pattern, (least, most) in _SINCE.items():
        found = pattern.search(text)
        if found:
            return _without(text, found), AskedTime(found[0], least, most)
    return text, AskedTime()


def _without(text: str, found: re.Match[str]) -> str:
    return f'{text[: found.start()]} {text[found.end() :]}'
