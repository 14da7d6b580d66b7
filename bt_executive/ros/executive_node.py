"""The node `executive`: callbacks feed the inbox, one thread ticks the tree.

Offers: action `~/execute_goal`; services `~/stop ~/pause ~/resume ~/safe_stop ~/reset
~/show_tree` (Trigger) and `~/resolve_approval`; topics `/trace/events`, `~/state`, `~/approvals`
`~/goal_ends` (String, JSON), `~/heartbeat` (Heartbeat), `/diagnostics`; the streams of its tree
(`tree_host`).
Uses: the services named in skills.yaml, `/adapter/status`, `/battery_state`, `/safety_events`,
`/tf`, `~/goal_keepalives`, and the scored pictures for the run folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
import os
import sys
import threading
import time

import rclpy
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import CompressedImage
from std_msgs.msg import String

from bt_executive.approval.registry import ApprovalRegistry
from bt_executive.core.ages import with_ages
from bt_executive.core.event_memory import MemorySink
from bt_executive.core.inbox import ParametersSet
from bt_executive.core.ports import Planner, TraceSink
from bt_executive.core.state import state_to_json
from bt_executive.core.tick_statistics import TickStatistics
from bt_executive.core.tracer import Tracer
from bt_executive.planner.factory import make_planner
from bt_executive.recording.inbox_log import OverheardInbox
from bt_executive.recording.recorded_ports import (
    RecordedGraph,
    RecordedJournal,
    RecordedPlanner,
    RecordedRobot,
)
from bt_executive.recording.run_folder import RunFacts, RunFolder
from bt_executive.recording.tick_log import Note
from bt_executive.recording.tree_log import TreeLog
from bt_executive.ros.alarm_clock import AlarmClock
from bt_executive.ros.approval_server import ApprovalServer
from bt_executive.ros.cancel_goals import CancelGoals
from bt_executive.ros.goal_keepalives import GoalKeepalives
from bt_executive.ros.goal_server import GoalServer
from bt_executive.ros.graph_reader import RosGraphReader
from bt_executive.ros.immediate_stop import ImmediateStop
from bt_executive.ros.life import Life, read_journal_options
from bt_executive.ros.operator_services import OperatorServices
from bt_executive.ros.planner_words import PlannerWords
from bt_executive.ros.readiness import ReadinessWatch
from bt_executive.ros.robot import RosRobot
from bt_executive.ros.sim_clock import hear_clock
from bt_executive.ros.telemetry import Telemetry
from bt_executive.ros.trace_log import TraceLog
from bt_executive.ros.trace_publisher import TracePublisher
from bt_executive.ros.tree_stream.blackboard_mirror import declare_access, read_board
from bt_executive.ros.tree_stream.make import make_tree_host
from bt_executive.ros.versions import versions
from bt_executive.skills.endpoints import stop_endpoints
from bt_executive.skills.registry import Registry
from bt_executive.tree.context import Context
from bt_executive.tree.executive import Executive, StepReport
from bt_executive.tree.executive_health import ExecutiveHealth
from bt_executive.tree.ports import Ports
from bt_executive.tree.resume import resume
from bt_executive.tree.snapshots import draw
from rover_common.clocks import Clocks, Now
from rover_common.config.settings import Config
from rover_common.config.values import KeyPath, Scalar
from rover_common.process.name_lock import lock_name
from rover_common.process.new_run import make_run_folder
from rover_common.ros.conversions import seconds_from_ros
from rover_common.ros.diagnostics import Diagnostics
from rover_common.ros.heartbeat import HeartbeatPublisher
from rover_common.ros.interfaces import resolve
from rover_common.ros.latched import LATCHED
from rover_common.ros.names import relative
from rover_common.ros.parameters import ConfigParameters
from rover_common.ros.run_node import NodeOptions, run_node, until_ros_ends

PlannerFactory = Callable[[Config, Callable[[], None]], Planner]
# Read anew at every use; the rest is built into the tree, the planner or the rhythm.
CHANGEABLE = (
    ('executive', 'agent', 'max_iterations'),
    ('executive', 'agent', 'verbose'),
    *(('executive', section) for section in ('goal', 'decisions', 'approval')),
    *(('executive', 'battery', key) for key in ('low_pct', 'resume_pct', 'lost_after_s')),
)
PARAMETERS = (
    *(('executive', section) for section in ('variant', 'tick', 'agent', 'goal', 'guards')),
    *(('executive', section) for section in ('sessions', 'safety', 'battery', 'decisions')),
    *(('executive', section) for section in ('approval', 'journal')),
    *(('executive', 'planner', key) for key in ('provider', 'model', 'temperature', 'timeout_s')),
    *(('executive', 'planner', f'max_{key}') for key in ('answer_tokens', 'goal_tokens')),
)
BEAT_EARLY = 0.9  # a tick that comes a little before the period still beats
STANDSTILL_S = 0.25  # later than that after the period, the executive did not run meanwhile
LAST_WORDS_S = 1.5  # how long the end waits for the answer to a last stop
CLOSE_S = 1.0  # and then for the journal and the run folder; all of it: less than lifeline.GRACE_S


def shipped_planner(config: Config, wake: Callable[[], None]) -> Planner:
    """The planner that the configuration names; `make_planner` says what may be wrong."""
    return make_planner(config, wake)


class ExecutiveNode(Node):
    """Owns the inbox, the context and the tick thread.

    Args:
        options: Of the process.
        plan: Makes the planner; the configured one if it is not replaced.
        fresh: Take nothing up of what earlier executives have left open in the journal.

    Raises:
        UsageError: An executive of this name, or with this journal, runs already.
    """

    def __init__(
        self, options: NodeOptions, plan: PlannerFactory = shipped_planner, fresh: bool = False
    ) -> None:
        super().__init__('executive', **options.node_arguments())
        # Before the journal is found to be taken: this reason says more.
        lock_name(self.get_fully_qualified_name(), self.context.get_domain_id()).close()
        hear_clock(self)  # before anything is offered: a goal's deadline counts from now
        self._plan = plan
        self._configured = ConfigParameters(
            self, options.config, PARAMETERS, CHANGEABLE, self._parameters_set
        )
        self._config = config = self._configured.config
        self._topics = config.topics
        folder = make_run_folder(options.run_dir)
        self._run_id = f'{folder.name}.{os.getpid()}'  # one per life
        self._requests = ApprovalRegistry()
        life = self._requests.life
        facts = RunFacts(self._run_id, config, options.overrides, versions(), life)
        self._run_folder = RunFolder(folder, facts)
        self.inbox = OverheardInbox(self._run_folder.log)
        settings = config.executive.tick
        longest_gap_s = settings.period_s + STANDSTILL_S
        self._clocks = Clocks(self._now, time.monotonic, longest_gap_s, settings.period_s)
        self._life = Life(
            self,
            config.executive.journal,
            {
                'run_id': self._run_id,
                'run_dir': str(folder.resolve()),
                'version': facts.versions.get('bt_executive', ''),
                'fresh': fresh,
            },
            self._clocks(),
            self.inbox.wake,
        )
        self._goals = GoalServer(self, self.inbox, config, self._life)
        self._heartbeat = HeartbeatPublisher(self, self._run_id)
        self._tree_context = self._make_context()
        self._executive = Executive(self._tree_context)
        self._alarm_clock = AlarmClock(self, self.inbox)
        root = self._executive.root
        self._run_folder.watch(TreeLog(root))
        declare_access(root, config.skills.parts)
        self._tree_host = make_tree_host(self, root, lambda: read_board(self._tree_context))
        self._ended = threading.Event()
        self._state = self.create_publisher(String, '~/state', LATCHED)
        self._ticks = TickStatistics(config.executive.tick.period_s)
        health = ExecutiveHealth(self._tree_context, self._ticks, self._run_id)
        self._diagnostics = Diagnostics(self, (*health.parts(), self._life.part()))
        self._stop_now = ImmediateStop(
            self, self.inbox, reversed(stop_endpoints(config)), time.monotonic
        )
        self._telemetry = Telemetry(self, self.inbox, config.topics, self._stop_now, self._low_pct)
        tools = self._tree_context.registry.values()
        needs = [part for tool in tools for part in tool.skill.ready_when]
        self._readiness = ReadinessWatch(self, self.inbox, needs)
        self._approvals = ApprovalServer(self, self.inbox)
        self._cancels = CancelGoals(self, self.inbox, self._open_goals)
        self._keepalives = GoalKeepalives(self, self.inbox, self._open_goals)
        self._operator = OperatorServices(
            self, self.inbox, self._stop_now, lambda: draw(self._executive.root)
        )
        self.create_subscription(
            CompressedImage,
            relative(self._topics.images.output_capture_compressed),
            self._picture_came,
            qos_profile_sensor_data,
        )
        self.fault: Exception | None = None
        self._thread = threading.Thread(target=self._run, name='tick', daemon=True)
        self._begin = self.create_guard_condition(self._thread.start)  # in the first spin
        self._begin.trigger()

    def shut_down(self, executor: Executor) -> None:
        """Ends the ticks; a motion under way is stopped before the node goes."""
        self._ended.set()
        self.inbox.wake()
        deadline = time.monotonic() + LAST_WORDS_S + CLOSE_S
        with until_ros_ends(self):
            while self.context.ok() and time.monotonic() < deadline:
                executor.spin_once(timeout_sec=0.05)
                if not self._thread.is_alive():
                    return
        if self._thread.is_alive():  # it has failed, ended ROS, and closes the journal
            self._thread.join(max(0.0, deadline - time.monotonic()))

    def _parameters_set(self, values: Mapping[KeyPath, Scalar]) -> None:
        self.inbox.put(ParametersSet({'.'.join(path): value for path, value in values.items()}))

    def _verbose(self) -> bool:
        return self._configured.config.executive.agent.verbose

    def _low_pct(self) -> float:
        return self._configured.config.executive.battery.low_pct

    def _open_goals(self) -> list[str]:
        return [task.task_id for task in self._tree_context.state.tasks.queue]

    def _now(self) -> float:
        return float(self.get_clock().now().nanoseconds) * 1e-9

    # --- what is made once ---------------------------------------------------------------------

    def _make_context(self) -> Context:
        config, life = self._config, self._life
        registry = Registry(config, resolve)
        memory = MemorySink(config.prompts.memory.max_events)
        sinks: list[TraceSink] = [
            TracePublisher(self, self._topics.trace.events),
            self._run_folder,
            memory,
            TraceLog(self.get_logger(), self._verbose),
        ]
        used = ((tool.endpoint, tool.stop) for tool in registry.values())
        endpoints = [each for pair in used for each in pair if each]
        robot = RosRobot(self, self.inbox, endpoints, *stop_endpoints(config), self._heartbeat)
        log = self._run_folder.log
        ports = Ports(
            inbox=self.inbox,
            robot=RecordedRobot(robot, log),
            planner=RecordedPlanner(self._plan(config, self.inbox.wake), log),
            reporter=self._goals,
            tracer=Tracer(self._run_id, sinks, self._now),
            memory=memory,
            graph=RecordedGraph(RosGraphReader(self, self.inbox.wake), log),
            listener=PlannerWords(self, self._verbose),
            journal=RecordedJournal(life.journal, log, life.number, life.past),
        )
        known = resume(ports, life.number, life.past, self._requests)
        return Context(config, registry, ports, known)

    def _picture_came(self, message: CompressedImage) -> None:
        self._run_folder.picture(seconds_from_ros(message.header.stamp), bytes(message.data))

    # --- the tick thread -------------------------------------------------------------------------

    def _run(self) -> None:
        """Ticks until the end.

        Without ticks there is no heartbeat and no executive: then the process ends, so that the
        adapter stops the robot and whoever supervises starts a new one.
        """
        try:
            self._tick()
        except Exception as error:
            self.fault = error
            self.get_logger().fatal(f'The tick thread failed: {type(error).__name__}: {error}')
            rclpy.try_shutdown()
        finally:
            how = f'failed: {self.fault}' if self.fault else 'it was asked to end'
            self._life.journal.close(self._clocks(), how, CLOSE_S)
            self._goals.tell_ends()
            self._run_folder.close(CLOSE_S)

    def _tick(self) -> None:
        settings, clocks = self._config.executive.tick, self._clocks
        longest_s = min(settings.period_s, settings.heartbeat_s)
        beat_at = 0.0
        while not self._ended.is_set():
            started_at = time.monotonic()
            self._tree_host.before_tick()
            now = clocks()
            self._run_folder.log.begin(now)
            self._tell_faults()
            report = self._executive.step(now)
            self._tree_host.after_tick(self._executive.visited)
            self._goals.tell_ends()
            self._record(report)
            self._approvals.show(self._tree_context.approvals.waiting())
            ended_at = time.monotonic()
            self._ticks.count(started_at, ended_at)
            if ended_at >= beat_at:
                beat_at = ended_at + settings.heartbeat_s * BEAT_EARLY
                self._beat()
            self._diagnostics.look()
            if not report.again:
                self._alarm_clock.sleep(report.alarm, report.now, longest_s)
        self._shut_down_tree(clocks())
        self._wait_for_last_words()

    def _record(self, report: StepReport) -> None:
        self._run_folder.tick(self._now(), report.mode, self._tree_context.state)

    def _tell_faults(self) -> None:
        for sentence in self._run_folder.faults():
            self.get_logger().error(sentence)
            self._run_folder.log.note(Note.FAULT, {'sentence': sentence})
            self._tree_context.tracer.emit('ERROR', sentence)

    def _shut_down_tree(self, now: Now) -> None:
        log = self._run_folder.log
        log.begin(now)
        log.note(Note.SHUT_DOWN, {})
        self._tree_context.begin_tick(now)
        self._executive.shut_down()
        log.end(self._tree_context.state, moved=False)

    def _beat(self) -> None:
        self._heartbeat.beat()
        if self._state.get_subscription_count():
            context = self._tree_context
            state = with_ages(context.state, context.now, self._config.executive)
            self._state.publish(String(data=state_to_json(state)))

    def _wait_for_last_words(self) -> None:
        deadline = time.monotonic() + LAST_WORDS_S
        while self._executive.take_last_answers() and time.monotonic() < deadline:
            self.inbox.wait(0.05)


def main() -> None:
    """Runs the node."""
    fresh, arguments = read_journal_options(sys.argv[1:])
    run_node(partial(ExecutiveNode, fresh=fresh), arguments, records=True)


if __name__ == '__main__':
    main()
