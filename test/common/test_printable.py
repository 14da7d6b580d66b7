from __future__ import annotations

import sys
import unicodedata

from hypothesis import given
from hypothesis import strategies as st
import pytest
from rich.cells import cell_len
from wcwidth import wcswidth

from rover_common.printable import _printable, one_line, printable, sendable


@pytest.mark.parametrize(
    ('text', 'shown'),
    [
        ('plain', 'plain'),
        ('地面を調べて', '地面を調べて'),
        ('\x1b[31mred', '�[31mred'),
        ('\x9b2J', '�2J'),
        ('bell\x07 back\x08 nul\x00', 'bell� back� nul�'),
        ('\x01\x1b]0;owned\x07\x02', '��]0;owned��'),
        ('left \u202etfel\u2066', 'left tfel'),
        ('zero\u200bwidth\ufeff', 'zerowidth'),
        ('half \ud800', 'half �'),
        ('one\u2028two', 'one\ntwo'),
        ('kept\n\ttoo', 'kept\n\ttoo'),
    ],
)
def test_what_a_terminal_would_obey_goes(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text())
def test_nothing_is_left_that_is_no_character(text: str) -> None:
    made = printable(text)
    assert not {unicodedata.category(each) for each in made if each not in '\n\t'} & {
        'Cc', 'Cf', 'Cs', 'Co', 'Cn', 'Zl', 'Zp',
    }  # fmt: skip
    made.encode()
    assert '\n' not in one_line(text)


@pytest.mark.slow
def test_python_calls_no_character_printable_that_is_not_shown_as_it_is() -> None:
    every = map(chr, range(sys.maxunicode + 1))
    printed = ''.join(each for each in every if each.isprintable())
    assert ''.join(map(_printable, printed)) == printed


@pytest.mark.parametrize(
    'text', ['地面のテクスチャ（texture）', 'ｶﾀｶﾅ', '한국어', 'é', '▁▄█▸✓✗·›']
)
def test_the_libraries_that_lay_out_agree_on_widths(text: str) -> None:
    assert cell_len(text) == wcswidth(text)


@pytest.mark.slow
@given(st.text(st.characters(codec=None) | st.sampled_from('\0\ud800\udcff')))
def test_what_ros_cannot_carry_goes_and_nothing_else(text: str) -> None:
    made = sendable(text)
    made.encode()
    assert '\0' not in made
    assert len(made) == len(text)
    assert all(now in (before, '�') for now, before in zip(made, text, strict=True))
