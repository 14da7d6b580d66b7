"""Executive and gates of a robot's folder in one executor, and a client that asks for tools."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
import json
from pathlib import Path

from action_servers import ask_for_result, in_executor, send_goal, wait_for_action
from bt_executive_interfaces.action import ExecuteGoal
from patient_gates import patient
import rclpy
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.task import Future
from spinning import spinning
from std_srvs.srv import Trigger
from waiting import wait_until

from bt_executive.ros.executive_node import ExecutiveNode
from gates.gates_node import GatesNode
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.ros.low_latency_executor import LowLatencyExecutor
from rover_common.ros.run_node import NodeOptions

PATIENT = (
    'guards.adapter_status_max_age_s=60',
    'guards.adapter_status_moving_max_age_s=60',
    'guards.server_wait_s=60',
)
GOALS = 'executive/execute_goal'


class RobotStage:
    """In the default context of rclpy.

    Args:
        robot: Its folder below config/robots.
        folder: For the run and the journal.
        sender: Whose goals they are, and the name of the client's node.
        stand_ins: Nodes that run in the same executor.
    """

    def __init__(self, robot: str, folder: Path, sender: str, *stand_ins: Node) -> None:
        robots = default_folder() / 'robots'
        config = load_config(robots / robot, (*PATIENT, f'journal.file="{folder}/journal"'))
        self.executive = ExecutiveNode(NodeOptions(config, folder / 'run'))
        self.gates = GatesNode(NodeOptions(patient(load_config(robots / robot)), None))
        self.node = Node(sender)
        self._sender = sender
        self._goals = ActionClient(self.node, ExecuteGoal, GOALS)
        self._stop = self.node.create_client(Trigger, 'executive/stop')
        self._nodes = (self.executive, self.gates, *stand_ins, self.node)

    def begin(self, tool: str, **arguments: str | float) -> Future:
        """Asks for a tool; returns the result that is to come."""
        wait_for_action(self._goals, self.node, GOALS)
        goal = ExecuteGoal.Goal(
            goal=tool, tool=tool, arguments=json.dumps(arguments), sender=self._sender
        )
        return ask_for_result(send_goal(self._goals, self.node, goal), self.node)

    def stop(self) -> None:
        wait_until(self._stop.service_is_ready, 'the stop is there')
        sent = in_executor(self.node, lambda: self._stop.call_async(Trigger.Request()))
        wait_until(sent.done, 'the stop is answered')

    @contextmanager
    def spun(self) -> Iterator[None]:
        """Spins everything; the executive is shut down at the end."""
        executor = LowLatencyExecutor()
        for each in self._nodes:
            executor.add_node(each)
        with spinning(executor):
            yield
        self.executive.shut_down(executor)
        executor.shutdown()
        for each in self._nodes:
            each.destroy_node()


@contextmanager
def initialised() -> Iterator[None]:
    """The default context of rclpy."""
    rclpy.init()
    try:
        yield
    finally:
        rclpy.try_shutdown()


def end_of(result: Future) -> tuple[str, str]:
    """Waits for the end of a goal; returns its outcome and the answer."""
    wait_until(result.done, 'the goal ends')
    end: ExecuteGoal.Result = result.result().result
    return end.outcome, end.answer
