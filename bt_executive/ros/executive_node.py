"""The node `executive`: callbacks feed the inbox, one thread ticks the tree.

Offers: action `~/execute_goal`; services `~/stop ~/safe_stop ~/reset ~/show_tree` (Trigger);
topics `/trace/events` (String, JSON), `~/heartbeat` (Header), `~/state` (String, JSON).
Uses: the services named in skills.yaml, `/adapter/status`, `/safety_events`, `/tf`, and the scored
pictures for the run folder.
"""

from __future__ import annotations

from datetime import datetime
import json
from pathlib import Path
import threading
import time

from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy, qos_profile_sensor_data
from sensor_msgs.msg import CompressedImage
from std_msgs.msg import Header, String
from std_srvs.srv import Trigger

from bt_executive.brain import Brain
from bt_executive.executive import Executive, StepReport
from bt_executive.inbox import (
    Inbox,
    PoseSeen,
    ResetRequested,
    SafetyEvent,
    StatusSeen,
    StopRequested,
)
from bt_executive.planner.factory import make_planner
from bt_executive.ports import TraceSink
from bt_executive.ros.conversions import seconds_from_ros
from bt_executive.ros.goal_server import GoalServer
from bt_executive.ros.names import relative
from bt_executive.ros.process import NodeOptions, run_node
from bt_executive.ros.robot import RosRobot
from bt_executive.ros.tf import TfListener
from bt_executive.ros.trace_publisher import TracePublisher
from bt_executive.skills.registry import Registry, stop_endpoints
from bt_executive.state import state_to_json
from bt_executive.trace.jsonl import JsonlSink
from bt_executive.trace.memory import MemorySink
from bt_executive.trace.run_folder import RunFolder
from bt_executive.trace.snapshots import draw
from bt_executive.trace.tracer import Tracer
from bt_executive.transforms import TransformError

POSE_PERIOD_S = 0.1
LAST_WORDS_S = 1.5  # how long the end waits for the answer to a last stop


class ExecutiveNode(Node):
    """Owns the inbox, the brain and the tick thread."""

    def __init__(self, options: NodeOptions) -> None:
        super().__init__('executive', **options.node_arguments())
        self._config = config = options.config
        self._topics = config.topics
        for name, value in config.executive.agent.model_dump().items():
            self.declare_parameter(f'agent_{name}', value)
        self.inbox = Inbox()
        self._run_folder = RunFolder(options.run_dir or default_run_dir())
        self._goals = GoalServer(self, self.inbox, config.prompts)
        self._brain = self._make_brain()
        self._executive = Executive(self._brain)
        self._tf = TfListener(self)
        self._ended = threading.Event()
        self._make_publishers()
        self._make_subscriptions()
        self._make_services()
        self._thread = threading.Thread(target=self._tick, name='tick', daemon=True)
        self._thread.start()

    def shut_down(self, executor: Executor) -> None:
        """Ends the ticks; a motion under way is stopped before the node goes."""
        self._ended.set()
        self.inbox.wake()
        deadline = time.monotonic() + LAST_WORDS_S
        while time.monotonic() < deadline:
            executor.spin_once(timeout_sec=0.05)
            if not self._thread.is_alive():
                break

    def _now(self) -> float:
        return float(self.get_clock().now().nanoseconds) * 1e-9

    # --- what is made once ---------------------------------------------------------------------

    def _make_brain(self) -> Brain:
        config = self._config
        registry = Registry(config)
        memory = MemorySink(config.prompts.memory.max_events)
        run_id = self._run_folder.folder.name
        sinks: list[TraceSink] = [
            TracePublisher(self, self._topics.trace.events),
            JsonlSink(self._run_folder.folder / 'trace.jsonl'),
            self._run_folder,
            memory,
        ]
        endpoints = [tool.endpoint for tool in registry.values() if tool.endpoint]
        return Brain(
            config=config,
            registry=registry,
            inbox=self.inbox,
            robot=RosRobot(self, self.inbox, endpoints, *stop_endpoints(config)),
            planner=make_planner(config, self.inbox.wake),
            reporter=self._goals,
            tracer=Tracer(run_id, sinks, self._now),
            memory=memory,
        )

    def _make_publishers(self) -> None:
        latched = QoSProfile(
            depth=1,
            reliability=ReliabilityPolicy.RELIABLE,
            durability=DurabilityPolicy.TRANSIENT_LOCAL,
        )
        self._heartbeat = self.create_publisher(Header, '~/heartbeat', 1)
        self._state = self.create_publisher(String, '~/state', latched)

    def _make_subscriptions(self) -> None:
        latched = QoSProfile(
            depth=1,
            reliability=ReliabilityPolicy.RELIABLE,
            durability=DurabilityPolicy.TRANSIENT_LOCAL,
        )
        self.create_subscription(
            String, relative(self._topics.adapter.status.name), self._status_came, latched
        )
        self.create_subscription(
            String, relative(self._topics.safety.events), self._safety_event_came, 10
        )
        self.create_subscription(
            CompressedImage,
            relative(self._topics.images.output_capture_compressed),
            self._picture_came,
            qos_profile_sensor_data,
        )
        self.create_timer(POSE_PERIOD_S, self._look_up_pose)

    def _make_services(self) -> None:
        self.create_service(Trigger, '~/stop', self._stop_wanted)
        self.create_service(Trigger, '~/safe_stop', self._safe_stop_wanted)
        self.create_service(Trigger, '~/reset', self._reset_wanted)
        self.create_service(Trigger, '~/show_tree', self._tree_wanted)

    # --- callbacks: they only feed the inbox -----------------------------------------------------

    def _status_came(self, message: String) -> None:
        try:
            status = json.loads(message.data)
        except ValueError:
            self.get_logger().warning(f'Status of the adapter is not JSON: {message.data:.80}')
            return
        if isinstance(status, dict):
            self.inbox.put(StatusSeen(self._now(), status))

    def _safety_event_came(self, message: String) -> None:
        self.inbox.put(SafetyEvent(message.data, self._topics.safety.events))

    def _picture_came(self, message: CompressedImage) -> None:
        self._run_folder.picture(seconds_from_ros(message.header.stamp), bytes(message.data))

    def _look_up_pose(self) -> None:
        frames = self._topics.tf
        try:
            pose = self._tf.lookup(frames.world_frame, frames.base_frame)
        except TransformError:
            return  # the age of the last pose tells; guards that need it look there
        self.inbox.put(PoseSeen(self._now(), pose.x, pose.y, pose.yaw))

    def _stop_wanted(self, _request: Trigger.Request, response: Trigger.Response) -> object:
        self.inbox.put(StopRequested('the operator'))
        response.success, response.message = True, 'stopping'
        return response

    def _safe_stop_wanted(self, _request: Trigger.Request, response: Trigger.Response) -> object:
        self.inbox.put(SafetyEvent('safe stop by the operator', '~/safe_stop'))
        response.success, response.message = True, 'SAFE until reset'
        return response

    def _reset_wanted(self, _request: Trigger.Request, response: Trigger.Response) -> object:
        self.inbox.put(ResetRequested('the operator'))
        response.success, response.message = True, 'reset'
        return response

    def _tree_wanted(self, _request: Trigger.Request, response: Trigger.Response) -> object:
        response.success, response.message = True, draw(self._executive.root)
        return response

    # --- the tick thread -------------------------------------------------------------------------

    def _tick(self) -> None:
        settings = self._config.executive.tick
        beat_at = 0.0
        while not self._ended.is_set():
            report = self._executive.step(self._now())
            if time.monotonic() >= beat_at:
                beat_at = time.monotonic() + settings.heartbeat_s
                self._beat()
            if not report.again:
                self.inbox.wait(_wait_s(report, self._now(), settings.period_s))
        self._executive.shut_down()
        self._wait_for_last_words()

    def _beat(self) -> None:
        message = Header(frame_id=self._run_folder.folder.name)
        message.stamp = self.get_clock().now().to_msg()
        self._heartbeat.publish(message)
        if self._state.get_subscription_count():
            self._state.publish(String(data=state_to_json(self._brain.state)))

    def _wait_for_last_words(self) -> None:
        deadline = time.monotonic() + LAST_WORDS_S
        while self._executive.take_last_answers() and time.monotonic() < deadline:
            self.inbox.wait(0.05)


def _wait_s(report: StepReport, now: float, period_s: float) -> float:
    if report.alarm is None:
        return period_s
    return min(max(report.alarm - now, 0.0), period_s)


def default_run_dir() -> Path:
    """runs/<time> below the working folder."""
    return Path('runs') / datetime.now().strftime('%Y%m%d-%H%M%S')


def main() -> None:
    """Runs the node."""
    run_node(ExecutiveNode)


if __name__ == '__main__':
    main()
