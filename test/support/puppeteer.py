"""The test's side of `puppet_server.py`: starts it, pulls its strings, hears what it got."""

from __future__ import annotations

from collections.abc import Mapping
import json
import os
from pathlib import Path
import subprocess
import sys
import threading
from typing import Any

from warm import WarmPopen

HERE = Path(__file__).resolve().parent
PATIENCE_S = 60.0


class Puppet:
    """One server process. What it got is counted from the last `mark`.

    A `mortal` one is missed soon after it was killed; but on a busy machine, where it may be
    silent for a second, it could be missed alive.
    """

    def __init__(self, kind: str, name: str, type_name: str, mortal: bool = False) -> None:
        environment = dict(os.environ)
        if mortal:
            environment['FASTRTPS_DEFAULT_PROFILES_FILE'] = str(HERE / 'short_lease.xml')
        self.name = name
        self._process = WarmPopen(
            [sys.executable, '-m', 'puppet_server', kind, name, type_name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self._got: list[Mapping[str, Any]] = []
        self._changed = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()
        self.wait_for('ready')

    def do(self, word: str, **how: Any) -> None:
        """Pulls a string."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({'do': word, **how}) + '\n')
        self._process.stdin.flush()

    def count(self, what: str) -> int:
        """How often it got this since the last mark."""
        with self._changed:
            return sum(each['got'] == what for each in self._got)

    def last(self, what: str) -> Mapping[str, Any]:
        """The fields of the latest one."""
        with self._changed:
            return next(each['fields'] for each in reversed(self._got) if each['got'] == what)

    def wait_for(self, what: str, times: int = 1) -> None:
        """Returns once it got this so often since the last mark."""

        def got() -> bool:
            return [each['got'] for each in self._got].count(what) >= times

        with self._changed:
            assert self._changed.wait_for(got, PATIENCE_S), f'{self.name}: no {what!r}'

    def mark(self) -> None:
        """Forgets what it got so far."""
        with self._changed:
            self._got.clear()

    def meet(self) -> None:
        """Returns once it knows its present client; what it got before is forgotten."""
        self.mark()
        self.do('meet')
        self.wait_for('ready')
        self.mark()

    def kill(self) -> None:
        """kill -9."""
        self._process.kill()
        self._process.wait(PATIENCE_S)

    def close(self, within_s: float = 0.0) -> None:
        """Ends it, if it still lives."""
        assert self._process.stdin is not None
        if self._process.poll() is None:
            self._process.stdin.close()
            self._process.wait(PATIENCE_S)

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._changed:
                self._got.append(json.loads(line))
                self._changed.notify_all()
