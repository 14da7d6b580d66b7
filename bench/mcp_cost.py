"""What the agents' door costs: a client's call → the request at the rover's service.

The same tools go through the action ~/execute_goal in turn with it; the difference is the cost.
Client and server are real processes with the official SDK over stdio.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future
from itertools import cycle
import os
from pathlib import Path
import statistics
import sys
import tempfile
import threading
import time

from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult

from bench._driven_system import DrivenSystem
from bench._figures import report, report_times

TRIALS = 40
TARGET_MS = 5.0
NAMES = ('executive', 'curiosity_adapter', 'rover', 'environment_simulator')
SETTINGS = ('rover.camera.width=160', 'rover.camera.height=120')
TOOLS = ('mast_close', 'mast_open')


class Agent:
    """An MCP client in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._client: Client | None = None
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._live(),))
        self._thread.start()

    @property
    def is_there(self) -> bool:
        """Whether it has found its server."""
        return self._client is not None

    def begin(self, tool: str) -> Future[CallToolResult]:
        """Calls a tool."""
        assert self._client is not None
        return asyncio.run_coroutine_threadsafe(self._client.call_tool(tool), self._loop)

    def end(self) -> None:
        """Leaves."""
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    async def _live(self) -> None:
        command = StdioServerParameters(
            command=sys.executable,
            args=['-m', 'bt_executive', 'mcp'],
            env=dict(os.environ),
        )
        async with Client(command) as client:
            await client.list_tools()
            self._client = client
            await self._over.wait()


def run() -> bool:
    """Measures both ways in turn."""
    with tempfile.TemporaryDirectory() as folder:
        system = DrivenSystem(Path(folder), NAMES, SETTINGS)
        agent = Agent()
        try:
            system.until(lambda: agent.is_there, 'the agent has its server')
            system.carry_out('mast_close')
            system.until(agent.begin('mast_open').done, 'the first call is done')
            action, mcp = _measure(system, agent)
        finally:
            agent.end()
            system.end()
    report_times('action ~/execute_goal → rover', action)
    report_times('MCP client → rover', mcp)
    more = statistics.median(mcp) - statistics.median(action)
    return report('more by MCP, of the medians', more, 'ms', at_most=TARGET_MS)


def _measure(system: DrivenSystem, agent: Agent) -> tuple[list[float], list[float]]:
    ways: tuple[list[float], list[float]] = ([], [])
    tools: Iterator[str] = cycle(TOOLS)
    for _ in range(TRIALS):
        tool = next(tools)
        began = time.monotonic()
        accepted = system.send(tool)
        ways[0].append(_reached(system, tool, began))
        system.until(accepted.done, 'the goal is accepted')
        system.result(accepted.result().get_result_async())
        tool = next(tools)
        began = time.monotonic()
        called = agent.begin(tool)
        ways[1].append(_reached(system, tool, began))
        system.until(called.done, 'the call is done')
    return ways


def _reached(system: DrivenSystem, tool: str, began: float) -> float:
    """Milliseconds until the rover's service was called."""
    at = system.control.asked_at
    system.until(lambda: at.get(tool, 0.0) >= began, f'{tool} is asked of the rover')
    return (at[tool] - began) * 1000.0


def _formatted(figures: list[float]) -> str:
    worst = statistics.quantiles(figures, n=20)[-1]
    return f'median {statistics.median(figures):.1f} ms, p95 {worst:.1f} ms'
