"""What a reader sees of a text is what is read of it, and nothing else is lost."""

from __future__ import annotations

import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st
import pytest

from rover_common.incoming_text import incoming_text, odd_characters, visible, without_invisible

EVERYTHING = [chr(code) for code in range(sys.maxunicode + 1)]
# Unicode's Default_Ignorable_Code_Point in the planes that are in use.
IGNORABLE = [
    *'\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u3164\ufeff\uffa0',
    *map(chr, range(0x200B, 0x2010)),
    *map(chr, range(0x202A, 0x202F)),
    *map(chr, range(0x2060, 0x2070)),
    *map(chr, range(0xFE00, 0xFE10)),
    *map(chr, range(0xFFF0, 0xFFF9)),
    *map(chr, range(0x1BCA0, 0x1BCA4)),
    *map(chr, range(0x1D173, 0x1D17B)),
    *map(chr, range(0xE0000, 0xE1000)),
]
UNSEEN = [
    *IGNORABLE,
    *(each for each in EVERYTHING if unicodedata.category(each) in ('Cc', 'Cf', 'Cs')),
    *(each for each in EVERYTHING if each.isspace()),
    *'\u2800\ufffd\ufffc\ufffe\uffff\ue000\U0001d159',
]
SHAPED = [
    *('👨\u200d👩\u200d👧', '❤\ufe0f', '1\ufe0f\u20e3', '👍🏽', '🏴\U000e0067\U000e007f'),
    *('\u0645\u06cc\u200c\u062e', '葛\U000e0100'),
]


@pytest.mark.slow
@pytest.mark.parametrize('command', [':safe_stop', 'stop', '止まれ'])
def test_no_unseen_sign_hides_a_command(command: str) -> None:
    for sign in UNSEEN:
        for text in (sign + command, command + sign, f'{sign} {sign}{command}\n{sign}'):
            assert incoming_text(text) == command, ascii(text)


def test_no_unseen_sign_within_a_word_makes_it_another() -> None:
    drawn = '\u2800\ufffd\ufffc\ue000'  # as something, within a word
    within = [each for each in UNSEEN if not each.isspace() and each not in drawn]
    for sign in within:
        assert incoming_text(f':safe{sign}_stop') == ':safe_stop', ascii(sign)


def test_what_is_blank_is_nothing() -> None:
    assert [ascii(sign) for sign in UNSEEN if incoming_text(sign * 3)] == []


COLONS = [
    ':',
    '：',
    '﹕',
    '︓',
    '\ufeff：',
    '\u3000：\u200b',
    *'\u2236\ua789\u02f8\u02d0\u05c3\u0589\ufe30',
]


@pytest.mark.parametrize('colon', COLONS, ids=ascii)
def test_what_looks_like_a_colon_begins_a_command(colon: str) -> None:
    assert incoming_text(f'{colon}stop') == ':stop'
    assert incoming_text(f'目標{colon}x').startswith('目標')


@pytest.mark.parametrize('sign', SHAPED)
def test_what_shapes_a_sign_stays(sign: str) -> None:
    assert incoming_text(f'a {sign} b') == f'a {sign} b'


@pytest.mark.parametrize(
    ('text', 'read'),
    [
        ('\x1b[31m:stop\x1b[0m', ':stop'),
        ('\x1b[200~:stop\x1b[201~', ':stop'),
        ('\x1b]0;title\x07:stop', ':stop'),
        ('\x1bOP\x1bOA:stop', ':stop'),
        ('\x1bPq#1\x1b\\\x1b_x\x1b\\:stop', ':stop'),
        ('e\u0301', 'é'),
        ('one\r\ntwo\u2028three\x85four', 'one\ntwo\nthree\nfour'),
        ('\tindented\tlines\n', 'indented\tlines'),
        ('drive 2\u00a0m', 'drive 2\u00a0m'),
    ],
)
def test_what_is_read(text: str, read: str) -> None:
    assert incoming_text(text) == read


ANY = st.text(st.characters(codec=None) | st.sampled_from([*IGNORABLE, *'：:\ud800👩']))


@given(ANY)
def test_what_was_read_is_read_the_same_again(text: str) -> None:
    for read in (incoming_text, without_invisible):
        assert read(read(text)) == read(text)
    incoming_text(text).encode()
    assert unicodedata.is_normalized('NFC', without_invisible(text))


@given(st.text(st.characters(categories=['L', 'N', 'P', 'Sc', 'Zs'], codec='ascii')))
def test_plain_text_stays(text: str) -> None:
    assert without_invisible(text) == text
    assert incoming_text(text) == text.strip()


@given(ANY)
def test_every_sign_of_a_name_can_be_seen(text: str) -> None:
    shown = visible(text)
    assert shown.isprintable()
    assert shown == text or '\\' in shown


def test_odd_characters_are_told_by_name() -> None:
    told = odd_characters('m\u043eve\u200b')
    assert told == 'U+043E CYRILLIC SMALL LETTER O, U+200B ZERO WIDTH SPACE'
    assert odd_characters('move') == ''
    assert odd_characters('äöüß').endswith('…')
