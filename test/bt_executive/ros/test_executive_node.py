"""The node of the executive: its start, what it says of itself, what it answers at its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
import shutil
import sqlite3
import sys
import threading
from typing import Any

from bt_executive_interfaces.action import ExecuteGoal
from bt_executive_interfaces.msg import Heartbeat
from bt_executive_interfaces.srv import ResolveApproval
from fakes.core import ScriptedPlanner
import pytest
import rclpy
from rclpy._rclpy_pybind11 import RCLError
from rclpy.action import ActionClient
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.node import Node
from rclpy.qos import ReliabilityPolicy
from spinning import turn_of
from std_srvs.srv import Trigger
from waiting import wait_until
from warm import warm_run

from bt_executive.core.store_port import Durability
from bt_executive.ros.executive_node import CHANGEABLE, ExecutiveNode
from bt_executive.ros.tick_thread import END_S
from bt_executive.store.run_folder_formats import TRACE_FILE
from bt_executive.store.run_folder_writer import RunFolder
from bt_executive.store.sqlite_opening_and_faults import open_for_reading
from bt_executive.store.store_rows import read_parts
from bt_executive.tree.executive import ENDING, Executive
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.config.settings import BatteryLimits, GoalSettings
from rover_common.process.process_end import GRACE_S
from rover_common.ros.acknowledgements import LIMIT_S
from rover_common.ros.heartbeat_setpoint_and_status import HEARTBEAT
from rover_common.ros.low_latency_executor import LowLatencyExecutor
from rover_common.ros.qos import REPEATED
from rover_common.ros.run_node import NodeOptions

pytestmark = pytest.mark.ros
HEARTBEATS = 5


def test_an_idle_executive_beats_between_two_ticks_and_is_deaf_to_no_late_status(
    tmp_path: Path,
) -> None:
    rclpy.init()
    config = load_config(None, ['tick.period_s=600', 'tick.heartbeat_s=0.05'])
    node = ExecutiveNode(
        NodeOptions(config, tmp_path / 'run'), lambda _config, _wake: ScriptedPlanner([])
    )
    listener = Node('listener')
    heartbeats: list[Heartbeat] = []
    listener.create_subscription(Heartbeat, HEARTBEAT, heartbeats.append, REPEATED)
    executor = LowLatencyExecutor()
    for each in (node, listener):
        executor.add_node(each)
    try:
        wait_until(
            lambda: len(heartbeats) >= HEARTBEATS, 'heartbeats come', meanwhile=turn_of(executor)
        )
        (status,) = node.get_subscriptions_info_by_topic('/adapter/status')
        assert status.qos_profile.reliability is ReliabilityPolicy.BEST_EFFORT
    finally:
        node.shut_down(executor)
        executor.shutdown()
        for each in (node, listener):
            each.destroy_node()
        rclpy.try_shutdown()


def test_an_executive_whose_tick_thread_fails_closes_its_run_before_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_to_end = threading.Event()
    close = RunFolder.close
    closed: list[bool] = []

    def fail(*_: object) -> None:
        raise LookupError('a defect')

    def close_late(folder: RunFolder, limit_s: float) -> None:
        asked_to_end.wait()
        close(folder, limit_s)
        closed.append(True)

    monkeypatch.setattr(Executive, 'step', fail)
    monkeypatch.setattr(RunFolder, 'close', close_late)
    rclpy.init()
    node = ExecutiveNode(
        NodeOptions(load_config(None, []), tmp_path / 'run'), lambda *_: ScriptedPlanner([])
    )
    executor = LowLatencyExecutor()
    executor.add_node(node)
    with pytest.raises((ExternalShutdownException, RCLError)):  # wherever the executor just is
        wait_until(lambda: False, 'the fault ends ROS', meanwhile=turn_of(executor))
    asked_to_end.set()
    node.shut_down(executor)
    assert closed
    assert isinstance(node.fault, LookupError)
    executor.shutdown()
    node.destroy_node()


def test_every_fault_is_on_the_screen_and_the_exit_code_says_so(tmp_path: Path) -> None:
    folder = tmp_path / 'config'
    shutil.copytree(default_folder(), folder)
    text = (folder / 'robot.yaml').read_text(encoding='utf-8')
    text = text.replace('[camera]', '[kamera]', 1).replace('[mast]\n', '[mist]\n', 1)
    (folder / 'robot.yaml').write_text(
        text.replace('mast_open]', 'mast_opn]', 1), encoding='utf-8'
    )
    command = [sys.executable, '-m', 'bt_executive.ros.executive_node', '--config', str(folder)]
    ended = warm_run(
        [*command, '--run-dir', str(tmp_path / 'run')],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    assert "resource 'kamera' is not known; did you mean 'camera'?" in ended.stderr
    assert "guard 'mast_opn' is not known; did you mean 'mast_open'?" in ended.stderr
    assert 'Traceback' not in ended.stderr


def test_of_the_battery_all_but_the_tool_in_the_tree_may_change() -> None:
    changeable = {path[2] for path in CHANGEABLE if path[:2] == ('executive', 'battery')}
    assert changeable == BatteryLimits.model_fields.keys() - {'before_rest'}


def test_of_a_goal_its_budgets_may_change_and_the_sizes_that_are_accepted_may_not() -> None:
    changeable = {path[2] for path in CHANGEABLE if path[:2] == ('executive', 'goal')}
    sizes = {'max_chars', 'max_tool_chars', 'max_arguments_chars'}
    assert changeable == GoalSettings.model_fields.keys() - sizes


class Stage:
    """An executive with a journal, and somebody who asks."""

    def __init__(self, folder: Path, executor: Executor) -> None:
        self.journal = folder / 'journal.sqlite'
        config = load_config(None, [f'journal.file={self.journal}'])
        self.node = ExecutiveNode(
            NodeOptions(config, folder / 'run'), lambda _config, _wake: ScriptedPlanner([])
        )
        self.durable = self.node._store.store.durable
        self.executor = executor
        self.client = Node('client')
        for each in (self.node, self.client):
            executor.add_node(each)

    def ask(self, type_: Any, name: str, request: Any) -> Any:
        """What a service answers."""
        client = self.client.create_client(type_, f'executive/{name}')
        wait_until(client.service_is_ready, meanwhile=turn_of(self.executor))
        answer = client.call_async(request)
        wait_until(answer.done, meanwhile=turn_of(self.executor))
        return answer.result()

    def latch_on_disk(self) -> str:
        """Why SAFE is latched, for the next run."""
        with closing(open_for_reading(self.journal)) as connection:
            parts = read_parts(connection)
        return str(parts['mode'].value['safety_reason']) if 'mode' in parts else ''


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    rclpy.init()
    made = Stage(tmp_path, LowLatencyExecutor())
    yield made
    made.node.shut_down(made.executor)
    made.executor.shutdown()
    for each in (made.node, made.client):
        each.destroy_node()
    rclpy.try_shutdown()


def test_a_safe_stop_is_on_disk_when_it_is_answered(stage: Stage) -> None:
    answer = stage.ask(Trigger, 'safe_stop', Trigger.Request())
    assert (answer.success, answer.message) == (True, 'SAFE: stopped until :reset.')
    assert stage.latch_on_disk() == 'safe stop by the operator'


def test_whoever_asks_while_it_ends_is_refused_with_the_reason(stage: Stage) -> None:
    assert stage.ask(Trigger, 'pause', Trigger.Request()).success
    stage.node.inbox.close(ENDING)
    for name in ('stop', 'pause', 'resume', 'safe_stop', 'reset'):
        answer = stage.ask(Trigger, name, Trigger.Request())
        assert (answer.success, answer.message) == (False, ENDING), name
    request = ResolveApproval.Request(request_id='ask-1', action='approve')
    answer = stage.ask(ResolveApproval, 'resolve_approval', request)
    assert (answer.success, answer.message) == (False, ENDING)
    goals = ActionClient(stage.client, ExecuteGoal, 'executive/execute_goal')
    wait_until(goals.server_is_ready, meanwhile=turn_of(stage.executor))
    sent = goals.send_goal_async(ExecuteGoal.Goal(goal='look around'))
    wait_until(sent.done, meanwhile=turn_of(stage.executor))
    assert not sent.result().accepted
    goals.destroy()
    assert stage.latch_on_disk() == ''


def test_an_answer_that_waits_for_the_end_is_still_given(stage: Stage) -> None:
    client = stage.client.create_client(Trigger, 'executive/safe_stop')
    wait_until(client.service_is_ready, meanwhile=turn_of(stage.executor))
    store = stage.node._store.store
    store.durable = lambda ticket: Durability.WAITING  # type: ignore[method-assign] # hangs
    answer = client.call_async(Trigger.Request())
    wait_until(lambda: stage.node._replies.waiting, meanwhile=turn_of(stage.executor))
    store.durable = stage.durable  # type: ignore[method-assign]
    stage.node.shut_down(stage.executor)
    wait_until(answer.done, meanwhile=turn_of(stage.executor))
    assert answer.result().success
    assert stage.latch_on_disk() == 'safe stop by the operator'


@pytest.mark.parametrize('is_locked', [True, False])
def test_an_end_that_the_disk_has_not_taken_is_told(stage: Stage, is_locked: bool) -> None:
    with closing(sqlite3.connect(stage.journal, isolation_level=None)) as other:
        if is_locked:
            other.execute('BEGIN IMMEDIATE')
        stage.node.shut_down(stage.executor)
    trace = stage.journal.parent / 'run' / TRACE_FILE
    told = trace.read_text(encoding='utf-8') if trace.exists() else ''
    assert ('The next start knows nothing of what came last' in told) is is_locked


def test_all_of_the_end_is_over_before_the_supervisor_uses_force() -> None:
    assert END_S + LIMIT_S <= GRACE_S
