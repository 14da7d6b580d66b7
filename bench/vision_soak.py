"""Clients as the public ones behave, over real sockets for a long time: is a look ever lost?

Three versions of the client, each with thirteen habits (`bench/_foreign_clients.py`): some are
prompt, some lose their connection, overrun their time, answer twice, late, or with what is no
picture. They run in a process of their own. Looks are asked of one after the other; each must end
as the habit of its client says, and nothing may grow.

`python -m bench.vision_soak --hours 1`
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
import subprocess
import sys
import threading
import time

from fakes.vision import FakeChat, FakeResource

from bench import _foreign_clients
from bench._figures import report, report_times, trials
from bench._foreign_clients import HABITS, VERSIONS, name_of
from rover_common.config.load import load_config
from rover_vision.capture.connected_clients import Source
from rover_vision.capture.looks_in_event_loop import Captures
from rover_vision.gateway.client_sockets_and_rover_camera import Events
from rover_vision.gateway.gateway_routes import Parts, make_app
from rover_vision.gateway.gateway_server import GatewayServer, listening_socket
from rover_vision.look_request_and_result import LookCode, LookFault, PictureSet

TOKEN = 'token of a long run'
HOURS, PER_S = trials(72) / 3600.0, 4.0
LIMIT_S = 60.0  # clients are told; a busy machine must not change the result of a look
END_S = 3 * LIMIT_S  # after which a look counts as lost
CONNECT_S = 120.0
WARM = 0.2  # share of the run after which memory is counted
GROWTH_TARGET_MB = 5.0
PROMPT = 'PictureSet'
BETWEEN = LookCode.NO_CLIENT.value  # requested while it was reconnecting
EXPECTED = {
    **{habit: {PROMPT} for habit in ('prompt', 'large', 'bom', 'nulls', 'double')},
    **{habit: {PROMPT, BETWEEN} for habit in ('flighty', 'cut off', 'two sockets')},
    **{habit: {LookCode.TIMED_OUT.value} for habit in ('overrun', 'late')},
    'liar': {LookCode.BAD_ANSWER.value},
    'shy': {LookCode.SKIPPED.value},
    'unable': {LookCode.CLIENT_ERROR.value},
}


class Gateway:
    """The real one, with fakes behind it. `late`: pictures that came too late."""

    def __init__(self) -> None:
        settings = load_config(overrides=[f'vision.capture_timeout_s={LIMIT_S}']).vision
        self.late = 0
        self.captures = Captures(settings.capture_timeout_s, self._count)
        self.events = Events(self.captures, settings.dialect, settings.limits.max_sockets)
        resource = FakeResource()
        parts = Parts(settings, TOKEN, self.captures, self.events, FakeChat(), resource, resource)
        self.server = GatewayServer(
            listening_socket('127.0.0.1', 0), lambda: make_app(parts), self.events.close_all
        )

    def _count(self, *_: object) -> None:
        self.late += 1


class Looks:
    """Asks all clients in turns and keeps the books. Lives in the gateway's loop."""

    def __init__(self, captures: Captures) -> None:
        self._captures = captures
        self.outcomes: Counter[tuple[str, str]] = Counter()  # habit, result
        self.prompt_ms: list[float] = []
        self.lost = 0

    async def ask(self, seconds: float, per_s: float) -> None:
        """Request for so long, and wait for the last ones."""
        names = [(version, habit) for version in VERSIONS for habit in HABITS]
        ends_at, number = time.monotonic() + seconds, 0
        running: set[asyncio.Task[None]] = set()
        while time.monotonic() < ends_at:
            version, habit = names[number % len(names)]
            number += 1
            task = asyncio.get_running_loop().create_task(self._one(version, habit))
            running.add(task)
            task.add_done_callback(running.discard)
            await asyncio.sleep(1 / per_s)
        await asyncio.gather(*running)

    async def _one(self, version: str, habit: str) -> None:
        began_at = time.perf_counter()
        look = self._captures.look(
            Source.DESKTOP, 'chat', (name_of(version, habit),), others=False
        )
        try:
            found = await asyncio.wait_for(look, END_S)
        except asyncio.TimeoutError:
            self.lost += 1
            return
        self.outcomes[habit, _name(found)] += 1
        if habit == 'prompt':
            self.prompt_ms.append((time.perf_counter() - began_at) * 1e3)

    @property
    def strange(self) -> dict[tuple[str, str], int]:
        """Looks whose end contradicts their client's habit."""
        return {
            key: count for key, count in self.outcomes.items() if key[1] not in EXPECTED[key[0]]
        }


def run(hours: float = HOURS, per_s: float = PER_S) -> bool:
    """Run for so many hours with so many looks per second; print the results."""
    gateway = Gateway()
    gateway.server.start()
    try:
        with _foreign(gateway):
            return _soak(gateway, hours * 3600, per_s)
    finally:
        gateway.server.end()


def _soak(gateway: Gateway, seconds: float, per_s: float) -> bool:
    looks = Looks(gateway.captures)
    gateway.server.submit(looks.ask(seconds * WARM, per_s)).result()
    warm_mb = _rss_mb()
    gateway.server.submit(looks.ask(seconds * (1 - WARM), per_s)).result()
    grown_mb = _rss_mb() - warm_mb
    total = sum(looks.outcomes.values()) + looks.lost
    counts, waiting = gateway.captures.counts, gateway.captures.waiting
    print(
        f'{seconds / 3600:.2f} h at {len(VERSIONS) * len(HABITS)} clients of '
        f'{len(VERSIONS)} versions; {threading.active_count()} threads, '
        f'{gateway.events.open_sockets} sockets'
    )
    for (habit, outcome), count in sorted(looks.outcomes.items()):
        print(f'  {habit}: {outcome} {count}')
    print(
        f'answers that ended no look: {counts.late} late (kept {gateway.late}), {counts.doubled} '
        f'doubled, {counts.wrong_client} of another client, {counts.unknown} unknown'
    )
    for (habit, outcome), count in looks.strange.items():
        print(f'  WRONG {habit}: {outcome} {count}')
    met = report('looks', total, at_least=1)
    met &= report('looks lost', looks.lost, at_most=0)
    met &= report('looks still waiting', waiting, at_most=0)
    met &= report('looks with another end', sum(looks.strange.values()), at_most=0)
    report_times('a prompt client', looks.prompt_ms)
    what = f'memory after the first {WARM:.0%}'
    return report(what, grown_mb, 'MB', at_most=GROWTH_TARGET_MB) and met


def _name(found: PictureSet | LookFault) -> str:
    return PROMPT if isinstance(found, PictureSet) else found.code.value


def _rss_mb() -> float:
    pages = int(Path('/proc/self/statm').read_text(encoding='ascii').split()[1])
    return pages * 4096 / 1e6


@contextmanager
def _foreign(gateway: Gateway) -> Iterator[None]:
    arguments = [str(gateway.server.port), TOKEN, str(LIMIT_S)]
    process = subprocess.Popen(
        [sys.executable, _foreign_clients.__file__, *arguments], stdin=subprocess.PIPE
    )
    expected = len(VERSIONS) * len(HABITS)
    try:
        patience = time.monotonic() + CONNECT_S
        while len(gateway.captures.client_ids) < expected:
            assert process.poll() is None, 'the clients have ended'
            assert time.monotonic() < patience, 'not all clients have connected'
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait()


def main() -> int:
    """Reads the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--hours', type=float, default=HOURS)
    parser.add_argument('--per-s', type=float, default=PER_S, help='looks per second')
    options = parser.parse_args()
    return 0 if run(options.hours, options.per_s) else 1


if __name__ == '__main__':
    sys.exit(main())
