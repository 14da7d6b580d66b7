"""The first line of a model's answer, read ahead: whether it wants to look before it answers.

A model is told to begin with one line, `VISION_REQUEST: none` or `VISION_REQUEST: {…}`, which
nobody is to see. Chunks of text go in, text to show comes out; no model, no socket. Whatever a
model writes instead, its answer is neither lost nor changed, and the line is never shown:

- It may stand after blank lines, in a fence of code, in bold type, or without a line end.
- Its object may be written over several lines.
- A request that cannot be read or names an unknown source is a `fault`; what follows is shown.
- The same line further down is taken out of the text, and asks for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
import json
import re

from rover_vision.capture.clients import Source

MARK = 'VISION_REQUEST:'
LONGEST = 1024  # characters that are held back at most
LONGEST_EXTRA = 500  # characters of what the model wants to look for
FENCE = '```'
_NOISE = re.compile(r'(?:[\s*>#]|`(?!``)|```[a-zA-Z]*(?=\s|\Z))*')
_NONE = re.compile(r'none(?![a-z0-9])[ \t*`.]*', re.IGNORECASE)
_AFTER = ' \t*`.'


@dataclass(frozen=True)
class LookWanted:
    """The model wants to see this source before it answers. `extra`: what it will look for."""

    source: Source
    extra: str = ''


class PreambleParser:
    """Splits one streamed answer into its preamble and its text.

    Attributes:
        wanted: The look that the model asked for; None if it asked for none (yet).
        fault: Why a request cannot be carried out, as a sentence; empty if none.
        decided: Whether the preamble is over.
    """

    def __init__(self) -> None:
        self.wanted: LookWanted | None = None
        self.fault = ''
        self.decided = False
        self._held = ''
        self._skips = False  # what stands between the preamble and the text
        self._same_line = True
        self._fenced = False
        self._lines = _LineFilter()

    def feed(self, chunk: str) -> str:
        """Takes a chunk; returns what of the answer may be shown by now."""
        self._held += chunk
        return self._advance(at_end=False)

    def end(self) -> str:
        """The stream has ended; returns what is left to show."""
        return self._advance(at_end=True) + self._lines.end()

    def _advance(self, at_end: bool) -> str:
        if not self.decided:
            self._decide(at_end)
        if self.decided and self._skips:
            self._skip(at_end)
        if not self.decided or self._skips:
            return ''
        text, self._held = self._held, ''
        return self._lines.feed(text)

    def _decide(self, at_end: bool) -> None:
        """Takes the preamble away if there is one, as soon as that is certain."""
        noise = _NOISE.match(self._held)
        start = noise.end() if noise else 0
        line = self._held[start:]
        if not line.upper().startswith(MARK):
            full = at_end or len(self._held) > LONGEST
            self.decided = full or not MARK.startswith(line.upper())
            return
        rest = self._read(line[len(MARK) :], at_end or len(line) > LONGEST)
        if rest is not None:
            self.decided = self._skips = True
            self._fenced = FENCE in self._held[:start]
            self._held = rest

    def _read(self, said: str, at_end: bool) -> str | None:
        """Understands what follows the mark; returns the text after it, None: not all is there."""
        words = said.lstrip(_AFTER)
        if not words.startswith('{'):
            line, end, rest = words.partition('\n')
            if not end and not at_end:
                return None
            found = _NONE.match(line)
            return (line[found.end() :] if found else line) + end + rest
        try:
            request, where = json.JSONDecoder().raw_decode(words)
        except (ValueError, RecursionError) as error:
            if not at_end and _is_cut(error, words):
                return None
            self.fault = 'The model asked to look, but its request cannot be read.'
            return words.partition('\n')[2]
        self._take(request)
        return str(words[where:])

    def _take(self, request: dict[str, object]) -> None:
        named = request.get('source')
        extra = request.get('extra_prompt')
        try:
            source = Source(str(named).strip().lower())
        except ValueError:
            self.fault = (
                f'The model asked to look at {named!r:.60}: only camera and desktop exist.'
            )
            return
        self.wanted = LookWanted(source, extra[:LONGEST_EXTRA] if isinstance(extra, str) else '')

    def _skip(self, at_end: bool) -> None:
        """Takes away the rest of its line, blank lines, and the end of the fence around it."""
        if self._same_line:
            self._held = self._held.lstrip(_AFTER)
            self._same_line = not self._held
        if not self._same_line:
            self._held = self._held.lstrip()
            if self._fenced and self._held.startswith(FENCE):
                self._held, self._fenced = self._held[len(FENCE) :].lstrip(), False
        may_be_fence = self._fenced and FENCE.startswith(self._held)
        self._skips = not at_end and (not self._held or may_be_fence)


class _LineFilter:
    """Takes lines that begin with the mark out of a text, and holds nothing else back."""

    def __init__(self) -> None:
        self._held = ''  # the beginning of a line that may become such a line
        self._drops = False
        self._at_start = True

    def feed(self, text: str) -> str:
        """Takes text; returns what of it may be shown by now."""
        shown = []
        for part in re.findall(r'[^\n]*\n|[^\n]+', self._held + text):
            self._held = ''
            shown.append(self._part(part))
        return ''.join(shown)

    def end(self) -> str:
        """What was held back at the end of the text."""
        held, self._held = self._held, ''
        return held

    def _part(self, part: str) -> str:
        """A line, or the piece of it that has come; the next piece is read with what was held."""
        if self._at_start and not self._drops:
            begins = part.lstrip(' \t*>').upper()
            if begins != MARK and MARK.startswith(begins) and not part.endswith('\n'):
                self._held = part
                return ''
            self._drops = begins.startswith(MARK)
        self._at_start = part.endswith('\n')
        dropped = self._drops
        self._drops = dropped and not self._at_start
        return '' if dropped else part


def _is_cut(error: Exception, text: str) -> bool:
    """Whether an object is only not complete yet."""
    if not isinstance(error, json.JSONDecodeError):
        return False
    return error.pos >= len(text.rstrip()) or error.msg.startswith('Unterminated string')
