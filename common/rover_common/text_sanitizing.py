"""Text from outside made harmless: for a reader, a terminal, a message and a model. Pure.

Every door (console, pipe, page, ROS, MCP, YAML, vision) passes what people and agents write
through `incoming_text` before anything reads it. Else a mark that nobody sees makes ":safe_stop"
a goal, or a goal of something that is blank.
"""

from __future__ import annotations

import re
import unicodedata

# Where a joiner or a selector makes the sign that is meant: emoji, and the scripts that need them.
_JOINING = re.compile('[\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17ff\u1800-\u18af]')
_JOINERS = '\u200c\u200d'
_SELECTORS = re.compile('[\ufe00-\ufe0f\U000e0100-\U000e01ef]')
_TAGS = re.compile('[\U000e0020-\U000e007f]')  # they spell a flag, after a black one
_BLACK_FLAG = '\U0001f3f4'
_KEYCAP = '\u20e3'
# What Unicode calls Default_Ignorable_Code_Point and is no format character (Cf), and what draws
# nothing all the same: the blank of Braille, the noncharacters.
_UNSEEN = re.compile(
    '[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u3164\uffa0\ufff0-\ufff8'
    '\U0001d159\U000e0000-\U000e0fff\ufdd0-\ufdef\ufffe\uffff]'
)
# What steers a terminal: CSI (colours, keys, the frame of what is pasted), SS3 (arrows, F1 to F4),
# and the strings OSC, DCS, APC, PM and SOS.
_SEQUENCES = re.compile(
    r'\x1b\[[0-?]*[ -/]*[@-~]|\x1bO[A-DFHP-S]|\x1b[]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)'
)
_IDEOGRAPHS = re.compile('[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]')
_LINE_ENDS = re.compile('\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]')
_NO_TEXT_AT_AN_END = '\ufffd\ufffc\u2800'  # placeholders, and the blank of Braille
# Colons of other keyboards, and characters that look the same.
_COLONS = tuple(
    '\N{FULLWIDTH COLON}\N{SMALL COLON}\N{PRESENTATION FORM FOR VERTICAL COLON}\N{RATIO}'
    '\N{MODIFIER LETTER COLON}\N{MODIFIER LETTER RAISED COLON}\N{TWO DOT PUNCTUATION}'
    '\N{MODIFIER LETTER TRIANGULAR COLON}\N{HEBREW PUNCTUATION SOF PASUQ}\N{ARMENIAN FULL STOP}'
    '\N{PRESENTATION FORM FOR VERTICAL TWO DOT LEADER}'
)
_KEPT = '\n\t'  # controls that are no fault in a text
# Control characters, halves of a pair, no character.
_REPLACED = frozenset({'Cc', 'Cs', 'Co', 'Cn'})
_BREAKS = frozenset({'Zl', 'Zp'})  # line ends that are no newline
_UNSENDABLE = re.compile('[\0\ud800-\udfff]')
_PLAIN = re.compile('[\n\t -~]+')  # always seen, and nearly all of most texts


def incoming_text(text: str) -> str:
    """The text without what cannot be seen, and without blanks at its ends; perhaps nothing.

    A colon of another keyboard at its start, as before a command, becomes the plain one; so does
    what only looks like one.
    """
    text = _without_ends(without_invisible(text))
    if text.startswith(_COLONS):
        text = ':' + _without_ends(text[1:])
    return text


def without_invisible(text: str) -> str:
    """The text in its composed form (NFC), without controls, format and invisible characters.

    Tabs, line ends (as newlines) and blanks stay. So do joiners and selectors where they make the
    sign that is meant: within an emoji, in Persian or Hindi, after an ideograph.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _LINE_ENDS.sub('\n', _SEQUENCES.sub('', text))
    kept: list[str] = []
    at = 0
    while at < len(text):
        if plain := _PLAIN.match(text, at):
            kept.append(plain[0])
            at = plain.end()
            continue
        sign, before = text[at], kept[-1][-1] if kept else ''
        at += 1
        if _is_seen(sign) or _shapes(sign, before, text[at : at + 1]):
            kept.append(sign)
    return unicodedata.normalize('NFC', ''.join(kept))


def visible(text: str) -> str:
    r"""The text with each sign that draws nothing written as its escape, like ``\u200b``."""
    return ''.join(
        sign if sign == ' ' or (_is_seen(sign) and sign.isprintable()) else ascii(sign)[1:-1]
        for sign in text
    )


def odd_characters(text: str, most: int = 3) -> str:
    """What is not ASCII in the text, by number and name: ``U+043E CYRILLIC SMALL LETTER O``."""
    odd = [each for each in dict.fromkeys(text) if not each.isascii()]
    named = [f'U+{ord(each):04X} {unicodedata.name(each, "")}'.rstrip() for each in odd[:most]]
    return ', '.join([*named, *(['…'] if len(odd) > most else [])])


def _without_ends(text: str) -> str:
    """The text from its first to its last visible sign."""
    first, last = 0, len(text)
    while first < last and (_is_no_text(text[first]) or _is_mark(text[first])):
        first += 1
    while last > first and _is_no_text(text[last - 1]):
        last -= 1
    return text[first:last]


def _is_no_text(sign: str) -> bool:
    return sign.isspace() or sign in _NO_TEXT_AT_AN_END or unicodedata.category(sign) == 'Co'


def _is_mark(sign: str) -> bool:
    """Whether a sign only adds to the one before it; at the start there is none."""
    return unicodedata.category(sign).startswith('M')


def _is_seen(sign: str) -> bool:
    if sign.isascii():
        return sign.isprintable() or sign in _KEPT
    category = unicodedata.category(sign)
    is_selector = _SELECTORS.match(sign)
    return category not in ('Cc', 'Cf', 'Cs') and not is_selector and not _UNSEEN.match(sign)


def _shapes(sign: str, before: str, after: str) -> bool:
    """Whether a sign that is not seen by itself shapes those beside it."""
    if not before or before.isascii():
        return bool(before) and sign == '\ufe0f' and after == _KEYCAP
    if sign in _JOINERS:
        letters = _JOINING.match(before) and _JOINING.match(after)
        return bool(letters) or (sign == '\u200d' and _is_symbol(before) and _is_symbol(after))
    if _TAGS.match(sign):
        return before == _BLACK_FLAG or bool(_TAGS.match(before))
    is_selected = _IDEOGRAPHS.match(before) or _is_symbol(before)
    return bool(_SELECTORS.match(sign) and is_selected)


def _is_symbol(sign: str) -> bool:
    """Whether a sign is an emoji, or what colours or selects one."""
    return bool(sign) and (unicodedata.category(sign) in ('So', 'Sk', 'Sm') or sign == '\ufe0f')


def printable(text: str) -> str:
    """The text without anything that a terminal would obey.

    Control characters become U+FFFD, so that it shows that there was something. Format characters
    (category Cf: zero width, joiners, direction marks) are removed: they hide text and take no
    cell. Newlines and tabs stay.
    """
    return text if text.isprintable() else ''.join(map(_printable, text))


def one_line(text: str) -> str:
    """The printable text with every run of white space as one space."""
    return ' '.join(printable(text).split())


def sendable(text: str) -> str:
    """The text as a ROS message can carry it: NUL and halves of a pair become U+FFFD.

    A terminal hands over a byte that is not UTF-8 as such a half. NUL would end the text.
    """
    if text.isascii() and '\0' not in text:
        return text
    return _UNSENDABLE.sub('\N{REPLACEMENT CHARACTER}', text)


def _printable(character: str) -> str:
    if character in _KEPT:
        return character
    category = unicodedata.category(character)
    if category in _REPLACED:
        return '\N{REPLACEMENT CHARACTER}'
    if category == 'Cf':
        return ''
    return '\n' if category in _BREAKS else character


# Fullwidth and small forms that a model reads as the ASCII sign: Ａ-Ｚ ａ-ｚ ＿ ＜ ＞ ﹤ ﹥.
_ASCII_LOOKS = {
    **{code: code - 0xFEE0 for code in (*range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))},
    0xFF3F: ord('_'),
    0xFF1C: ord('<'),
    0xFF1E: ord('>'),
    0xFE64: ord('<'),
    0xFE65: ord('>'),
}
_BRACKETS = str.maketrans('<>', '‹›')
# What ROSA calls its instructions, and the tags in square brackets of Mistral's chat formats.
_COMMANDS = re.compile(
    r'(?i:rosa[\s_.\-]{0,3}instructions?)'
    r'|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_(?:CALLS|CONTENT|RESULTS)|ARGS|CALL_ID'
    r'|THINK)\]'
)
_CUT = ' …(cut)'


def sanitize(text: str, limit: int) -> str:
    """Return the text without tags, invisible characters and ROSA's command word, cut to a length.

    Angle brackets become ‹ ›, and a tag in square ones `[quoted tag]`, so no tag of a chat format
    survives. JSON stays JSON.

    `limit`: longest result in characters.
    """
    text = text[: 2 * limit + len(_CUT)].translate(_ASCII_LOOKS)
    text = ''.join(sign for sign in text if sign in _KEPT or _is_visible(sign))
    text = _COMMANDS.sub('[quoted tag]', text.translate(_BRACKETS))
    return text if len(text) <= limit else text[: limit - len(_CUT)] + _CUT


def sanitize_line(text: str, limit: int) -> str:
    """Like `sanitize`, on one line."""
    return sanitize(' '.join(text[: 4 * limit].split()), limit)


def without_controls(text: str) -> str:
    """Return the text without characters that files and messages refuse: controls, surrogates.

    Line breaks and tabs stay.
    """
    return ''.join(sign for sign in text if sign in _KEPT or _is_printable(sign))


def is_blank(text: str) -> bool:
    """Whether a reader sees nothing of the text."""
    return not any(_is_visible(sign) and not sign.isspace() for sign in text)


def _is_printable(sign: str) -> bool:
    return unicodedata.category(sign) not in ('Cc', 'Cs')


def _is_visible(sign: str) -> bool:
    return unicodedata.category(sign) not in ('Cc', 'Cf', 'Cs', 'Co')
