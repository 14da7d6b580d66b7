"""The browser of benches and tests ends with what has started it."""

from __future__ import annotations

from pathlib import Path
import subprocess
import sys

from process_runs import runs
import pytest
from waiting import wait_until

STARTS = """
import pathlib, sys, threading
from bench import _browser
_browser.CHROMIUM = sys.argv[1]
with _browser.running_browser(pathlib.Path(sys.argv[1]).parent):
    print('it runs', flush=True)
    threading.Event().wait()
"""
STAND_IN = """#!/bin/sh
echo $$ > "$(dirname "$0")/pid"
echo "DevTools listening on ws://127.0.0.1:1/"
exec sleep 1000
"""


@pytest.mark.process
def test_it_ends_with_a_process_that_is_killed(tmp_path: Path) -> None:
    chromium = tmp_path / 'chromium'
    chromium.write_text(STAND_IN, encoding='ascii')
    chromium.chmod(0o755)
    command = [sys.executable, '-c', STARTS, str(chromium)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        assert starter.stdout.readline() == 'it runs\n'
        pid = int((tmp_path / 'pid').read_text(encoding='ascii'))
        assert runs(pid)
        starter.kill()
    wait_until(lambda: not runs(pid))
