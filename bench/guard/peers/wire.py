"""A peer's process: the robot of the case at the other end of two pipes, one line of JSON each.

Only the standard library: it runs in the environment of the peer.
"""

from __future__ import annotations

from collections.abc import Callable
import json
import os
import sys
from typing import Any


class Bench:
    """The case. Its clock stands still while the peer thinks, and goes on in `sleep`."""

    def __init__(self) -> None:
        self._out = os.fdopen(os.dup(1), 'w')
        os.dup2(2, 1)  # the output of libraries goes elsewhere
        self.noted: dict[str, int] = {}  # what the peer counts while it pursues a goal

    def _ask(self, **what: Any) -> Any:
        print(json.dumps(what), file=self._out, flush=True)
        return json.loads(sys.stdin.readline())

    def call(self, service: str, type_name: str = '', request: Any = None) -> dict[str, Any]:
        """Call a service of the robot; returns `ok` and its fields, or why it was not answered."""
        answer: dict[str, Any] = self._ask(service=service, type=type_name, request=request or {})
        return answer

    def sleep(self, seconds: float) -> None:
        """Let time of the case pass."""
        self._ask(sleep=seconds)

    def serve(self, pursue: Callable[[str], str]) -> None:
        """Pursue one goal after the other; `pursue` returns the peer's last text."""
        print(json.dumps({'ready': True}), file=self._out, flush=True)
        for line in sys.stdin:
            goal = json.loads(line)['goal']
            try:
                ended: dict[str, Any] = {'answer': pursue(goal)}
            except Exception as error:  # the peer's own; its user sees it
                ended = {'answer': f'{type(error).__name__}: {error}', 'error': True}
            print(json.dumps(ended | {'noted': self.noted}), file=self._out, flush=True)
