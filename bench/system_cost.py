"""What a system costs that nobody has given anything to do: until it is ready, and at rest.

`bt-executive up` as a user starts it, with and without the embedded rover, seen from outside: all
its processes, by the kernel's counts. In the same run two floors: nodes of rclpy that do nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
import signal
import subprocess
import sys
import tempfile
import time

import psutil

from bench._figures import report

READY = 'The executive is ready'
START_LIMIT_S, END_LIMIT_S = 120.0, 60.0
SETTLE_S, SECONDS = 10.0, 20.0
READY_S, READY_CPU_S, PSS_MB = 3.0, 4.0, 400.0
BARE_NODES = 10
BARE_NODE = "import rclpy; rclpy.init(); rclpy.spin(rclpy.create_node('bare'))"
# What is started, and what it may take at rest, in % of a core.
SYSTEMS: Sequence[tuple[str, Sequence[str], float]] = (
    ('with the rover', (), 12.0),
    ('without a rover', ('--no-rover',), 5.0),
)


def run() -> bool:
    """Measures the floors and then each system."""
    for count in (1, BARE_NODES):
        with _bare_nodes(count) as processes:
            _report_rest(f'bare nodes of rclpy, {count}', processes)
    met = [_measure(*system) for system in SYSTEMS]
    return all(met)


def _measure(name: str, options: Sequence[str], rest_pct: float) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        with _system(Path(folder), options) as (system, output):
            _wait_until_ready(system, output)
            taken_s = time.monotonic() - began
            used_s = _used_s(_all_of(system))
            met = [
                report(f'{name}: until it is ready', taken_s, 's', at_most=READY_S),
                report(f'{name}: processor time until then', used_s, 's', at_most=READY_CPU_S),
                _report_rest(name, _all_of(system), rest_pct, PSS_MB),
            ]
    return all(met)


@contextmanager
def _bare_nodes(count: int) -> Iterator[list[psutil.Process]]:
    nodes = [subprocess.Popen([sys.executable, '-c', BARE_NODE]) for _ in range(count)]
    try:
        yield [psutil.Process(node.pid) for node in nodes]
    finally:
        for node in nodes:
            node.kill()
            node.wait()


@contextmanager
def _system(folder: Path, options: Sequence[str]) -> Iterator[tuple[psutil.Process, Path]]:
    """The first process of a system, and the file with what it prints."""
    output = folder / 'output'
    command = ('-m', 'bt_executive', 'up', '--run-dir', str(folder / 'run'))
    vision = ('--set', 'vision.port=0')  # any free one
    with output.open('wb') as file:
        process = subprocess.Popen(
            [sys.executable, *command, *vision, *options],
            stdin=subprocess.PIPE,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    try:
        yield psutil.Process(process.pid), output
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(END_LIMIT_S)
        except subprocess.TimeoutExpired:
            for each in [*_all_of(psutil.Process(process.pid))]:
                each.kill()


def _wait_until_ready(system: psutil.Process, output: Path) -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while READY not in (log := output.read_text(encoding='utf-8', errors='replace')):
        if not system.is_running() or time.monotonic() > deadline:
            raise RuntimeError(f'It is not ready:\n{log}')
        time.sleep(0.02)


def _all_of(system: psutil.Process) -> list[psutil.Process]:
    return [system, *system.children(recursive=True)]


def _used_s(processes: Sequence[psutil.Process]) -> float:
    """Processor time of these processes, and of those of their children that have ended."""
    return float(sum(sum(each.cpu_times()[:4]) for each in processes))


def _report_rest(
    name: str,
    processes: Sequence[psutil.Process],
    most_pct: float | None = None,
    most_mb: float | None = None,
) -> bool:
    time.sleep(SETTLE_S)
    before, began = _used_s(processes), time.monotonic()
    time.sleep(SECONDS)
    percent = 100.0 * (_used_s(processes) - before) / (time.monotonic() - began)
    pss_mb = sum(each.memory_full_info().pss for each in processes) / 1e6
    met = report(f'{name}: at rest, of a core', percent, '%', at_most=most_pct)
    return report(f'{name}: memory (PSS)', pss_mb, 'MB', at_most=most_mb) and met


if __name__ == '__main__':
    sys.exit(not run())
