"""`.ci/types`: a fresh clone gets what mypy found out in the last good one."""

from __future__ import annotations

import os
from pathlib import Path
import shutil
import subprocess

from papers import ROOT
import pytest

pytestmark = pytest.mark.process

MYPY = """#!/bin/sh
shift 2  # the version
cat .mypy_cache/found 2>/dev/null
mkdir -p .mypy_cache && echo "$1" > .mypy_cache/found
exit "$2"
"""


def checked(clone: Path, finds: str, code: int = 0, version: str = '3.11') -> str:
    """What is there when mypy begins in a clone."""
    (clone / '.ci').mkdir(parents=True)
    (clone / '.venv' / 'bin').mkdir(parents=True)
    script = Path(shutil.copy(ROOT / '.ci' / 'types', clone / '.ci'))
    for name, text in (('mypy', MYPY), ('python', f'#!/bin/sh\necho {version}')):
        program = clone / '.venv' / 'bin' / name
        program.write_text(text)
        program.chmod(0o755)
    cache = {**os.environ, 'XDG_CACHE_HOME': str(clone.parent / 'not there' / 'yet')}
    ended = subprocess.run(
        [script, finds, str(code)], env=cache, capture_output=True, text=True, check=False
    )
    assert ended.returncode == code
    assert ended.stderr == ''
    return ended.stdout.strip()


def test_what_was_found_in_the_last_good_clone_is_there_in_the_next_one(tmp_path: Path) -> None:
    assert checked(tmp_path / 'first', 'much') == ''
    assert checked(tmp_path / 'faulty', 'a fault', code=1) == 'much'
    assert checked(tmp_path / 'second', 'more') == 'much'
    assert checked(tmp_path / 'third', 'most') == 'more'
    assert [each.name for each in (tmp_path / 'not there' / 'yet' / 'bt_executive').iterdir()] == [
        'mypy'
    ]


def test_the_numpy_of_python_3_10_declares_too_little(tmp_path: Path) -> None:
    assert checked(tmp_path / 'old', 'much', version='3.10').startswith('Types are checked from')
    assert not (tmp_path / 'old' / '.mypy_cache').exists()
