"""The live page: how soon it, an event and a stop are there, and what 20 pages cost the tick.

Real processes (executive, adapter, rover, simulator, the page's server) and Chromium. This process
is the rover's control node and notes when the stop arrives there, on the same clock
(system time) on which the browser notes when it was pressed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
import json
import math
import os
from pathlib import Path
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

import rclpy
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from bench import _timed_executive
from bench._browser import CHROMIUM, Browser, Page, running_browser
from bench._driven_system import DrivenSystem, StandIn
from bench._figures import report, report_times, trials
from bench._timed_executive import Tick
from bt_executive.web.web_server import link, listen_on

NAMES = ('executive', 'curiosity_adapter', 'rover', 'environment_simulator')
TOKEN = 'measured'
PAGES = 20
ROUNDS = trials(4)  # of four stretches: twice alone, twice with the pages, in a drawn order
STRETCH_S, SETTLE_S = 4.0, 0.6
DRAWS = 4000  # of the stretches, for the interval
STOPS = 30
GOALS = 3  # of some 55 events each
SETTLED_S = 0.5
DRIVES_WITHIN_S = SERVED_WITHIN_S = 60.0
TICK_TARGET = 0.02
SHOWN_TARGET_MS, STOP_TARGET_MS = 100.0, 50.0
PAINTED_TARGET_S = 1.0
# The largest contentful paint of the page, s after it was asked for, once nothing follows; and
# when the browser began to fetch it.
PAINTED = """
new Promise((done) => {
  let last = 0;
  new PerformanceObserver((list) => {
    for (const each of list.getEntries()) last = each.startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  const begun = performance.getEntriesByType('navigation')[0].fetchStart;
  setTimeout(() => done([last / 1000, begun / 1000]), 2000);
})
"""
# For each event that is new on the page: how long after its time the page had drawn it.
WATCH = """
window.shown = [];
let stamps = [];
const { stage } = livePage;
const [patch, show] = [stage.model.patch.bind(stage.model), stage.show.bind(stage)];
stage.model.patch = (new_) => {
  patch(new_);
  stamps.push(...(new_.lists.events || []).map((each) => each[0]));
};
stage.show = () => {
  show();
  for (const ts of stamps.splice(0)) window.shown.push(Date.now() / 1000 - ts);
};
"""


def run() -> bool:
    """Measure and print; True if every target is met."""
    if not CHROMIUM:
        print('chromium is not installed: the live page cannot be measured')
        return report('event → in the document, p99', math.nan, 'ms', at_most=SHOWN_TARGET_MS)
    with tempfile.TemporaryDirectory() as name, listen_on(0) as free:
        port = free.getsockname()[1]
        free.close()
        folder = Path(name)
        ticks = folder / 'ticks'
        timed = StandIn('bench._timed_executive', {_timed_executive.VARIABLE: str(ticks)})
        system = DrivenSystem(folder, NAMES, (), {'executive': timed})
        try:
            system.find_services()
            met = _answers(system, folder, port)
            return _ticks(system, folder, port, ticks) and met
        finally:
            system.end()


def _answers(system: DrivenSystem, folder: Path, port: int) -> bool:
    """How soon an event is on the page, and a stop at the rover."""
    with _server(folder, port):
        _wait_until_served(system, port)
        with running_browser(folder) as browser:
            return _answers_in(system, browser, port)


def _answers_in(system: DrivenSystem, browser: Browser, port: int) -> bool:
    page = _opened(browser.page(), port)
    painted, begun = page.do(PAINTED)
    page.do(WATCH)
    with ThreadPoolExecutor(1) as beside:
        for number in range(GOALS):
            system.begin_goal('demo_ground_texture')
            shown = _meanwhile(system, beside, partial(_shown, page, number + 1))
        system.carry_out('mast_close')
        stops = [_stop(system, beside, page) for _ in range(STOPS)]
    met = report(
        'largest contentful paint in a browser just started',
        painted,
        's',
        at_most=PAINTED_TARGET_S,
    )
    report('of it, before the browser asked for the page', begun, 's')
    met &= report_times(
        'event → in the document', [each * 1e3 for each in shown], p99=SHOWN_TARGET_MS
    )
    presses = [each * 1e3 for each in stops]
    met &= report_times('stop pressed → at the rover', presses, p99=STOP_TARGET_MS)
    return met


def _ticks(system: DrivenSystem, folder: Path, port: int, path: Path) -> bool:
    """The cost of pages in the tick: what depends on viewers, beside the rest of the same ticks.

    Alone and with the pages, in turn. The rest is slowed by whatever else the machine does, the
    server and the readers of the pages included, as much as what is measured beside it.
    """
    alone: list[Sequence[Tick]] = []
    watched: list[Sequence[Tick]] = []
    for _ in range(ROUNDS):
        if random.random() < 0.5:
            alone.append(_stretch(system, path))
            watched += _watched(system, folder, port, path)
            alone.append(_stretch(system, path))
        else:
            watched += _watched(system, folder, port, path, 1)
            alone += [_stretch(system, path), _stretch(system, path)]
            watched += _watched(system, folder, port, path, 1)
    for name, stretches in (('alone', alone), (f'with {PAGES} pages', watched)):
        some = [tick for stretch in stretches for tick in stretch]
        length = statistics.median(each.length_s for each in some)
        report(f'tick {name}, median of {len(some)}', length * 1e3, 'ms')
    met = True
    for what, share, target in (
        ('of its thread (heartbeat and state, too)', _of_thread, None),
        ('of the tick', _of_tick, TICK_TARGET * 100.0),
    ):
        more, low, high = _more(alone, watched, share)
        met &= report(f'more {what} by the pages', more, '%', at_most=target)
        report(f'more {what}: 95 % of draws from', low, '%')
        report(f'more {what}: to', high, '%')
    return met


def _of_tick(ticks: Sequence[Tick]) -> float:
    """The cost of showing, as a share of the rest of the thread's work."""
    return sum(each.showing_s for each in ticks) / _rest_s(ticks)


def _of_thread(ticks: Sequence[Tick]) -> float:
    return sum(each.showing_s + each.sending_s for each in ticks) / _rest_s(ticks)


def _rest_s(ticks: Sequence[Tick]) -> float:
    return sum(each.processor_s - each.showing_s - each.sending_s for each in ticks)


def _more(
    alone: Sequence[Sequence[Tick]],
    watched: Sequence[Sequence[Tick]],
    share: Callable[[Sequence[Tick]], float],
) -> tuple[float, float, float]:
    """How much more there is, in %, and the interval in which 95 % of draws of it lie."""
    pairs = list(zip(map(share, alone), map(share, watched), strict=True))

    def more(some: Sequence[tuple[float, float]]) -> float:
        one, other = (statistics.fmean(each) for each in zip(*some, strict=True))
        return ((1.0 + other) / (1.0 + one) - 1.0) * 100.0

    drawn = sorted(more(random.choices(pairs, k=len(pairs))) for _ in range(DRAWS))
    return more(pairs), drawn[DRAWS // 40], drawn[-DRAWS // 40]


def _stretch(system: DrivenSystem, path: Path) -> Sequence[Tick]:
    system.wait(SETTLE_S)
    began = time.monotonic()
    system.wait(STRETCH_S)
    return _timed_executive.ticks_between(path, began, time.monotonic())


def _watched(
    system: DrivenSystem, folder: Path, port: int, path: Path, stretches: int = 2
) -> Iterator[Sequence[Tick]]:
    """Stretches with all pages open."""
    with _server(folder, port):
        _wait_until_served(system, port)
        with _open_pages(port):
            for _ in range(stretches):
                yield _stretch(system, path)


@contextmanager
def _server(folder: Path, port: int) -> Iterator[None]:
    command = [sys.executable, '-m', 'bt_executive', 'web', '--port', str(port)]
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


def _wait_until_served(system: DrivenSystem, port: int) -> None:
    """Wait until the server knows the robot and its camera."""
    with _connected(system, port) as feed:
        deadline = time.monotonic() + SERVED_WITHIN_S
        while time.monotonic() < deadline:
            desk = json.loads(feed.recv(SERVED_WITHIN_S)).get('desk', {})
            if desk.get('presence') == 'ready' and desk['camera']:
                return
    raise TimeoutError(f'not within {SERVED_WITHIN_S:g} s: the server has a picture')


def _opened(page: Page, port: int) -> Page:
    page.open(link(port, TOKEN))
    page.until("document.querySelector('.connection.ready')")
    return page


@contextmanager
def _open_pages(port: int) -> Iterator[None]:
    """Open so many pages, in a process of their own."""
    command = [sys.executable, '-m', 'bench._open_pages']
    command += [f'http://127.0.0.1:{port}', f'bt_executive_{port}={TOKEN}', str(PAGES)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stdout.readline().strip() == 'open'
        yield
        process.stdin.close()
        if int(process.stdout.read()) == 0:
            raise RuntimeError('a page was told nothing')


def _connected(system: DrivenSystem, port: int) -> ClientConnection:
    """A page's connection, as soon as the server listens."""
    found: list[ClientConnection] = []

    def is_open() -> bool:
        with suppress(OSError):
            found.append(
                connect(
                    f'ws://127.0.0.1:{port}/feed',
                    origin=Origin(f'http://127.0.0.1:{port}'),
                    additional_headers={'Cookie': f'bt_executive_{port}={TOKEN}'},
                    max_size=None,
                    ping_interval=None,
                )
            )
        return bool(found)

    system.until(is_open, 'the server listens')
    return found[0]


def _meanwhile(system: DrivenSystem, beside: ThreadPoolExecutor, do: Callable[[], Any]) -> Any:
    """Does something while this process goes on to be the rover."""
    doing: Future[Any] = beside.submit(do)
    system.until(doing.done, 'done beside')
    return doing.result()


def _shown(page: Page, goals: int) -> Sequence[float]:
    """Delay of each event on the page, after so many goals."""
    over = 'livePage.stage.model.data.goals.filter((goal) => goal.story.over)'
    page.until(f'{over}.length >= {goals}', 120.0)
    shown: list[float] = page.do('window.shown')
    return shown


def _stop(system: DrivenSystem, beside: ThreadPoolExecutor, page: Page) -> float:
    """From pressing the button to the rover's service, s."""
    ending = _drive(system)
    system.control.stopped_at = None
    offset = time.time() - time.monotonic()
    pressed = _meanwhile(system, beside, lambda: page.do('(livePage.stop(), Date.now() / 1000)'))
    system.until(lambda: system.control.stopped_at is not None, 'the rover is told to stop')
    system.result(ending)
    assert system.control.stopped_at is not None
    return system.control.stopped_at + offset - float(pressed)


def _drive(system: DrivenSystem) -> rclpy.task.Future:
    """A motion that is executing: the last stop, on its other paths, may end one or two before."""
    deadline = time.monotonic() + DRIVES_WITHIN_S
    while time.monotonic() < deadline:
        ending = system.begin('move_forward', duration_s=20.0)
        if _is_driving(system, ending):
            return ending
        system.result(ending)
    raise TimeoutError(f'not within {DRIVES_WITHIN_S:g} s: it drives')


def _is_driving(system: DrivenSystem, ending: rclpy.task.Future) -> bool:
    system.until(lambda: system.control.driving or ending.done(), 'it drives')
    system.wait(SETTLED_S)
    return system.control.driving and not ending.done()
