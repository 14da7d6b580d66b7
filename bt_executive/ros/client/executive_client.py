"""A front end's client of the executive over ROS: plain data in, plain data out.

All of rclpy runs in one thread of this client. What arrives is passed to the front end as events;
what the front end requests is passed to that thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import threading
import time

from bt_executive_interfaces.msg import PlannerWords
from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

from bt_executive.client.front_end_events import (
    ClientEvent,
    ClientFailed,
    ExecutiveLost,
    ExecutiveQuiet,
    ExecutiveReady,
    Problem,
    StateReceived,
)
from bt_executive.client.front_end_requests import (
    ApprovalAnswer,
    GoalRequest,
    MemoryRequest,
    ToolRequest,
)
from bt_executive.client.front_end_rights import OPERATOR, FrontEnd
from bt_executive.ros.client.executive_presence import (
    ASLEEP_S,
    ExecutivePresence,
    RunBeganQuestion,
)
from bt_executive.ros.client.executive_questions import NO_HUMAN, ExecutiveQuestions
from bt_executive.ros.client.front_end_subscriptions import (
    PageSubscriptions,
    StateAndTreeSubscriptions,
    ask_for_state,
    follow_captures,
)
from bt_executive.ros.client.goal_client import GoalClient
from bt_executive.ros.client.manual_mode_and_faults import ManualControl
from bt_executive.ros.client.memory_and_path_questions import PathQuestions
from bt_executive.ros.client.received_messages import (
    RecordingWatch,
    TopicReader,
    read_event,
    streamed_text_from_ros,
)
from bt_executive.ros.client.service_and_parameter_calls import (
    LIMIT_S,
    ChangeableParameters,
    NodeParameters,
)
from bt_executive.ros.client.spinning_node import SpinningNode
from bt_executive.ros.client.step_and_breakpoints import Stepping
from rover_common.clocks import READING_S, Clocks
from rover_common.config.settings import Config
from rover_common.errors import ProtocolError
from rover_common.ros.node_topic_and_enclave_names import EXECUTIVE, relative_name
from rover_common.ros.nodes_with_other_definitions import DefinitionsWatch
from rover_common.ros.timers import STEADY, set_period

CLOSE_LIMIT_S = 1.0
UPDATE_PERIOD_S = 0.15  # heartbeats are read in each update; while no executive answers
READY_UPDATE_PERIOD_S = 0.2  # while one does


class ExecutiveClient:
    """Implements the ports of console, page and MCP server, which document its methods.

    `emit` takes every event, in this client's thread. The kind of `front_end` decides what it may
    request. `limit_s`: how long an answer is waited for, in steady s.

    Raises:
        UsageError: The ROS arguments cannot be used, or ROS refuses the node.
    """

    def __init__(
        self,
        config: Config,
        emit: Callable[[ClientEvent], None],
        ros_arguments: Sequence[str] = (),
        front_end: FrontEnd = OPERATOR,
        limit_s: float = LIMIT_S,
    ) -> None:
        self._config = config
        self._emit = emit
        self._clocks = Clocks(time.monotonic, time.monotonic, ASLEEP_S)
        self._spinning = SpinningNode(
            front_end.node,
            front_end.enclave,
            ros_arguments,
            lambda fault: emit(ClientFailed(fault)),
        )
        node = self._spinning.node
        self._spawn = self._spinning.executor.create_task
        self._reader = reader = TopicReader(node, emit)
        self._goals = GoalClient(reader, emit, config.executive.goal, front_end)
        self._questions = ExecutiveQuestions(reader, emit, config, front_end, limit_s)
        self._trace_topic = relative_name(config.topics.trace.events)
        self._presence = ExecutivePresence(
            node,
            self._questions.tree,
            is_served=self._is_served,
            on_ready=self._on_ready,
            on_quiet=self._on_quiet,
            on_lost=self._lose,
        )
        trace_qos = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)
        reader.subscribe(
            String, self._trace_topic, lambda text: emit(read_event(text.data)), trace_qos
        )
        if config.executive.agent.verbose:
            reader.subscribe(
                PlannerWords,
                'executive/planner/words',
                lambda message: emit(streamed_text_from_ros(message)),
                500,
            )
        self._recording = RecordingWatch(node, emit)
        self._definitions = DefinitionsWatch(node)
        self._stepping: Stepping | None = None
        self._hands: ManualControl | None = None
        self._parameters: NodeParameters
        if front_end.human:
            self._parameters = changeable = ChangeableParameters(node, EXECUTIVE, limit_s)
            self._stepping = Stepping(changeable, emit)
            self._hands = ManualControl(node, emit, config, limit_s)
        else:
            self._parameters = NodeParameters(node, EXECUTIVE, limit_s)
        self._run_began = RunBeganQuestion(self._parameters, emit)
        self._watch: StateAndTreeSubscriptions | None = None
        self._paths: PathQuestions | None = None
        self._watch_ended = threading.Event()
        self._timer = node.create_timer(UPDATE_PERIOD_S, self._update, clock=STEADY)
        self._spinning.start()

    def start(self, ticket: int, request: GoalRequest | ToolRequest) -> None:
        self._goals.add(ticket, request)  # here: tasks run in no promised order
        self._spawn(self._goals.send_next)

    def cancel_goal(self, ticket: int) -> None:
        self._spawn(self._goals.cancel, ticket)

    def cancel(self) -> None:
        self._spawn(self._goals.cancel_all)

    def call_service(self, service: str, number: int = 0) -> None:
        self._spawn(self._call_service, service, number)

    def resolve(self, answer: ApprovalAnswer) -> None:
        self._spawn(self._questions.resolve, answer)

    def call_memory(self, request: MemoryRequest) -> None:
        self._spawn(self._questions.memory.ask, request)

    def watch(self) -> None:
        self._spawn(self._begin_watch)

    def subscribe_pictures(self) -> None:
        self._spawn(follow_captures, self._spinning.node, self._config.topics, self._emit)

    def subscribe_page_topics(self) -> None:
        self._spawn(self._begin_stage)

    def request_camera(self) -> None:
        watch = self._watch
        if isinstance(watch, PageSubscriptions) and not watch.request_camera():
            self._spawn(watch.update)

    def set_stepping(self, on: bool) -> None:
        if self._stepping is not None:
            self._spawn(self._stepping.set, on)

    def toggle_breakpoint(self, name: str) -> None:
        if self._stepping is not None:
            self._spawn(self._stepping.toggle_breakpoint, name)

    def plan_path(self, key: str, x: float, y: float) -> None:
        self._spawn(self._plan_path, key, x, y)

    def set_manual(self, wanted: bool) -> None:
        self._spawn(self._by_hand.set_manual, wanted)

    def drive(self, motion: str) -> None:
        self._by_hand.drive(motion)

    def set_fault(self, node: str, fault: str, on: bool | None = None) -> None:
        self._spawn(self._by_hand.set_fault, node, fault, on)

    def handle_executive_death(self) -> None:
        self._spawn(self._forget, 'The executive ended.', True)

    def close(self) -> None:
        self._spawn(self._end_watch)
        self._watch_ended.wait(CLOSE_LIMIT_S)
        self._spinning.close()

    # --- in the client's thread ----------------------------------------------------------------

    def _update(self) -> None:
        now = self._clocks()
        if not now.awake_for:  # answers of the time in which it did not run are still to be read
            self._goals.postpone(now.standstills[-1].length_s + READING_S)
        self._goals.update(now.steady)
        if self._watch is not None:
            self._watch.update()
        self._presence.update(now.steady)
        self._recording.update(now.steady)
        if other := self._definitions.update(now.steady):
            self._emit(Problem(other))
        if self._presence.ready:
            self._run_began.update(now.steady)
        set_period(self._timer, READY_UPDATE_PERIOD_S if self._presence.ready else UPDATE_PERIOD_S)

    def _is_served(self) -> bool:
        publishes = self._spinning.node.count_publishers(self._trace_topic)
        return self._goals.server_is_ready() and bool(publishes)

    def _on_ready(self) -> None:
        self._questions.repeat_stops()
        self._emit(ExecutiveReady())
        if self._stepping is not None:
            self._stepping.read()
        generation = self._presence.generation
        ask_for_state(self._reader, lambda seen: self._on_first_state(generation, seen))
        if self._watch is not None:
            self._watch.on_executive_ready()

    def _on_quiet(self, quiet: bool) -> None:
        self._emit(ExecutiveQuiet(quiet))
        if self._watch is not None and not quiet:
            self._watch.on_silence_ended()

    def _on_first_state(self, generation: int, seen: StateReceived) -> None:
        if generation == self._presence.generation:
            state = seen.state
            self._goals.on_executive_ready(
                state.tasks, state.world.safety_reason, state.hci.question
            )

    def _lose(self, reason: str) -> None:
        self._forget(reason)
        self._emit(ExecutiveLost(reason))

    def _forget(self, reason: str, ended: bool = False) -> None:
        self._presence.forget(ended)
        self._run_began.forget()
        self._goals.on_executive_lost(reason)
        self._questions.forget()
        if self._watch is not None:
            self._watch.on_executive_lost()

    def _call_service(self, service: str, number: int) -> None:
        if service in ('stop', 'safe_stop'):
            self._goals.cancel_for_stop()
        self._questions.call_service(service, number)

    @property
    def _by_hand(self) -> ManualControl:
        if self._hands is None:
            raise ProtocolError(NO_HUMAN)
        return self._hands

    def _begin_watch(self) -> None:
        self._follow(StateAndTreeSubscriptions(self._reader, self._emit, self._parameters))

    def _begin_stage(self) -> None:
        self._paths = PathQuestions(self._spinning.node, self._config, self._emit)
        by_hand = self._by_hand
        self._follow(
            PageSubscriptions(self._reader, self._emit, self._parameters, self._config, by_hand)
        )

    def _plan_path(self, key: str, x: float, y: float) -> None:
        if self._paths is not None:
            self._paths.ask(key, x, y)

    def _follow(self, watch: StateAndTreeSubscriptions) -> None:
        self._watch = watch
        if self._presence.ready:
            watch.on_executive_ready()

    def _end_watch(self) -> None:
        if self._watch is not None:
            self._watch.close()
        self._watch_ended.set()
