"""The live page: what 20 pages cost the tick, how soon an event is shown, how soon a stop arrives.

Real processes (executive, adapter, rover, simulator, the page's server) and Chromium. This process
is the rover's control node and notes when the stop arrives there, on the same clock
(system time) on which the browser notes when it was pressed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
import os
from pathlib import Path
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from bench._browser import CHROMIUM, Page, running_browser
from bench._driven_system import DrivenSystem
from bt_executive.web.serve import link, listen_on

NAMES = ('executive', 'curiosity_adapter', 'rover', 'environment_simulator')
TOKEN = 'measured'
PAGES = 20
TICKS_S = 60.0  # the statistics look back over 500 ticks
STOPS = 30
SETTLED_S = 1.0
TICK_TARGET = 0.02
SHOWN_TARGET_MS, STOP_TARGET_MS = 100.0, 50.0
# For each event that is new on the page: how long after its time it was in the document.
WATCH = """
window.shown = [];
const model = livePage.stage.model;
const patch = model.patch.bind(model);
model.patch = (new_) => {
  patch(new_);
  const stamps = (new_.lists.events || []).map((each) => each[0]);
  requestAnimationFrame(() => {
    for (const ts of stamps) window.shown.push(Date.now() / 1000 - ts);
  });
};
"""


def run() -> bool:
    """Measures and prints; True if every target is met."""
    if not CHROMIUM:
        print('chromium is not installed: the live page cannot be measured')
        return False
    with tempfile.TemporaryDirectory() as folder, listen_on(0) as free:
        port = free.getsockname()[1]
        free.close()
        system = DrivenSystem(Path(folder), NAMES, ())
        try:
            return _measure(system, Path(folder), port)
        finally:
            system.end()


def _measure(system: DrivenSystem, folder: Path, port: int) -> bool:
    system.find_services()
    ticks = _Ticks(system)
    alone = ticks.median_ms()
    with _server(folder, port), running_browser(folder) as browser:
        page = _opened(browser.page(), port)
        page.do(WATCH)
        system.until(system.begin_goal('demo_ground_texture').__len__, 'the goal is accepted')
        with ThreadPoolExecutor(1) as beside:
            shown = _meanwhile(system, beside, lambda: _shown(page))
            system.carry_out('mast_close')
            stops = [_stop(system, beside, page) for _ in range(STOPS)]
            late, stop = _p99(shown) * 1e3, _p99(stops) * 1e3
            print(
                f'event → in the document: median {statistics.median(shown) * 1e3:.0f} ms, ',
                end='',
            )
            print(f'p99 {late:.0f} ms of {len(shown)} (target ≤ {SHOWN_TARGET_MS:.0f} ms)')
            print(
                f'stop pressed → at the rover: median {statistics.median(stops) * 1e3:.0f} ms, ',
                end='',
            )
            print(
                f'p99 {stop:.0f} ms of {len(stops)} (target ≤ {STOP_TARGET_MS:.0f} ms)', flush=True
            )
        with _watched(port):
            watched = ticks.median_ms()
    cost = watched / alone - 1.0
    print(f'tick, median of 500: {alone:.3f} ms alone, {watched:.3f} ms with {PAGES} pages')
    print(f'  {cost:+.1%} (target ≤ {TICK_TARGET:.0%})')
    return cost <= TICK_TARGET and late <= SHOWN_TARGET_MS and stop <= STOP_TARGET_MS


class _Ticks:
    """The executive's own statistics, from /diagnostics."""

    def __init__(self, system: DrivenSystem) -> None:
        self._system = system
        self._latest = ''
        system.watch(DiagnosticArray, '/diagnostics', self._take)

    def median_ms(self) -> float:
        """The median of the ticks of the next minute."""
        self._system.wait(TICKS_S)
        self._latest = ''
        self._system.until(lambda: self._latest, 'the executive tells of its ticks')
        return float(self._latest)

    def _take(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if 'executive' in status.name and status.name.endswith('tick'):
                values = {each.key: each.value for each in status.values}
                self._latest = values.get('tick_p50_ms', '')


@contextmanager
def _server(folder: Path, port: int) -> Iterator[None]:
    command = [sys.executable, '-m', 'bt_executive.cli', 'web', '--port', str(port)]
    with (folder / 'web.log').open('wb') as log:
        process = subprocess.Popen(
            command,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, 'BT_EXECUTIVE_WEB_TOKEN': TOKEN},
        )
        try:
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(15.0)


def _opened(page: Page, port: int) -> Page:
    deadline = time.monotonic() + 60.0
    while time.monotonic() < deadline:
        page.open(link(port, TOKEN))
        time.sleep(1.0)
        if page.do('typeof livePage !== "undefined"'):
            break
    page.until("document.querySelector('.connection.ready')")
    return page


@contextmanager
def _watched(port: int) -> Iterator[None]:
    """So many pages are open, and take what they are told."""
    with ExitStack() as all_, ThreadPoolExecutor(PAGES) as readers:
        for _ in range(PAGES):
            socket = all_.enter_context(
                connect(
                    f'ws://127.0.0.1:{port}/feed',
                    origin=Origin(f'http://127.0.0.1:{port}'),
                    additional_headers={'Cookie': f'bt_executive_{port}={TOKEN}'},
                    max_size=None,
                    ping_interval=None,
                )
            )
            readers.submit(_read_all, socket)
        yield


def _read_all(socket: ClientConnection) -> None:
    for _ in socket:
        pass


def _meanwhile(system: DrivenSystem, beside: ThreadPoolExecutor, do: Callable[[], Any]) -> Any:
    """Does something while this process goes on to be the rover."""
    doing: Future[Any] = beside.submit(do)
    system.until(doing.done, 'done beside')
    return doing.result()


def _shown(page: Page) -> Sequence[float]:
    page.until('livePage.stage.model.data.goals.some((goal) => goal.story.over)', 120.0)
    shown: list[float] = page.do('window.shown')
    return shown


def _stop(system: DrivenSystem, beside: ThreadPoolExecutor, page: Page) -> float:
    """From pressing the button to the rover's service, s."""
    ending = system.begin('move_forward', duration_s=20.0)
    system.until(lambda: system.control.driving or ending.done(), 'it drives')
    if ending.done():
        raise RuntimeError(f'it did not drive: {ending.result().result.answer}')
    system.wait(0.3)
    system.control.stopped_at = None
    offset = time.time() - time.monotonic()
    pressed = _meanwhile(system, beside, lambda: page.do('(livePage.stop(), Date.now() / 1000)'))
    system.until(lambda: system.control.stopped_at is not None, 'the rover is told to stop')
    system.result(ending)
    system.wait(SETTLED_S)  # the same stop on its other ways must not end the next motion
    assert system.control.stopped_at is not None
    return system.control.stopped_at + offset - float(pressed)


def _p99(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * 0.99), len(ordered) - 1)]
