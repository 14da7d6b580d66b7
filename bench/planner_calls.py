"""How long the planner holds its caller up while its model hangs; how soon a cancel ends it."""

from __future__ import annotations

from collections.abc import Callable
import os
import socket
import threading
import time

from bench._figures import report
from bt_executive.core.executive_ports import Planner, PlannerContext
from bt_executive.planner.configured_planner import make_source
from bt_executive.planner.rosa_planner import RosaPlanner
from rover_common.config.load import load_config

ROUNDS = 50
CALL_TARGET_S = 0.05
THREAD_TARGET_S = 1.0
PROVIDER = 'openai'


def run() -> bool:
    """Start and cancel goals with a server that accepts every connection and never answers."""
    os.environ['OPENAI_API_KEY'] = 'none'
    with socket.create_server(('127.0.0.1', 0), backlog=128) as silent:
        config = load_config(
            overrides=[
                f'planner.provider={PROVIDER}',
                'planner.model=none',
                f'planner.base_url=http://127.0.0.1:{silent.getsockname()[1]}/v1',
            ]
        )
        source = make_source(config.executive.planner, os.environ)
        planner = RosaPlanner(source, config, lambda: None)
        try:
            rounds = [_round(planner, silent) for _ in range(1 + ROUNDS)][1:]  # the first loads
        finally:
            planner.close()
    met = True
    targets = (CALL_TARGET_S, CALL_TARGET_S, CALL_TARGET_S, THREAD_TARGET_S)
    names = ('start', 'poll', 'cancel', 'cancel -> thread ended')
    for name, times, target in zip(names, zip(*rounds, strict=True), targets, strict=True):
        median = sorted(times)[len(times) // 2]
        report(f'{name}, median', median * 1e3, 'ms')
        met &= report(f'{name}, longest', max(times) * 1e3, 'ms', at_most=target * 1e3)
    return met


def _round(planner: Planner, silent: socket.socket) -> tuple[float, float, float, float]:
    start = _spent(lambda: planner.start('What is your status?', PlannerContext(())))
    connection, _ = silent.accept()  # now it hangs in the call
    poll = _spent(planner.poll)
    begun = time.perf_counter()
    cancel = _spent(planner.cancel)
    while any(each.name.startswith('planner-') for each in threading.enumerate()):
        time.sleep(0.001)
    ended = time.perf_counter() - begun
    connection.close()
    return start, poll, cancel, ended


def _spent(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun
