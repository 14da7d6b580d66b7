"""The node `executive`: callbacks feed the inbox, one thread ticks the tree.

Offers: action `~/execute_goal`; services `~/stop ~/agent_stop ~/pause ~/resume
~/safe_stop ~/reset ~/show_tree` (Trigger) and `~/resolve_approval`; topics `/trace/events`,
`~/state`, `~/approvals`, `~/goal_ends`, `~/planner/words`, `~/heartbeat` (messages of
bt_executive_interfaces), `/diagnostics`;
the streams of its tree (`tree_host`).
Uses: the services named in robot.yaml, `/adapter/status`, `/battery_state`, `/safety_events`,
`/tf`, `~/goal_keepalives`, and the scored pictures for the run folder.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
import os
import sys
import time
import uuid

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.parameter import Parameter

from bt_executive.approval.approval_registry import ApprovalRegistry
from bt_executive.core.executive_ports import Planner, TraceSink
from bt_executive.core.inputs import ParametersSet
from bt_executive.core.stop_endpoints import stop_endpoints
from bt_executive.core.tick_statistics import TickStatistics
from bt_executive.core.trace import MemorySink, Tracer
from bt_executive.planner.configured_planner import make_planner
from bt_executive.planner.goal_reader import ExampleReader
from bt_executive.ros.execute_goal_action import GoalServer
from bt_executive.ros.executive_publishers import (
    ExecutiveOutputs,
    PlannerWordsPublisher,
    TraceLog,
    TracePublisher,
)
from bt_executive.ros.executive_services import Replies
from bt_executive.ros.executive_subscriptions import ExecutiveInputs
from bt_executive.ros.graph_reader import RosGraphReader
from bt_executive.ros.immediate_stop import BaseHalt
from bt_executive.ros.installed_versions_and_parts import versions
from bt_executive.ros.robot_calls import RosRobot
from bt_executive.ros.run_store import RunStore, journal_of
from bt_executive.ros.scored_picture_subscription import ScoredPictures
from bt_executive.ros.simulated_clock import wait_for_clock
from bt_executive.ros.tick_thread import TickThread
from bt_executive.ros.tree_stream.blackboard_mirror import declare_access, read_board
from bt_executive.ros.tree_stream.tree_host_choice import make_tree_host
from bt_executive.skills.tool_registry import Registry
from bt_executive.store.recording_ports import (
    RecordedGoalReader,
    RecordedGraph,
    RecordedInbox,
    RecordedPlanner,
    RecordedRobot,
    RecordedStore,
)
from bt_executive.store.run_configuration_and_metadata import RunMetadata, digest_of
from bt_executive.store.run_folder_writer import RunFolder
from bt_executive.store.tree_and_state_changes import TreeLog
from bt_executive.tree.context import Context
from bt_executive.tree.executive import Executive
from bt_executive.tree.executive_health import ExecutiveHealth
from bt_executive.tree.persistent_state import SteppingPart
from bt_executive.tree.resume_from_checkpoints import resume
from bt_executive.tree.subtrees_on_demand import fully_planted
from bt_executive.tree.tree_ports import Ports
from bt_executive.tree.tree_summary import draw
from rover_common.clocks import Clocks
from rover_common.config.config_values import KeyPath, Scalar
from rover_common.config.dotted_keys import text_override
from rover_common.config.robot_examples import robot_examples
from rover_common.config.settings import Config
from rover_common.process.new_run_folder import make_run_folder, run_start
from rover_common.process.node_name_lock import lock_name
from rover_common.ros.config_as_ros_parameters import ConfigParameters
from rover_common.ros.diagnostics_publisher import Diagnostics
from rover_common.ros.heartbeat_setpoint_and_status import HeartbeatPublisher
from rover_common.ros.interface_classes_and_fields import resolve
from rover_common.ros.node_topic_and_enclave_names import FRESH, relative_name
from rover_common.ros.run_node import NodeOptions, run_node

PlannerFactory = Callable[[Config, Callable[[], None]], Planner]
# Read again at every use; the rest is built into the tree, the planner or the timing.
CHANGEABLE = (
    ('executive', 'agent', 'max_iterations'),
    ('executive', 'agent', 'verbose'),
    *(('executive', 'goal', f'max_{key}') for key in ('wall_s', 'distance_m', 'energy_pct')),
    *(('executive', section) for section in ('decisions', 'approval')),
    *(('executive', 'battery', key) for key in ('low_pct', 'resume_pct', 'lost_after_s')),
)
PARAMETERS = (
    *(('executive', section) for section in ('variant', 'tick', 'agent', 'goal', 'guards')),
    *(('executive', section) for section in ('sessions', 'safety', 'battery', 'decisions')),
    *(('executive', section) for section in ('approval', 'journal')),
    *(('executive', 'planner', key) for key in ('provider', 'model', 'temperature', 'timeout_s')),
    *(('executive', 'planner', f'max_{key}') for key in ('answer_tokens', 'goal_tokens')),
)
STANDSTILL_S = 0.25  # a tick that is later than this was held up: the executive did not run


class ExecutiveNode(Node):
    """Connects the parts of an executive: inbox, context, inputs and outputs.

    `plan` makes the planner. `fresh`: no open goals of earlier runs are resumed.

    Raises:
        UsageError: An executive of this name, or with this journal, runs already.
    """

    def __init__(
        self, options: NodeOptions, plan: PlannerFactory = make_planner, fresh: bool = False
    ) -> None:
        super().__init__('executive', **options.node_arguments())
        # Before the journal is opened, since this error is more specific.
        lock_name(self.get_fully_qualified_name(), self.context.get_domain_id()).close()
        wait_for_clock(self)  # before goals are accepted, whose deadlines count from now
        self._plan = plan
        self._configured = ConfigParameters(
            self, options.config, PARAMETERS, CHANGEABLE, self._parameters_set
        )
        self._config = config = self._configured.config
        folder = make_run_folder(options.run_dir)
        began = self._show_when_the_run_began()
        # Unique per process: folder names and process ids repeat in containers.
        self._run_id = f'{folder.name}.{uuid.uuid4().hex}'
        self._requests = ApprovalRegistry()
        journal = journal_of(self, config)
        metadata = RunMetadata(
            self._run_id,
            config,
            options.overrides,
            versions(),
            os.path.realpath(journal),
            began,
        )
        self._run_folder = RunFolder(folder, metadata)
        self.inbox = RecordedInbox(self._run_folder.recorder)
        settings = config.executive.tick
        longest_gap_s = settings.period_s + STANDSTILL_S
        self._clocks = Clocks(self._now, time.monotonic, longest_gap_s, settings.period_s)
        self._store = RunStore(
            self,
            config,
            {
                'run_id': self._run_id,
                'run_dir': str(folder.resolve()),
                'version': metadata.versions.get('bt_executive', ''),
                'fresh': fresh,
                'started_at': self._run_folder.started_at,
                'approvals': self._requests.run_token,
                'configuration': digest_of(config),
            },
            self._clocks(),
            self.inbox.wake,
            self._run_folder.add_fault,
        )
        self._goals = GoalServer(
            self, self.inbox, config, self._store, lambda: self._pictures.begin()
        )
        self._heartbeat = HeartbeatPublisher(self, self._run_id)
        self._halt = BaseHalt(self, config)
        self._tree_context = self._make_context()
        self._step_on(self._tree_context.persistent.stepping)
        self._executive = Executive(self._tree_context)
        with fully_planted(self._executive.root) as root:
            self._run_folder.set_tree(TreeLog(root))
            declare_access(root, config.robot.types)
        ticks = TickStatistics(config.executive.tick.period_s)
        health = ExecutiveHealth(self._tree_context, ticks, self._run_id)
        self._replies = Replies(
            self, self.inbox, self._store.store, config.executive.journal.patience_s
        )
        outputs = ExecutiveOutputs(
            self,
            self._tree_context,
            self._goals,
            self._replies,
            self._heartbeat,
            Diagnostics(self, (*health.parts(), self._store.part())),
        )
        self._inputs = ExecutiveInputs(
            self,
            self._tree_context,
            self._goals,
            self._replies,
            self._low_pct,
            self._show_tree,
            self._halt,
        )
        self._pictures = ScoredPictures(
            self,
            relative_name(config.topics.images.output_capture_compressed),
            self._run_folder.add_picture,
            lambda: bool(self._goals.waiting or self._tree_context.state.tasks.queue),
        )
        self._ticking = TickThread(
            self,
            self._executive,
            self._clocks,
            self._run_folder,
            make_tree_host(self, root, lambda: read_board(self._tree_context)),
            outputs,
            ticks,
            self._store.store.close,
            self._inputs.update,
        )

    @property
    def fault(self) -> BaseException | None:
        """The exception that ended the tick thread; None: it has not failed."""
        return self._ticking.fault

    def shut_down(self, executor: Executor) -> None:
        """Ends the ticks; a motion under way is stopped before the node goes."""
        self._ticking.shut_down(executor)

    def _parameters_set(self, values: Mapping[KeyPath, Scalar]) -> None:
        self.inbox.put(ParametersSet({'.'.join(path): value for path, value in values.items()}))

    def _show_when_the_run_began(self) -> float:
        """Declares the parameter `run_began`, for front ends; returns it in ROS s.

        In simulated time that has not started it is 0.
        """
        simulated = self._config.executive.use_sim_time
        began = (None if simulated else run_start(os.environ)) or self._now()
        kind = ParameterDescriptor(description='when the run began, ROS s', read_only=True)
        # not from another run's parameter file
        self.declare_parameter('run_began', began, kind, ignore_override=True)
        return began

    def _step_on(self, before: SteppingPart | None) -> None:
        """Restores step by step and breakpoints of the previous run, whose goal is resumed."""
        if before is None:
            return
        approval = self._config.executive.approval
        names = list(dict.fromkeys((*approval.break_at, *before.break_at)))
        held = {'approval.step': approval.step or before.step, 'approval.break_at': names}
        for name, value in held.items():
            (done,) = self.set_parameters([Parameter(name, value=value)])
            if not done.successful:
                self.get_logger().error(f'{name} is no longer as it was: {done.reason}')

    def _verbose(self) -> bool:
        return self._configured.config.executive.agent.verbose

    def _low_pct(self) -> float:
        return self._configured.config.executive.battery.low_pct

    def _show_tree(self) -> str:
        return draw(self._executive.root)

    def _now(self) -> float:
        return float(self.get_clock().now().nanoseconds) * 1e-9

    def _make_context(self) -> Context:
        config, kept = self._config, self._store
        registry = Registry(config, resolve)
        memory = MemorySink(config.prompts.memory.max_events)
        sinks: list[TraceSink] = [
            TracePublisher(self, self._config.topics.trace.events),
            self._run_folder,
            memory,
            TraceLog(self.get_logger(), self._verbose),
        ]
        used = ((tool.endpoint, tool.stop) for tool in registry.values())
        endpoints = [each for pair in used for each in pair if each]
        stops = stop_endpoints(config)
        robot = RosRobot(self, self.inbox, endpoints, *stops, self._heartbeat, self._halt)
        recorder = self._run_folder.recorder
        ports = Ports(
            inbox=self.inbox,
            robot=RecordedRobot(robot, recorder),
            planner=RecordedPlanner(self._plan(config, self.inbox.wake), recorder),
            reporter=self._goals,
            tracer=Tracer(self._run_id, sinks, self._now),
            memory=memory,
            graph=RecordedGraph(RosGraphReader(self, self.inbox.wake), recorder),
            reader=RecordedGoalReader(
                ExampleReader(robot_examples(config.robot), self.inbox.wake), recorder
            ),
            listener=PlannerWordsPublisher(self, self._verbose),
            store=RecordedStore(kept.store, recorder, kept.begins if kept.begins.run else None),
        )
        persistent = resume(ports, config, registry, kept.begins, self._requests)
        return Context(config, registry, ports, persistent)


def read_journal_options(arguments: Sequence[str]) -> tuple[bool, list[str]]:
    """Return whether --fresh is among the arguments, and those that all nodes understand.

    --journal FILE is `--set journal.file=FILE`. For who starts the node without `bt-executive`.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument('--journal', metavar='FILE')
    parser.add_argument(FRESH, action='store_true')
    options, rest = parser.parse_known_args(arguments)
    if options.journal:
        rest = ['--set', text_override('journal.file', options.journal), *rest]
    return options.fresh, rest


def main() -> None:
    """Runs the node."""
    fresh, arguments = read_journal_options(sys.argv[1:])
    run_node(partial(ExecutiveNode, fresh=fresh), arguments, records=True)


if __name__ == '__main__':
    main()
