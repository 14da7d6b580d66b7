"""The line VISION_REQUEST with which a model begins its answer: whether it requests a look first.

The line is `VISION_REQUEST: none` or `VISION_REQUEST: {…}`, and nobody is to see it. Chunks of
text go in, text to show comes out; no model, no socket. Whatever a model writes instead, its
answer is neither lost nor changed, the line is never shown, and how the answer is cut into chunks
makes no difference:

- It may stand after blank lines, in a fence of code, in bold type, or without a line end.
- Its object may be written over several lines, and in a fence of its own.
- A request that cannot be read or names an unknown source is a `fault`. What cannot be read is
  dropped to the end of its line, and of the lines that go on with it; what follows is shown.
- The same line further down is taken out of the text, with the lines of an object that go on with
  it, and asks for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
import json
import re
import unicodedata

from rover_vision.capture.connected_clients import Source

MARK = 'VISION_REQUEST:'
INVISIBLE = '\ufeff\u200b\u200c\u200d\u200e\u200f\u2060'  # beside white space, before a line
_SEPARATORS = '_-\\'  # between the two words; Markdown writes \_
_CLOSERS = ' *`"\'_'  # before the colon, as in **VISION_REQUEST**:
_MOST = 4  # of each
LONGEST_VALUE = 8192  # characters of a request; a longer one is a fault
LONGEST_WORDS = 1024  # of a line in place of a request that are held back
FENCE = '```'
_LEAD = re.compile(rf'(?:[\s*.{INVISIBLE}]|`(?!``)|```[a-zA-Z]*(?=[\s{{\[]))*')
_FENCE_BEGINS = re.compile(r'`{1,3}|```[a-zA-Z]*')
_NONE = re.compile(r'(["\']?)none\1(?![a-z0-9])[ \t*`.]*', re.IGNORECASE)
_SOURCE = re.compile(r'["\']?(?:camera|desktop|undefined|nil)["\']?[ \t*`.]*', re.IGNORECASE)
UNREADABLE = 'The model asked to look, but its request cannot be read.'
TOO_LONG = f'The model asked to look, but its request has more than {LONGEST_VALUE} characters.'
LONGEST = 1024  # characters before the mark, at most
LONGEST_EXTRA = 500  # characters of what to look for
_NOISE = re.compile(rf'(?:[\s*>#{INVISIBLE}]|`(?!``)|```[a-zA-Z]*(?=\s|\Z))*')
_BEFORE_A_LINE = f' \t*>#`{INVISIBLE}'
_AFTER = ' \t*`.'
_GOES_ON = '{[,:'  # at the end of a line of a request: the next one may belong to it
_NEXT = re.compile(r'\s*(?:["\'{}\[\]]|\w+\s*:)')
_CLOSES = re.compile(r'\s*[}\]]')


@dataclass(frozen=True)
class Found:
    """Whether a text starts with the mark.

    Attributes:
        end: Behind the colon; 0 if it is not there.
        may_come: Whether more text could still complete it.
    """

    end: int = 0
    may_come: bool = False


def find_mark(text: str) -> Found:
    """Find the mark at the start of a text.

    Full width, case and characters that nobody sees make no difference.
    """
    at = 0
    for word, others in (('VISION', _SEPARATORS), ('REQUEST', _CLOSERS)):
        for letter in word:
            at = _behind(INVISIBLE, text, at)
            if at == len(text):
                return Found(may_come=True)
            if _plain(text[at]) != letter:
                return Found()
            at += 1
        at = _behind(others + INVISIBLE, text, at)
    if at == len(text):
        return Found(may_come=True)
    return Found(at + 1) if _plain(text[at]) == ':' else Found()


def _behind(passed: str, text: str, at: int) -> int:
    last = min(at + _MOST, len(text))
    while at < last and _plain(text[at]) in passed:
        at += 1
    return at


def _plain(character: str) -> str:
    return unicodedata.normalize('NFKC', character).upper()


@dataclass(frozen=True)
class Value:
    """The parsed value.

    Attributes:
        end: Where what follows begins, in the text behind the mark.
        fenced: Whether a fence of code was opened before it.
        request: The object that was written, if there is one.
        fault: Why it cannot be used, and is to be dropped to the end of its line; empty if none.
    """

    end: int
    fenced: bool = False
    request: dict[str, object] | None = None
    fault: str = ''


def read_value(text: str, at_end: bool) -> Value | None:
    """Parse the text after the mark; None: it is incomplete."""
    lead = _LEAD.match(text)
    start = lead.end() if lead else 0
    rest, before = text[start:], text[:start]
    if not at_end and start <= LONGEST_WORDS and _FENCE_BEGINS.fullmatch(rest or '`'):
        return None  # the lead may continue
    fenced = FENCE in before
    if rest[:1] in ('{', '['):
        return _json(text, start, fenced, at_end)
    if '\n' in before and not fenced:
        return Value(before.index('\n'))  # the line is empty; the answer follows
    return _line(text, start, fenced, at_end)


def _json(text: str, start: int, fenced: bool, at_end: bool) -> Value | None:
    """Parse an object or a list, over several lines."""
    written = text[start : start + LONGEST_VALUE]
    try:
        found, length = json.JSONDecoder().raw_decode(written)
    except (ValueError, RecursionError):
        return _unreadable(text, start, fenced, at_end)
    end = start + length
    if isinstance(found, dict):
        return Value(end, fenced, found)
    return Value(end, fenced, fault='The model asked to look with a list in place of an object.')


def _unreadable(text: str, start: int, fenced: bool, at_end: bool) -> Value | None:
    """Decide by whole lines whether it is only incomplete: no word spans two lines."""
    written = text[start : start + LONGEST_VALUE]
    lines = written[: written.rfind('\n') + 1]
    if lines and not _may_go_on(lines):
        return Value(start, fenced, fault=UNREADABLE)
    if len(written) == LONGEST_VALUE:
        return Value(start, fenced, fault=TOO_LONG)
    return Value(start, fenced, fault=UNREADABLE) if at_end else None


def _may_go_on(text: str) -> bool:
    try:
        json.JSONDecoder().raw_decode(text)
    except json.JSONDecodeError as error:
        return error.pos >= len(text.rstrip().rstrip(','))
    except (ValueError, RecursionError):
        return False
    return True


def _line(text: str, start: int, fenced: bool, at_end: bool) -> Value | None:
    """Parse a line without an object: `none`, an invalid request, or text of the answer."""
    line, newline, _ = text[start:].partition('\n')
    if not newline and not at_end and len(line) < LONGEST_WORDS:
        return None
    none = _NONE.match(line)
    if none is not None:
        return Value(start + none.end(), fenced)
    if len(line) < LONGEST_WORDS and _is_a_value(line):
        return Value(start, fenced, fault=UNREADABLE)
    return Value(start, fenced)


def _is_a_value(line: str) -> bool:
    """Return whether a line is one JSON value, or a source alone."""
    if _SOURCE.fullmatch(line.strip()):
        return True
    try:
        json.loads(line.strip(' \t\r*`.'))
    except (ValueError, RecursionError):
        return False
    return True


@dataclass(frozen=True)
class LookWanted:
    """A request of the model to see a source before it answers. `extra`: what to look for."""

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
        self._dropped: str | None = None  # the line that is being dropped, as far as received
        self._skips = False  # between the preamble and the text
        self._same_line = True
        self._fenced = False
        self._lines = _LineFilter()

    def feed(self, chunk: str) -> str:
        """Process a chunk; return the text that may be shown now."""
        self._held += chunk
        return self._advance(at_end=False)

    def end(self) -> str:
        """Process the end of the stream; return the remaining text."""
        return self._advance(at_end=True) + self._lines.end()

    def _advance(self, at_end: bool) -> str:
        if not self.decided:
            self._decide(at_end)
        if self._dropped is not None:
            self._drop(at_end)
        if self.decided and self._dropped is None and self._skips:
            self._skip(at_end)
        if not self.decided or self._skips:
            return ''
        text, self._held = self._held, ''
        return self._lines.feed(text)

    def _decide(self, at_end: bool) -> None:
        """Remove the preamble if there is one, as soon as that is certain."""
        noise = _NOISE.match(self._held)
        start = noise.end() if noise else 0
        mark = find_mark(self._held[start:])
        if not mark.end or start > LONGEST:
            self.decided = at_end or not mark.may_come or start > LONGEST
            return
        value = read_value(self._held[start + mark.end :], at_end)
        if value is not None:
            self.decided = self._skips = True
            self._fenced = value.fenced or FENCE in self._held[:start]
            self._held = self._held[start + mark.end + value.end :]
            self._apply(value)

    def _apply(self, value: Value) -> None:
        if value.fault:
            self.fault, self._dropped = value.fault, ''
        if value.request is None:
            return
        named, extra = value.request.get('source'), value.request.get('extra_prompt')
        try:
            source = Source(str(named).strip().lower())
        except ValueError:
            self.fault = (
                f'The model asked to look at {named!r:.60}: only camera and desktop exist.'
            )
            return
        self.wanted = LookWanted(source, extra[:LONGEST_EXTRA] if isinstance(extra, str) else '')

    def _drop(self, at_end: bool) -> None:
        """Remove an unreadable request: its line, and the lines that continue it."""
        assert self._dropped is not None
        while self._dropped is not None:
            line, newline, rest = self._held.partition('\n')
            if not newline:
                self._dropped, self._held = (None, '') if at_end else (self._dropped + line, '')
                self._same_line = False
                return
            dropped = (self._dropped + line).rstrip()
            following, complete, _ = rest.partition('\n')
            unfinished = dropped.endswith(tuple(_GOES_ON))
            known = complete or at_end or (following.strip() and not unfinished)
            if not known:
                self._dropped, self._held = dropped, f'\n{rest}'
                return
            goes_on = _NEXT.match(following) if unfinished else _CLOSES.match(following)
            self._dropped, self._held = ('' if goes_on else None), rest
        self._same_line = False

    def _skip(self, at_end: bool) -> None:
        """Remove the rest of its line, blank lines, and the end of the fence around it."""
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
    """Removes lines that start with the mark from a text, and holds nothing else back."""

    def __init__(self) -> None:
        self._held = ''  # the start of a possible such line
        self._drops = False
        self._at_start = True
        self._before = ''  # the end of the line before, if it was removed
        self._fenced = False  # such lines are in their own fence

    def feed(self, text: str) -> str:
        """Process text; return the part that may be shown now."""
        shown = []
        for part in re.findall(r'[^\n]*\n|[^\n]+', self._held + text):
            self._held = ''
            shown.append(self._part(part))
        return ''.join(shown)

    def end(self) -> str:
        """Return what was held back, at the end of the text."""
        held, self._held = self._held, ''
        return '' if self._goes_on(held) else held

    def _part(self, part: str) -> str:
        """Process a line or the start of one, whose rest is read with what is held back."""
        if self._at_start and not self._drops and self._before:
            if not part.endswith('\n') and len(part) <= LONGEST:
                self._held = part
                return ''
            self._drops = self._goes_on(part)
            if not self._drops:
                self._before, self._fenced = '', False
        if self._at_start and not self._drops:
            line = part.lstrip(_BEFORE_A_LINE)
            mark = find_mark(line) if len(part) - len(line) <= LONGEST else Found()
            if mark.may_come and not part.endswith('\n'):
                self._held = part
                return ''
            self._drops = bool(mark.end)
        self._at_start = part.endswith('\n')
        dropped = self._drops
        self._drops = dropped and not self._at_start
        if dropped and self._is_fence(part):
            self._fenced = not self._fenced
        elif dropped:
            self._before = part.strip()[-1:] or self._before
        return '' if dropped else part

    def _goes_on(self, line: str) -> bool:
        """Return whether a line belongs to the object of the line before, which was removed."""
        if self._is_fence(line):
            return self._fenced or self._before == ':'
        rule = _NEXT if self._before in _GOES_ON else _CLOSES
        return bool(self._before and rule.match(line))

    def _is_fence(self, line: str) -> bool:
        return bool(self._before and line.lstrip().startswith(FENCE))
