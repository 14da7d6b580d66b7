"""The node `executive`: callbacks feed the inbox, one thread ticks the tree.

Offers: action `~/execute_goal`; services `~/stop ~/agent_stop ~/pause ~/resume
~/safe_stop ~/reset ~/show_tree` (Trigger) and `~/resolve_approval`; topics `/trace/events`,
`~/state`, `~/approvals`, `~/goal_ends`, `~/planner/words`, `~/heartbeat` (messages of
bt_executive_interfaces), `/diagnostics`;
the streams of its tree (`tree_host`).
Uses: the services named in skills.yaml, `/adapter/status`, `/battery_state`, `/safety_events`,
`/tf`, `~/goal_keepalives`, and the scored pictures for the run folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
import math
import sys
import threading
import time
import uuid

import rclpy
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import CompressedImage

from bt_executive.approval.registry import ApprovalRegistry
from bt_executive.core.event_memory import MemorySink
from bt_executive.core.inputs import ParametersSet
from bt_executive.core.ports import Planner, TraceSink
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
from bt_executive.ros.planner_words import PlannerWordsPublisher
from bt_executive.ros.readiness import ReadinessWatch
from bt_executive.ros.replies import Replies
from bt_executive.ros.robot import RosRobot
from bt_executive.ros.sim_clock import hear_clock
from bt_executive.ros.state_publisher import StatePublisher
from bt_executive.ros.telemetry import Telemetry
from bt_executive.ros.trace_log import TraceLog
from bt_executive.ros.trace_publisher import TracePublisher
from bt_executive.ros.tree_stream.blackboard_mirror import declare_access, read_board
from bt_executive.ros.tree_stream.make import make_tree_host
from bt_executive.ros.versions import versions
from bt_executive.skills.endpoints import stop_endpoints
from bt_executive.skills.registry import Registry
from bt_executive.tree.context import Context
from bt_executive.tree.executive import ENDING, Executive, StepReport
from bt_executive.tree.executive_health import ExecutiveHealth
from bt_executive.tree.on_demand import fully_planted
from bt_executive.tree.ports import Ports
from bt_executive.tree.resume import resume
from bt_executive.tree.snapshots import draw
from rover_common.clocks import Clocks, Now
from rover_common.config.settings import Config
from rover_common.config.values import KeyPath, Scalar
from rover_common.process.lifeline import GRACE_S
from rover_common.process.name_lock import lock_name
from rover_common.process.new_run import make_run_folder
from rover_common.process.threads import in_words, make_thread
from rover_common.ros.conversions import seconds_from_ros
from rover_common.ros.diagnostics import Diagnostics
from rover_common.ros.heartbeat import HeartbeatPublisher
from rover_common.ros.interfaces import resolve
from rover_common.ros.last_words import LIMIT_S as LAST_WORDS_S
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
# All of the end, in s: what is published last is waited for behind it, and then comes the force.
END_S = GRACE_S - LAST_WORDS_S
KEPT_S = 0.7  # of it for the journal; what comes before waits for the robot, and stops it first
RECORDED_S = 0.2  # and of that for the run folder


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
        # One per process, whatever folder and process id it has: both come again in a container.
        self._run_id = f'{folder.name}.{uuid.uuid4().hex}'
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
        with fully_planted(self._executive.root) as root:
            self._run_folder.watch(TreeLog(root))
            declare_access(root, config.skills.parts)
        self._tree_host = make_tree_host(self, root, lambda: read_board(self._tree_context))
        self._ended = threading.Event()
        self._state = StatePublisher(self, config.executive)
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
        self._replies = Replies(
            self, self.inbox, self._life.journal, config.executive.journal.patience_s
        )
        self._approvals = ApprovalServer(self, self._replies)
        self._cancels = CancelGoals(
            self, self.inbox, lambda: {*self._open_goals(), *self._goals.accepted()}
        )
        self._keepalives = GoalKeepalives(self, self.inbox, self._leases)
        self._operator = OperatorServices(
            self, self._replies, self._stop_now, lambda: draw(self._executive.root)
        )
        self.create_subscription(
            CompressedImage,
            relative(self._topics.images.output_capture_compressed),
            self._picture_came,
            qos_profile_sensor_data,
        )
        self.fault: BaseException | None = None
        self._end_by = math.inf  # steady s; shared by all that the end consists of
        self._thread = make_thread(self._run, 'tick', self._broke_off)
        self._begin = self.create_guard_condition(self._start)  # in the first spin
        self._begin.trigger()

    def shut_down(self, executor: Executor) -> None:
        """Ends the ticks; a motion under way is stopped before the node goes."""
        self._start_end()
        self._ended.set()
        self._start()  # also the end of an executive that never ticked is a tick's
        self.inbox.wake()
        with until_ros_ends(self):
            while self.context.ok() and self._left() and (self._thread.is_alive() or self._owes()):
                executor.spin_once(timeout_sec=0.05)
        if self._thread.is_alive():  # it has failed, ended ROS, and closes the journal
            self._thread.join(self._left())

    def _start(self) -> None:
        if self._thread.ident is None:
            self._thread.start()

    def _start_end(self) -> None:
        self._end_by = min(self._end_by, time.monotonic() + END_S)

    def _left(self, but_s: float = 0.0) -> float:
        """How much of the end's time is left, in s, `but_s` for what comes behind left out."""
        return max(0.0, self._end_by - but_s - time.monotonic())

    def _owes(self) -> int:
        """Answers that the tick thread has given and that are not sent yet."""
        return self._goals.waiting + self._replies.waiting

    def _parameters_set(self, values: Mapping[KeyPath, Scalar]) -> None:
        self.inbox.put(ParametersSet({'.'.join(path): value for path, value in values.items()}))

    def _verbose(self) -> bool:
        return self._configured.config.executive.agent.verbose

    def _low_pct(self) -> float:
        return self._configured.config.executive.battery.low_pct

    def _open_goals(self) -> list[str]:
        return [task.task_id for task in self._tree_context.state.tasks.queue]

    def _leases(self) -> dict[str, float]:
        return {task.task_id: task.lease_s for task in self._tree_context.state.tasks.queue}

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
            listener=PlannerWordsPublisher(self, self._verbose),
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
        self._tick()
        self._close('it was asked to end')

    def _broke_off(self, error: BaseException) -> None:
        self.fault = error
        self.get_logger().fatal(f'The tick thread failed: {in_words(error)}')
        rclpy.try_shutdown()
        self._close(f'failed: {error}')

    def _close(self, how: str) -> None:
        """Keeps what is known. The safety latch comes first, and the recording last."""
        self._start_end()
        self.inbox.close(ENDING)
        self._life.journal.close(self._clocks(), how, self._left(RECORDED_S))
        self._goals.tell_ends()
        self._replies.say()
        self._run_folder.close(self._left())
        self._tree_context.planner.close(self._left())

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
            self._replies.say()
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
        context = self._tree_context
        driven_m = context.progress.distance_m
        self._state.publish(context.state, context.now, driven_m, self._ticks.latest_s)

    def _wait_for_last_words(self) -> None:
        while self._executive.take_last_answers() and self._left(KEPT_S):
            self.inbox.wait(0.05)


def main() -> None:
    """Runs the node."""
    fresh, arguments = read_journal_options(sys.argv[1:])
    run_node(partial(ExecutiveNode, fresh=fresh), arguments, records=True)


if __name__ == '__main__':
    main()
