"""Files of which `-m` leaves out every test are not loaded: half of what `make quick` would do."""

from __future__ import annotations

from pathlib import Path
import re

import pytest

WITHOUT = re.compile(r'not (\w+)(?: and |$)')
WHOLE = re.compile(r'^pytestmark = (.*)$', re.MULTILINE)
MARK = re.compile(r'pytest\.mark\.(\w+)')


def marks_left_out(expression: str) -> frozenset[str]:
    """The marks that `-m` excludes, if it does nothing else: `not ros and not long`."""
    found = WITHOUT.findall(expression)
    whole = ' and '.join(f'not {mark}' for mark in found)
    return frozenset(found) if whole == expression else frozenset()


def marks_of_file(path: Path) -> frozenset[str]:
    """The marks that each test of a file has, as far as one line says so."""
    line = WHOLE.search(path.read_text(encoding='utf-8'))
    return frozenset(MARK.findall(line[1])) if line else frozenset()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves a file out of which no test would be run."""
    if collection_path.suffix != '.py' or not collection_path.name.startswith('test_'):
        return None
    left_out = marks_left_out(config.option.markexpr)
    return True if left_out & marks_of_file(collection_path) else None
