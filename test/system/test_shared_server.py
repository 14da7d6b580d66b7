"""Two `up`, one robot each, on one graph with one shared action server: each stops its own alone.

One pair of systems for all cases. What works does so until its goal is cancelled.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
import time
from typing import Any

from bt_executive_interfaces.action import DriveMotion
from bt_executive_interfaces.msg import AdapterStatus
from domains import next_domain
import pytest
import rclpy
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.node import Node
from rclpy.task import Future
from spinning import spinning
from waiting import wait_until

from rover_common.ros.low_latency_executor import LowLatencyExecutor
from rover_common.ros.qos import LATCHED

pytestmark = [pytest.mark.ros, pytest.mark.system]

ROBOTS = {'ada': 1.0, 'bob': 2.0}  # by the constant that their goals have
ROBOT = """
robot: %s
gates: { arm: { action: /work } }
tools:
  work:
    gate: arm
    action: { name: /work, type: bt_executive_interfaces/action/DriveMotion }
    set: { radius_m: %s }
    timeout_s: 3600.0
"""
ENDS_WITHIN_S = 0.5  # beside a machine that does not let the gate run, more: tried again
TRIES = 5


class SharedServer(Node):
    """The server, and who looks at what each robot's gates report.

    Attributes:
        cancelled: The robots of which a goal was cancelled, each time.
        ended_at: When it was the last time, steady s.
        silences: By robot, the motions that its gate ended because its executive was silent.
    """

    def __init__(self, context: Context) -> None:
        super().__init__('shared', context=context)
        self.cancelled: list[str] = []
        self.ended_at = dict.fromkeys(ROBOTS, 0.0)
        self.silences: dict[str, set[tuple[str, int]]] = {name: set() for name in ROBOTS}
        self._goals: dict[str, list[Future]] = {name: [] for name in ROBOTS}
        self._server = ActionServer(
            self,
            DriveMotion,
            '/work',
            execute_callback=self._execute,
            cancel_callback=self._cancel,
            callback_group=ReentrantCallbackGroup(),
        )

        for name in ROBOTS:
            self.create_subscription(
                AdapterStatus, f'/{name}/adapter/status', partial(self._reported, name), LATCHED
            )

    def _reported(self, name: str, status: AdapterStatus) -> None:
        if status.ending.code == 'GAP':
            self.silences[name].add((status.ending.sender, status.ending.permit))

    def works(self, name: str) -> bool:
        """Return whether a robot has a goal that was not cancelled."""
        return bool(self._goals[name])

    async def _execute(self, handle: ServerGoalHandle) -> DriveMotion.Result:
        done = Future()
        self._goals[_whose(handle)].append(done)
        await done
        handle.canceled()
        return DriveMotion.Result()

    def _cancel(self, handle: ServerGoalHandle) -> CancelResponse:
        name = _whose(handle)
        self.cancelled.append(name)
        self.ended_at[name] = time.monotonic()
        while self._goals[name]:
            self._goals[name].pop().set_result(None)
        return CancelResponse.ACCEPT


def _whose(handle: ServerGoalHandle) -> str:
    return next(name for name, mark in ROBOTS.items() if mark == handle.request.radius_m)


class Pair:
    """The two systems, and what both of them use."""

    def __init__(self, runs: dict[str, Any], server: SharedServer) -> None:
        self.runs, self.server = runs, server
        self._typed = dict.fromkeys(runs, 0)  # goals, each of which ends once

    def set_off(self, name: str) -> None:
        """Asks for work until a robot has it: after a restart its guards wait."""
        run = self.runs[name]

        def works() -> bool:
            if not self.server.works(name) and len(run.goal_ends()) >= self._typed[name]:
                self._typed[name] += 1
                run.write(':reset\n:tool work\n')
            return self.server.works(name)

        wait_until(works, lambda: f'{name} works:\n{run.output}', 90.0, 0.05)

    def process(self, name: str) -> Any:
        """The executive of a robot."""
        found: dict[str, Any] = {}

        def there() -> bool:
            found.update(self.runs[name].processes())
            return 'executive_node' in found

        wait_until(there, f'the executive of {name} runs', 60.0, 0.05)
        return found['executive_node']

    def ends_alone(self, name: str, what: str, happens: Callable[[], Callable[[], None]]) -> None:
        """Something happens to one robot's executive; what it returns is done afterwards."""
        (other,) = set(ROBOTS) - {name}
        took = []
        for _ in range(TRIES):
            for each in (name, other):
                self.set_off(each)
            of_other, silences = self.server.cancelled.count(other), self._silences(other)
            since = time.monotonic()
            after = happens()
            wait_until(lambda: not self.server.works(name), f'{what}: {name} stops', 30.0, 0.02)
            took.append(self.server.ended_at[name] - since)
            after()
            if self.server.cancelled.count(other) > of_other:
                # Only because the machine did not let its own executive run.
                wait_until(lambda: self._silences(other) > silences, f'{what}: {other} goes on')  # noqa: B023
            elif took[-1] <= ENDS_WITHIN_S:
                return
        raise AssertionError(f'{what}: {name} went on for {took} s')

    def _silences(self, name: str) -> int:
        return len(self.server.silences[name])

    def kill(self) -> Callable[[], None]:
        """Ends ada's executive at once; the next one starts by itself."""
        self.runs['ada'].kill('executive_node')
        return lambda: None

    def suspend(self) -> Callable[[], None]:
        """Lets ada's executive stand still until it is resumed."""
        process = self.process('ada')
        process.suspend()
        return lambda: process.resume()

    def type(self, name: str, line: str) -> Callable[[], None]:
        """Types a line."""
        self.runs[name].write(line)
        return lambda: None


def test_each_executive_stops_its_own_robot_alone(
    start: Callable[..., Any], tmp_path: Path
) -> None:
    domain, runs = next_domain(), {}
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain)
    server, executor = SharedServer(context), LowLatencyExecutor(context=context)
    executor.add_node(server)
    for name, mark in ROBOTS.items():
        file = tmp_path / f'{name}.yaml'
        file.write_text(ROBOT % (name, mark))
        journal = f'journal.file="{tmp_path}/{name}.sqlite"'
        options = ('--config', str(file), '--without', 'memory', '--set', journal)
        space = ('--ros-args', '-r', f'__ns:=/{name}')
        runs[name] = start('up', *options, *space, bare=True, domain=domain)
    with spinning(executor):
        pair = Pair(runs, server)
        pair.ends_alone('ada', 'a stop', lambda: pair.type('ada', ':stop\n'))
        pair.ends_alone('ada', 'its executive is killed', pair.kill)
        pair.ends_alone('ada', 'its executive is suspended', pair.suspend)
        pair.ends_alone('bob', 'a stop of the other', lambda: pair.type('bob', ':stop\n'))
        for run in runs.values():
            run.write(':stop\n:quit\n')
        for run in runs.values():
            assert run.finish() == 1, run.output  # goals were stopped
    executor.shutdown()
    server.destroy_node()
    context.try_shutdown()
