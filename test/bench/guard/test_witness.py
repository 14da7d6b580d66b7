"""The witness of the guard bench, in a process where nothing was looked for yet."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.process


def test_the_witness_asks_nobody_who_may_be_holding_a_lock() -> None:
    """In a fresh process the first temporary folder is looked for under a lock of its module."""
    code = (
        'import tempfile; from bench.guard.witness import witness; witness(); '
        'tempfile.tempdir = None; tempfile.mkdtemp(prefix="guard-"); print("went on")'
    )
    ended = subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.stdout.strip() == 'went on', ended.stderr
