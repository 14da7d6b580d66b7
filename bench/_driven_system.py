"""The whole system as processes, driven and killed from here; the rover's services are here too.

This process serves the rover's motion and mast services, with the latching of the demo, and
notes when a stop is asked of them, unless the control nodes are a process like the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
import json
import os
from pathlib import Path
import signal
import time
from typing import Any
import uuid

from bt_executive_interfaces.action import ExecuteGoal
from bt_executive_interfaces.msg import Heartbeat
import psutil
import rclpy
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_srvs.srv import Trigger

from bench._warm_parent import warm_parent
from bt_executive.launching.system_processes import children_environment, node_named
from curiosity_sim.control_node import ControlNode
from rover_common.config.load import load_config
from rover_common.process.new_run_folder import make_run_folder
from rover_common.process.warm_parent import Program
from rover_common.ros.heartbeat_setpoint_and_status import HEARTBEAT, LATEST
from rover_common.ros.run_node import NodeOptions

SERVICES = ('stop', 'pause', 'resume', 'safe_stop', 'reset')
JOURNAL = 'journal.sqlite'  # of the executive, in the run folder
BOUND_S = 180.0  # generous: a busy machine takes its time to start a process
ACCEPTED_WITHIN_S = 10.0


@dataclass(frozen=True)
class StandIn:
    """A module that runs in place of a node, with its environment variables."""

    module: str
    environment: Mapping[str, str] = field(default_factory=dict)


class WatchedControl(ControlNode):
    """The control stand-in, which also remembers its motion and when it was told to stop.

    `asked`: how often each service was asked for; `asked_at`: the steady time of the last.
    """

    def __init__(self, options: NodeOptions) -> None:
        self.stopped_at: float | None = None
        self.asked: Counter[str] = Counter()
        self.asked_at: dict[str, float] = {}
        super().__init__(options)

    @property
    def driving(self) -> bool:
        """Whether a motion is latched."""
        return self._latched is not None

    def _serve(self, name: str, action: Callable[[], Awaitable[None]]) -> None:
        async def counted() -> None:
            self.asked_at[name] = time.monotonic()
            self.asked[name] += 1
            await action()

        super()._serve(name, counted)

    async def _stop(self) -> None:
        if self.stopped_at is None:
            self.stopped_at = time.monotonic()
        await super()._stop()


class DrivenSystem:
    """Processes by the names of `bt-executive up`, and a client of the executive.

    Args:
        folder: Of the run, and of the processes' logs.
        names: Of the processes to start.
        settings: `--set` arguments of all of them.
        through: By name, a command through which that process is started, from nothing then.
        stand_ins: By name, what is started in place of that process.
        config: Folder of the configuration; None: the shipped one.
        space: ROS namespace of all of them.
    """

    def __init__(
        self,
        folder: Path,
        names: Sequence[str],
        settings: Sequence[str],
        stand_ins: Mapping[str, StandIn] | None = None,
        config: Path | None = None,
        through: Mapping[str, Sequence[str]] | None = None,
        space: str = '',
    ) -> None:
        self._folder = make_run_folder(folder)
        self._through = through or {}
        self._stand_ins = stand_ins or {}
        settings = (f'journal.file={folder / JOURNAL}', *settings)  # no other bench's goals
        overrides = [argument for each in settings for argument in ('--set', each)]
        self._arguments = ['--run-dir', str(folder), *overrides]
        self._arguments += ['--config', str(config)] if config else []
        self._arguments += ['--ros-args', '-r', f'__ns:=/{space}'] if space else []
        self._processes: dict[str, psutil.Process] = {}
        os.environ.update(children_environment(os.environ))
        warm_parent()
        if not rclpy.ok():
            rclpy.init()
        self._node = Node('driver', namespace=space)
        self._node.create_subscription(Heartbeat, HEARTBEAT, self._apply_heartbeat, LATEST)
        self._goals = ActionClient(self._node, ExecuteGoal, 'executive/execute_goal')
        self._services = {
            name: self._node.create_client(Trigger, f'executive/{name}') for name in SERVICES
        }
        self._executor = SingleThreadedExecutor()
        self._nodes: list[Node] = [self._node]
        if 'curiosity_control' not in names:
            self.control = WatchedControl(NodeOptions(load_config(None, list(settings)), None))
            self._nodes.append(self.control)
        for node in self._nodes:
            self._executor.add_node(node)
        self._living = self._dead = ''  # runs of the executive, by the marks of their heartbeats
        for name in names:
            self.start(name)

    def start(self, name: str, usual: bool = False) -> None:
        """Start a process, as the supervisor does. `usual`: the node itself, no stand-in."""
        own = StandIn(node_named(name).module)
        it = own if usual else self._stand_ins.get(name, own)
        program = Program(
            it.module, self._arguments, {**os.environ, **it.environment}, os.getcwd()
        )
        with (self._folder / f'{name}.log').open('ab') as log, open(os.devnull, 'rb') as nothing:
            if name in self._through:
                self._processes[name] = psutil.Popen(
                    [*self._through[name], *program.command],
                    stdout=log,
                    stderr=log,
                    env=program.environment,
                )
                return
            pid = warm_parent().start(program, nothing.fileno(), log.fileno(), log.fileno())
            self._processes[name] = psutil.Process(pid)

    def kill(self, name: str) -> float:
        """Ends it by kill -9; returns the steady time just before it."""
        if name == 'executive':
            self._living, self._dead = '', self._living
        at = time.monotonic()
        os.kill(self._processes[name].pid, signal.SIGKILL)
        self._processes[name].wait()
        return at

    def is_alive(self, name: str) -> bool:
        """Whether the process runs."""
        try:
            self._processes[name].wait(timeout=0)
        except psutil.TimeoutExpired:
            return True
        return False

    def signal(self, name: str, number: signal.Signals) -> None:
        """Sends a signal to a process."""
        os.kill(self._processes[name].pid, number)

    def until(self, done: Callable[[], Any], what: str, bound_s: float = BOUND_S) -> None:
        """Works until something holds.

        Raises:
            TimeoutError: It does not within the bound.
        """
        deadline = time.monotonic() + bound_s
        while not done():
            if time.monotonic() > deadline:
                raise TimeoutError(f'not within {bound_s:g} s: {what}')
            self._executor.spin_once(timeout_sec=0.002)

    def wait(self, seconds: float) -> None:
        """Works for a while."""
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() >= end, 'the time has passed')

    def send(self, tool: str, priority: int = 0, **arguments: Any) -> rclpy.task.Future:
        """Sends one tool as a goal, once; returns the future of its acceptance."""
        return self._goals.send_goal_async(_tool_goal(tool, arguments, priority))

    def ask(self, service: str) -> rclpy.task.Future:
        """Calls one of the executive's Trigger services."""
        return self._services[service].call_async(Trigger.Request())

    def find_services(self) -> None:
        """Wait until the executive's services are discovered: earlier requests are lost."""
        for client in self._services.values():
            self.until(client.service_is_ready, client.srv_name)

    def watch(self, type_: type, topic: str, take: Callable[[Any], None]) -> None:
        """Listens to a topic."""
        self.listen(type_, topic, take, 10)

    def listen(
        self, type_: type, topic: str, take: Callable[[Any], None], qos: QoSProfile | int
    ) -> None:
        """Subscribe to a topic with a profile of its own."""
        self._node.create_subscription(type_, topic, take, qos)

    def begin_goal(self, text: str) -> str:
        """Send a goal as text, until it is accepted; return its id in the trace."""
        return task_id(self._accepted(lambda: ExecuteGoal.Goal(goal=text, sender='operator')))

    def pursue(self, text: str) -> rclpy.task.Future:
        """Send a goal as text, until it is accepted; return the future of its result."""
        goal = ExecuteGoal.Goal(goal=text, sender='operator')
        return self._accepted(lambda: goal).get_result_async()

    def begin_tool(self, tool: str, **arguments: Any) -> tuple[str, ClientGoalHandle]:
        """Sends one tool as a goal, until it is accepted; returns its id in the trace, too."""
        handle = self._accepted(lambda: _tool_goal(tool, arguments))
        return task_id(handle), handle

    def begin(self, tool: str, **arguments: Any) -> rclpy.task.Future:
        """Sends one tool as a goal; returns the future of its result."""
        return self.begin_tool(tool, **arguments)[1].get_result_async()

    def _accepted(self, make: Callable[[], ExecuteGoal.Goal]) -> ClientGoalHandle:
        """A goal that was accepted.

        A server that was just killed is in the graph for a while and takes no goal, so the
        request is repeated until one is accepted.
        """
        self.until(
            lambda: self._living and self._goals.server_is_ready(), 'the executive is there'
        )
        deadline = time.monotonic() + BOUND_S
        while time.monotonic() < deadline:
            sent = self._goals.send_goal_async(make())
            self._await(sent, ACCEPTED_WITHIN_S, 'an answer')
            if sent.done() and sent.result().accepted:
                return sent.result()
        raise TimeoutError(f'no executive accepts {make()}')

    def _await(self, answer: rclpy.task.Future, longest_s: float, what: str) -> None:
        """Waits for an answer, but not for longer than that."""
        end = time.monotonic() + longest_s
        self.until(lambda: answer.done() or time.monotonic() > end, what)

    def result(self, ending: rclpy.task.Future) -> ExecuteGoal.Result:
        """Waits for a goal's end."""
        self.until(ending.done, 'the goal has ended')
        return ending.result().result

    def carry_out(self, tool: str, **arguments: Any) -> ExecuteGoal.Result:
        """Runs one tool to its end."""
        return self.result(self.begin(tool, **arguments))

    def reset(self) -> bool:
        """Reset the executive from SAFE; False if it refuses or does not answer."""
        answer = self.ask('reset')
        self._await(answer, ACCEPTED_WITHIN_S, 'an answer')
        return bool(answer.done() and answer.result().success)

    def end(self) -> None:
        """Ends every process."""
        for process in self._processes.values():
            with suppress(psutil.NoSuchProcess):
                process.terminate()
        for process in self._processes.values():
            process.wait(15.0)
        self._executor.shutdown()
        for node in self._nodes:
            node.destroy_node()
        rclpy.try_shutdown()

    def _apply_heartbeat(self, heartbeat: Heartbeat) -> None:
        if heartbeat.sender != self._dead:
            self._living = heartbeat.sender


def _tool_goal(tool: str, arguments: Mapping[str, Any], priority: int = 0) -> ExecuteGoal.Goal:
    text = json.dumps(arguments)
    return ExecuteGoal.Goal(
        goal=tool, tool=tool, arguments=text, priority=priority, sender='operator'
    )


def task_id(handle: ClientGoalHandle) -> str:
    """Return the id of a goal, as the trace and the ends of goals have it."""
    return str(uuid.UUID(bytes=bytes(handle.goal_id.uuid.tolist())))
