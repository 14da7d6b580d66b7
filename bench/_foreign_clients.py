"""A process with clients of all versions, each with a habit: the other side of `vision_soak`.

Its arguments are the port, the token and the time limit that clients are told, in s. It runs until
its input ends. The name of a client is its version and its habit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
import random
import sys
import threading
import time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / 'test' / 'support'))

from public_client import PublicClient, data_uri, png

VERSIONS = ('2026-01-03', '2026-01-11', '2026-05')
HABITS = (
    *('prompt', 'large', 'bom', 'nulls'),  # these answer
    *('flighty', 'cut off', 'double', 'two sockets'),  # these answer, too, each in a hard way
    *('overrun', 'late', 'liar', 'shy', 'unable'),  # and these do not
)
HASTE = 20.0  # delays of reconnecting are shorter by this factor
FLIES_AFTER_S = 15.0  # how often a flighty client loses its connection


def name_of(version: str, habit: str) -> str:
    """The id of a client."""
    return f'{version} {habit}'


def clients(port: int, token: str, limit_s: float) -> Iterator[PublicClient]:
    """Starts all of them."""
    for version in VERSIONS:
        dialect = 'event_id' if version == '2026-01-11' else None
        for habit in HABITS:
            options: dict[str, Any] = {'dialect': dialect, 'version': version, 'haste': HASTE}
            options |= {'bom': habit == 'bom', 'nulls': habit == 'nulls'}
            name = name_of(version, habit)
            yield Habitual(habit, limit_s).start(port, token, name, options)
            if habit == 'two sockets':  # the other one comes back, and closes the first, and so on
                yield Habitual(habit, limit_s).start(port, token, name, options | {'haste': 0.3})


class Habitual:
    """A client and its reaction to a request."""

    def __init__(self, habit: str, limit_s: float) -> None:
        self._habit, self._limit_s = habit, limit_s
        self._client: PublicClient

    def start(self, port: int, token: str, name: str, options: dict[str, Any]) -> PublicClient:
        """Connects."""
        self._client = PublicClient(port, token, name, capture=self._capture, **options)
        if self._habit == 'flighty':
            threading.Thread(target=self._fly, daemon=True).start()
        return self._client

    def _fly(self) -> None:
        while not self._client.gave_up:
            time.sleep(FLIES_AFTER_S * (0.5 + random.random()))
            self._client.drop()

    def _capture(self, _source: str) -> bytes | str | None:
        habits: dict[str, Callable[[], bytes | str | None]] = {
            'large': lambda: png(1600, 1200),
            'cut off': self._cut_off,
            'double': self._double,
            'overrun': self._overrun,
            'late': self._late,
            'liar': lambda: b'this is not a picture',
            'shy': lambda: 'capture skipped (idle)',
            'unable': lambda: 'capture failed: no display',
        }
        return habits.get(self._habit, png)()

    def _cut_off(self) -> bytes | str | None:
        """Loses its connection at a request, and answers the repeated one."""
        asked = [each['request_id'] for each in self._client.requests]
        if asked.count(asked[-1]) > 1:
            return png()
        self._client.drop()
        return None

    def _double(self) -> str:
        """Answers twice, the second time with an error."""
        self._post(self._asked, {'images': [data_uri(png())]})
        return 'what?'

    def _overrun(self) -> bytes:
        time.sleep(self._limit_s + 0.1)
        return png()

    def _late(self) -> None:
        asked = self._asked
        time.sleep(self._limit_s + 1.5)
        self._post(asked, {'images': [data_uri(png())]})

    @property
    def _asked(self) -> str:
        """The latest request."""
        return str(self._client.requests[-1]['request_id'])

    def _post(self, request_id: str, answer: dict[str, Any]) -> None:
        ids = {'request_id': request_id, 'client_id': self._client.client_id}
        self._client.post(ids | answer)


def main(port: int, token: str, limit_s: float) -> None:
    """Serves until the input ends."""
    started = list(clients(port, token, limit_s))
    sys.stdin.read()
    for each in started:
        each.close()


if __name__ == '__main__':
    main(int(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
