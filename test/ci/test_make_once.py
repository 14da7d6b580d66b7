"""make, of which two may run at once: .ci/make_once.py, called by our Makefile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
import os
from pathlib import Path
import shutil
import signal
import subprocess
import sys

from papers import ROOT
import pytest

CI = ROOT / '.ci'
SHARED = ROOT / 'common' / 'rover_common'  # what the scripts of .ci import
PYTHON = """#!/bin/bash
case $1 in
  -c) echo nothing ;;  # is lacking
  -m) trap 'sleep 0.5; echo ended; exit 1' INT
      echo created >>created; mkdir -p .venv; exec 3<>may_go
      until read -r -t 0.1 -u 3; do :; done ;;
  *) exec {python} "$@" ;;
esac
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder with our Makefile and a Python whose `-m venv` waits for a line in `may_go`."""
    folder = tmp_path / 'clone'
    shutil.copytree(CI, folder / '.ci', ignore=shutil.ignore_patterns('__pycache__'))
    shutil.copy2(ROOT / 'Makefile', folder)
    common = folder / 'common' / 'rover_common'
    shutil.copytree(SHARED, common, ignore=shutil.ignore_patterns('__pycache__'))
    (folder / 'interfaces').mkdir()
    (folder / 'python').write_text(PYTHON.format(python=sys.executable))
    (folder / 'python').chmod(0o755)
    os.mkfifo(folder / 'may_go')
    return folder


@contextmanager
def make_venv(clone: Path) -> Iterator[subprocess.Popen[str]]:
    """Lets make create .venv; it has ended afterwards."""
    outer = ('MAKEFLAGS', 'MFLAGS', 'MAKELEVEL')  # of the make that has started the tests
    with subprocess.Popen(
        ['make', '.venv/stamps/venv'],
        cwd=clone,
        env={
            **{name: value for name, value in os.environ.items() if name not in outer},
            'PYTHON': str(clone / 'python'),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
            process.wait(60)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def wait_for_words(process: subprocess.Popen[str], words: str) -> None:
    assert process.stdout is not None
    assert any(words in line for line in process.stdout), f'it has ended without {words!r}'


@pytest.mark.process
def test_two_makes_at_once_create_one_environment(clone: Path) -> None:
    with make_venv(clone) as first:
        wait_for_words(first, 'creating .venv: Python unpacks pip')
        with make_venv(clone) as second:
            wait_for_words(second, 'Waiting for another make in this folder')
            (clone / 'may_go').write_text('go\n')
    assert (first.returncode, second.returncode) == (0, 0)
    assert (clone / 'created').read_text() == 'created\n'
    assert (clone / '.venv' / 'stamps' / 'venv').exists()


@pytest.mark.process
def test_an_interrupted_make_leaves_no_creation_behind(clone: Path) -> None:
    with make_venv(clone) as make:
        wait_for_words(make, 'creating .venv: Python unpacks pip')
        os.killpg(make.pid, signal.SIGINT)
        wait_for_words(make, 'ended')
    assert make.returncode != 0
    assert not (clone / '.venv' / 'stamps' / 'venv').exists()
