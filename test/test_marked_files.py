"""Files that `-m` leaves out are not loaded, and no other ones: test/support/marked_files.py."""

from __future__ import annotations

from pathlib import Path
import re

from marked_files import marks_left_out, marks_of_file
from papers import ROOT
import pytest


@pytest.mark.parametrize(
    ('expression', 'marks'),
    [
        ('', set()),
        ('not ros', {'ros'}),
        ('not ros and not long', {'ros', 'long'}),
        ('ros', set()),
        ('not ros or long', set()),
        ('not (ros and long)', set()),
        ('not ros and long', set()),
    ],
)
def test_what_an_expression_leaves_out(expression: str, marks: set[str]) -> None:
    assert marks_left_out(expression) == marks


@pytest.mark.parametrize(
    ('line', 'marks'),
    [
        ('pytestmark = pytest.mark.long  # the sentence encoder', {'long'}),
        ('pytestmark = [pytest.mark.ros, pytest.mark.timeout(400)]', {'ros', 'timeout'}),
        ('pytestmark = IN_BROWSER', set()),
        ('    pytestmark = pytest.mark.long', set()),
        ('@pytest.mark.long', set()),
    ],
)
def test_the_marks_of_every_test_of_a_file(tmp_path: Path, line: str, marks: set[str]) -> None:
    path = tmp_path / 'test_it.py'
    path.write_text(f'import pytest\n\n{line}\n', encoding='utf-8')
    assert marks_of_file(path) == marks


def test_make_quick_and_make_coverage_leave_files_out() -> None:
    text = (ROOT / 'Makefile').read_text(encoding='utf-8')
    (started,) = re.findall(r'^PURE := (.*)$', text, re.MULTILINE)
    quick, coverage = re.findall(r"-m '(.*?)'", text.replace('$(PURE)', started))
    assert marks_left_out(coverage) == {'ros', 'process', 'system', 'long'}
    assert marks_left_out(quick) == {*marks_left_out(coverage), 'slow'}
