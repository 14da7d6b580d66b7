"""A fleet's page as a program sees it: `bt-executive web --robots` in a process, and its feed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
import json
import os
import re
import signal
import subprocess
import sys
from typing import Any
from urllib.request import Request, urlopen

from known import known
from warm import WarmPopen
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

TOKEN = 'of-a-test'
LIMIT_S = 120.0  # says nothing about the program


class FleetClient:
    """One open page. `port`: of its server."""

    def __init__(self, port: int) -> None:
        self._origin = f'http://127.0.0.1:{port}'
        self._cookie = {'Cookie': f'bt_executive_{port}={TOKEN}'}
        page = urlopen(Request(f'{self._origin}/', headers=self._cookie), timeout=LIMIT_S)
        self._csrf = known(re.search(r'name="csrf" content="([^"]*)"', page.read().decode()))[1]
        self._tiles: dict[str, Any] = {}
        self._feed: ClientConnection = connect(
            f'ws://127.0.0.1:{port}/feed',
            origin=Origin(self._origin),
            additional_headers=self._cookie,
            max_size=None,
        )

    def tiles(self) -> dict[str, Any]:
        """Return the latest tiles, by the names of the robots."""
        with suppress(TimeoutError):
            while True:
                message = json.loads(self._feed.recv(timeout=0))
                if 'fleet' in message:
                    self._tiles = {tile['name']: tile for tile in message['fleet']}
        return self._tiles

    def stop(self, name: str) -> dict[str, Any]:
        """Stops a robot, as its tile does."""
        headers = {**self._cookie, 'Origin': self._origin, 'X-CSRF-Token': self._csrf}
        request = Request(f'{self._origin}/stop/{name}', b'', headers, method='POST')
        answer: dict[str, Any] = json.loads(urlopen(request, timeout=LIMIT_S).read())
        return answer

    def close(self) -> None:
        """Closes the page."""
        self._feed.close()


@contextmanager
def fleet_page(domain: int, *robots: str) -> Iterator[FleetClient]:
    """Serves the page of robots in a ROS domain, and opens it."""
    with WarmPopen(
        [sys.executable, '-m', 'bt_executive', 'web', '--robots', ','.join(robots)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, 'BT_EXECUTIVE_WEB_TOKEN': TOKEN, 'ROS_DOMAIN_ID': str(domain)},
    ) as process:
        try:
            told = known(process.stdout).readline()  # when it listens already
            page = FleetClient(int(known(re.search(r'127\.0\.0\.1:(\d+)/', told))[1]))
            yield page
            page.close()
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(LIMIT_S)
