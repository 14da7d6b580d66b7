"""Changes to the watch's settings: by a service, a page, or an operator's text. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
import re

from rover_common.text_sanitizing import incoming_text
from rover_vision.watch.watch_settings import TellWhen, WatchSettings

LONGEST_INTERVAL_S = 7 * 86_400
LONGEST_TARGET = 200
_UNITS = {'s': 1, 'sec': 1, 'second': 1, 'm': 60, 'min': 60, 'minute': 60, 'h': 3600, 'hour': 3600}
_EVERY = re.compile(r'\bevery\s+(\d{1,6})?\s*(seconds?|secs?|minutes?|mins?|hours?|[smh])\b', re.I)
_EVERY_JA = re.compile(r'(\d{1,6})\s*(秒|分)(?:ごと|おき|間隔)')
_OFF = re.compile(
    r'\b(?:stop|end|quit|no more)\s+(?:the\s+)?watch(?:ing)?\b|\bwatch\s+off\b'
    r'|監視(?:を)?(?:やめ|止め|停止|オフ)',
    re.I,
)
_ON = re.compile(
    r'\b(?:start|begin)\s+(?:to\s+)?watch(?:ing)?\b|^\s*watch(?:\s+on)?[.!]?\s*$'
    r'|監視(?:を)?(?:始|開始|オン)',
    re.I,
)
_DARK = re.compile(r'\b(?:when|once|if|as soon as)\b.*\bdark|暗くなったら', re.I)
_MOTION = re.compile(
    r'\b(?:when|once|if|as soon as)\b.*\b(?:moves?|moving|motion)\b|動いたら', re.I
)
_ABOUT = re.compile(r'\b(?:watch|tell me|let me know|say|look)\b|監視|教えて|知らせて|見て', re.I)


@dataclass(frozen=True)
class WatchChange:
    """A change of settings; None: unchanged. An empty `target`: no client."""

    enabled: bool | None = None
    interval_s: int | None = None
    target: str | None = None
    tell_when: TellWhen | None = None

    def applied(self, settings: WatchSettings) -> WatchSettings:
        """Return the settings with this change.

        Raises:
            ValueError: A value is invalid; the text is a sentence.
        """
        if self.interval_s is not None and not 1 <= self.interval_s <= LONGEST_INTERVAL_S:
            raise ValueError(
                f'The watch cannot look every {self.interval_s} s: give 1 to {LONGEST_INTERVAL_S}.'
            )
        if self.target is not None and len(self.target) > LONGEST_TARGET:
            raise ValueError(f'The id of a client has at most {LONGEST_TARGET} characters.')
        changed = settings
        if self.enabled is not None:
            changed = replace(changed, enabled=self.enabled)
        if self.interval_s is not None:
            changed = replace(changed, interval_s=self.interval_s)
        if self.target is not None:
            changed = replace(changed, target=incoming_text(self.target) or None)
        if self.tell_when is not None:
            changed = replace(changed, tell_when=self.tell_when)
        return changed


def parse_watch_change(words: str) -> WatchChange | None:
    """Return the change that an operator's text asks for; None: it is not about the watch."""
    if len(words) > 200:
        return None
    if _OFF.search(words):
        return WatchChange(enabled=False)
    when = _condition(words)
    interval_s = _interval(words)
    if _ABOUT.search(words) and (when is not None or interval_s is not None):
        return WatchChange(True, interval_s, None, when or TellWhen.ALWAYS)
    return WatchChange(True, None, None, TellWhen.ALWAYS) if _ON.search(words) else None


def _condition(words: str) -> TellWhen | None:
    if _DARK.search(words):
        return TellWhen.DARK
    return TellWhen.MOTION if _MOTION.search(words) else None


def _interval(words: str) -> int | None:
    found = _EVERY.search(words)
    if found:
        return int(found[1] or 1) * _UNITS[found[2].lower().rstrip('s') or 's']
    found = _EVERY_JA.search(words)
    return int(found[1]) * (60 if found[2] == '分' else 1) if found else None
