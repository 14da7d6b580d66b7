"""The witness of the guard bench, in a process where nothing was looked for yet."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.process


START = (
    'import os, subprocess, tempfile; from bench.guard.witness import witness; seen = witness(); '
)


def said(code: str) -> str:
    ended = subprocess.run(
        [sys.executable, '-c', START + code],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return ended.stdout.strip() or ended.stderr


def test_the_witness_asks_nobody_who_may_be_holding_a_lock() -> None:
    """In a fresh process the first temporary folder is looked for under a lock of its module."""
    code = 'tempfile.tempdir = None; tempfile.mkdtemp(prefix="guard-"); print("went on")'
    assert said(code) == 'went on'


@pytest.mark.parametrize(
    ('start', 'event'),
    [
        ('os.fork() or os._exit(0)', 'os.fork'),
        ('os.system("true")', 'os.system'),
        ('os.posix_spawn("/bin/true", ["true"], {})', 'os.posix_spawn'),
        ('subprocess.run(["true"])', 'subprocess.Popen'),
    ],
)
def test_each_way_to_start_a_process_is_noticed_and_goes_on(start: str, event: str) -> None:
    assert event in said(f'{start}; print([*seen.since(0)])')
