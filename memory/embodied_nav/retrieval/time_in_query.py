"""When a thing must have been seen: "ten minutes ago", "in the last hour", 昨日, 刚才. Pure."""

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
_SIGNS = {
    '秒': 1.0, '秒钟': 1.0, '分': 60.0, '分钟': 60.0, '時間': 3600.0, '小时': 3600.0,
    '个小时': 3600.0, '日': 86_400.0, '天': 86_400.0,
}  # fmt: skip
_SIGN_NUMBERS = {
    '一': 1.0, '二': 2.0, '两': 2.0, '三': 3.0, '四': 4.0, '五': 5.0, '十': 10.0, '半': 0.5,
}  # fmt: skip
_SPAN = (
    rf'(?P<count>\d{{1,6}}(?:\.\d{{1,6}})?|[{"".join(_SIGN_NUMBERS)}])\s*'
    rf'(?P<unit>{"|".join(sorted(_SIGNS, key=len, reverse=True))})'
)
_AGO_SIGNS = re.compile(rf'{_SPAN}(?:ほど|くらい|ぐらい)?(?:之?前|以前)に?')
_WITHIN_SIGNS = re.compile(
    rf'(?:ここ|この|過去|过去|最近){_SPAN}(?:の間|間|以内|之?内|里)?[にで]?'
)
_SINCE = {
    re.compile('さっき|たった今|刚才|刚刚'): (0.0, 1800.0),
    re.compile('今日|今天'): (0.0, 86_400.0),
    re.compile('昨日|昨天'): (43_200.0, 172_800.0),
    re.compile(r'\bjust now\b', re.IGNORECASE): (0.0, 300.0),
    re.compile(r'\btoday\b', re.IGNORECASE): (0.0, 86_400.0),
    re.compile(r'\byesterday\b', re.IGNORECASE): (43_200.0, 172_800.0),
}
_ABOUT = 2.0  # half or twice the age matches, too


@dataclass(frozen=True)
class TimeConstraint:
    """The age in s of the last observation that is asked for; `text`: as it was asked."""

    text: str = ''
    min_age_s: float = 0.0
    max_age_s: float = math.inf

    def matches(self, age_s: float) -> bool:
        """Return whether an age fits."""
        return self.min_age_s <= age_s <= self.max_age_s


def parse_time(text: str) -> tuple[str, TimeConstraint]:
    """Return the query without its time, and the time constraint."""
    for pattern, around in (
        (_AGO, True), (_WITHIN, False), (_WITHIN_SIGNS, False), (_AGO_SIGNS, True),
    ):  # fmt: skip
        found = pattern.search(text)
        if found:
            count, unit = (found['count'] or '1').lower(), found['unit'].lower()
            seconds = _NUMBERS.get(count) or _SIGN_NUMBERS.get(count) or float(count)
            seconds *= _UNITS.get(unit) or _SIGNS[unit]
            low, high = (seconds / _ABOUT, seconds * _ABOUT) if around else (0.0, seconds)
            return _without(text, found), TimeConstraint(found[0], low, high)
    for pattern, (low, high) in _SINCE.items():
        found = pattern.search(text)
        if found:
            return _without(text, found), TimeConstraint(found[0], low, high)
    return text, TimeConstraint()


def _without(text: str, found: re.Match[str]) -> str:
    return f'{text[: found.start()]} {text[found.end() :]}'
