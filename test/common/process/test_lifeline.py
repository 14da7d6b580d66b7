"""The end of a supervisor reaches every child, whatever the others do."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from rover_common.process.lifeline import Lifelines

pytestmark = pytest.mark.process

CHILD = """
import sys, threading
from rover_common.process.lifeline import watch_lifeline
ended = threading.Event()
if sys.argv[1] == 'hangs':
    watch_lifeline(lambda: None, grace_s=10000.0)
else:
    watch_lifeline(ended.set, stage_s=float(sys.argv[2]))
print('ready', flush=True)
ended.wait()
"""


def child(lines: Lifelines, stage: int, how: str, stage_s: float) -> subprocess.Popen[str]:
    made = subprocess.Popen(
        [sys.executable, '-c', CHILD, how, str(stage_s)],
        env={**os.environ, **lines.environment(stage)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert made.stdout is not None
    assert made.stdout.readline() == 'ready\n'
    return made


def test_a_stage_that_hangs_keeps_the_later_ones_for_a_bounded_time() -> None:
    lines = Lifelines([0, 1, 2])
    hung = child(lines, 0, 'hangs', 0.0)
    later = [child(lines, stage, 'waits', 0.1) for stage in (1, 2)]
    try:
        lines.close()  # as the kernel does it for a supervisor that is killed
        for each in later:
            assert each.wait() == 0
        assert hung.poll() is None
    finally:
        hung.kill()
        for each in (hung, *later):
            each.communicate()
