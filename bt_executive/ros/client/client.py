"""The console's way to the executive over ROS: plain data in, plain data out.

All of rclpy runs in one thread of this client. What arrives is put into the console's queue as
events; what the console asks for is handed to that thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import threading
import time
from typing import Any

from bt_executive_interfaces.msg import ApprovalRequests, Heartbeat, PlannerWords
from bt_executive_interfaces.srv import ResolveApproval
from rclpy.clock import Clock, ClockType
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.task import Future
from std_msgs.msg import String
from std_srvs.srv import Trigger

from bt_executive.client.approvals import RESOLVE, Resolve, in_words
from bt_executive.client.border import read_event
from bt_executive.client.commands import RELEASES, STOPS
from bt_executive.client.events import (
    AdapterSeen,
    Answered,
    ClientEvent,
    ClientFailed,
    ExecutiveLost,
    ExecutiveQuiet,
    ExecutiveReady,
    StateSeen,
    Waiting,
)
from bt_executive.client.liveliness import LOST_S, QUIET_S, Liveliness
from bt_executive.client.requests import GoalRequest, MemoryRequest, ToolRequest
from bt_executive.client.state_text import in_words as state_in_words
from bt_executive.client.state_text import status_in_words
from bt_executive.core.state import state_to_json
from bt_executive.ros.client.answer_limit import LIMIT_S, AnswerLimit
from bt_executive.ros.client.border import ConsoleBorder
from bt_executive.ros.client.by_hand import RobotByHand
from bt_executive.ros.client.front_end import OPERATOR, FrontEnd
from bt_executive.ros.client.goals import ConsoleGoals
from bt_executive.ros.client.memory import ConsoleMemory
from bt_executive.ros.client.messages import requests_from_ros, words_from_ros
from bt_executive.ros.client.pictures import follow_captures
from bt_executive.ros.client.recording import RecordingWatch
from bt_executive.ros.client.spinning_node import SpinningNode
from bt_executive.ros.client.stage_watch import StageWatch
from bt_executive.ros.client.watch import ConsoleWatch, ask_for_state
from rover_common.config.settings import Config
from rover_common.errors import ProtocolError
from rover_common.ros.heartbeat import HEARTBEAT, LATEST
from rover_common.ros.latched import LATCHED
from rover_common.ros.names import relative
from rover_common.ros.sendable_message import sendable_message

PING_LIMIT_S = 1.0
CLOSE_LIMIT_S = 1.0
LOOK_S = 0.1
NO_HUMAN = 'Only a front end at which a human sits may do this.'


class ConsoleClient:
    """Implements `bt_executive.console.repl.Wire` and `bt_executive.console.session.Link`.

    Args:
        config: Names on the wire.
        put: Takes every event; called from this client's thread.
        ros_arguments: `--ros-args …` of the command line, for the namespace above all.
        front_end: What it is, and so what it may ask.
        limit_s: For the answer to a question, steady seconds.

    Raises:
        UsageError: The ROS arguments cannot be used, or ROS refuses the node.
    """

    def __init__(
        self,
        config: Config,
        put: Callable[[ClientEvent], None],
        ros_arguments: Sequence[str] = (),
        front_end: FrontEnd = OPERATOR,
        limit_s: float = LIMIT_S,
    ) -> None:
        self._config = config
        self._put = put
        self._spinning = SpinningNode(
            front_end.node,
            front_end.enclave,
            ros_arguments,
            lambda fault: put(ClientFailed(fault)),
        )
        self._node, self._executor = self._spinning.node, self._spinning.executor
        self._limit = AnswerLimit(self._node, limit_s)
        self._trace_topic = relative(config.topics.trace.events)
        self._services = {
            **{
                question: self._node.create_client(Trigger, f'executive/{name}')
                for question, name in front_end.services.items()
            },
            'get_status': self._node.create_client(
                Trigger, relative(config.topics.adapter.get_status.name)
            ),
        }
        status = config.skills.skills.get('get_status')
        self._units = status.result.units if status else {}
        self._resolving = (
            self._node.create_client(ResolveApproval, 'executive/resolve_approval')
            if front_end.human
            else None
        )
        self._waiting: list[dict[str, Any]] = []  # requests for approval, as on ~/approvals
        self._generation = 0  # one per life of the executive; older answers mean nothing
        self._ready = False
        self._run_id = ''
        self._liveliness = Liveliness()
        self._quiet = False
        self._ping: Future | None = None
        self._ping_by = 0.0
        trace_qos = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)
        self._border = ConsoleBorder(self._node, put)
        border = self._border
        self._goals = ConsoleGoals(border, put, config.executive.goal, front_end)
        border.subscribe(
            String, self._trace_topic, lambda text: put(read_event(text.data)), trace_qos
        )
        if config.executive.agent.verbose:
            border.subscribe(
                PlannerWords,
                'executive/planner/words',
                lambda words: put(words_from_ros(words)),
                500,
            )
        border.subscribe(ApprovalRequests, 'executive/approvals', self._take_waiting, LATCHED)
        self._node.create_subscription(Heartbeat, HEARTBEAT, self._on_heartbeat, LATEST)
        RecordingWatch(self._node, put)
        human = front_end.human
        self._hands = RobotByHand(self._node, put, config, limit_s) if human else None
        self._memory = ConsoleMemory(self._node, config, put, limit_s) if human else None
        self._stage: StageWatch | None = None
        self._watch: ConsoleWatch | None = None
        self._watch_ended = threading.Event()
        self._node.create_timer(LOOK_S, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._spinning.start()

    def start(self, ticket: int, request: GoalRequest | ToolRequest) -> None:
        """Sends a goal; a `GoalEnded` with this ticket follows."""
        self._goals.add(ticket, request)  # here: tasks run in no promised order
        self._executor.create_task(self._goals.send_next)

    def cancel_goal(self, ticket: int) -> None:
        """Cancels one goal; a `GoalEnded` with this ticket follows."""
        self._executor.create_task(self._goals.cancel, ticket)

    def cancel(self) -> None:
        """Cancels every goal that was sent and has not ended; a `GoalEnded` follows for each."""
        self._executor.create_task(self._goals.cancel_all)

    def ask(self, question: str) -> None:
        """Calls a service of the executive, or get_status; or tells its state or what is pending.

        An `Answered` follows.
        """
        own = {
            'pending': self._tell_pending,
            'state': self._tell_state,
            'state_json': self._tell_state_json,
        }
        self._executor.create_task(own.get(question, self._call), question)

    def resolve(self, answer: Resolve) -> None:
        """Answers a request for approval; an `Answered` follows."""
        self._executor.create_task(self._resolve, answer)

    def ask_memory(self, request: MemoryRequest) -> None:
        """Asks the spatial memory; an `Answered` follows."""
        if self._memory is None:
            raise ProtocolError(NO_HUMAN)
        self._executor.create_task(self._memory.ask, request)

    def watch(self) -> None:
        """From now on tells of the executive's state and tree, too."""
        self._executor.create_task(self._begin_watch)

    def watch_pictures(self) -> None:
        """From now on tells of each picture that is taken: `PictureSeen`."""
        self._executor.create_task(follow_captures, self._node, self._config.topics, self._put)

    def watch_stage(self) -> None:
        """From now on tells of all that a page shows: pictures, plans, the adapter, faults."""
        self._executor.create_task(self._begin_stage)

    def want_camera(self) -> None:
        """Somebody looks at the camera; to be said again and again."""
        if self._stage is not None:
            self._stage.want_camera()

    def set_manual(self, wanted: bool) -> None:
        """Switches manual mode; an `Answered` follows."""
        self._executor.create_task(self._by_hand.set_manual, wanted)

    def drive(self, motion: str) -> None:
        """A motion is held for a moment, in manual mode; empty: let go."""
        self._by_hand.drive(motion)

    def set_fault(self, node: str, fault: str, on: bool | None = None) -> None:
        """Switches a fault of the embedded rover; an `Answered` follows."""
        self._executor.create_task(self._by_hand.set_fault, node, fault, on)

    def executive_died(self) -> None:
        """The executive's process is gone: what was heard of it means nothing any more."""
        self._executor.create_task(self._forget, 'The executive ended.')

    def close(self) -> None:
        """Leaves the ROS graph."""
        self._executor.create_task(self._end_watch)
        self._watch_ended.wait(CLOSE_LIMIT_S)
        self._spinning.close()

    # --- is the executive there? ---------------------------------------------------------------

    def _look(self) -> None:
        now = time.monotonic()
        self._goals.look(now)
        if self._stage is not None:
            self._stage.look()
        silence_s = self._liveliness.silence()
        if self._ready:
            self._tell_quiet(silence_s > QUIET_S)
            if silence_s > LOST_S:
                self._lose(f'The executive has been silent for {LOST_S:.0f} s.')
        elif self._ping is None or self._ping_by < now:
            self._send_ping(now)

    def _tell_quiet(self, quiet: bool) -> None:
        if quiet != self._quiet:
            self._quiet = quiet
            self._put(ExecutiveQuiet(quiet))

    def _send_ping(self, now: float) -> None:
        """Asks for the tree: after a restart the graph still shows the dead for a while."""
        client = self._services['show_tree']
        if self._ping is not None:
            client.remove_pending_request(self._ping)
            self._ping = None
        if not (
            client.service_is_ready()
            and self._goals.server_is_ready()
            and self._node.count_publishers(self._trace_topic)
        ):
            return
        self._ping_by = now + PING_LIMIT_S
        self._ping = client.call_async(Trigger.Request())
        generation = self._generation
        self._ping.add_done_callback(lambda _: self._on_pong(generation))

    def _on_pong(self, generation: int) -> None:
        if generation == self._generation and not self._ready:
            self._ready = True
            self._liveliness.assert_now()
            self._put(ExecutiveReady())
            ask_for_state(self._border, lambda seen: self._on_first_state(generation, seen))
            if self._watch is not None:
                self._watch.executive_ready()
            if self._stage is not None:
                self._by_hand.read_faults()

    def _on_first_state(self, generation: int, seen: StateSeen) -> None:
        if generation == self._generation:
            state = seen.state
            self._goals.executive_ready(state.tasks, state.world.safety_reason)

    def _on_heartbeat(self, beat: Heartbeat) -> None:
        restarted = self._ready and self._run_id and beat.sender != self._run_id
        self._run_id = beat.sender
        self._liveliness.assert_now()
        if restarted:
            self._lose('The executive was restarted.')

    def _lose(self, reason: str) -> None:
        self._forget(reason)
        self._put(ExecutiveLost(reason))

    def _forget(self, reason: str) -> None:
        self._generation += 1
        self._ready = self._quiet = False
        self._run_id = ''
        self._ping_by = 0.0
        self._goals.executive_gone(reason)
        self._waiting = []
        if self._watch is not None:
            self._watch.executive_gone()

    @property
    def _by_hand(self) -> RobotByHand:
        if self._hands is None:
            raise ProtocolError(NO_HUMAN)
        return self._hands

    def _begin_watch(self) -> None:
        self._watch = ConsoleWatch(self._border, self._put)
        if self._ready:
            self._watch.executive_ready()

    def _begin_stage(self) -> None:
        self._begin_watch()
        self._stage = StageWatch(self._border, self._take_stage, self._config, self._by_hand.life)
        if self._ready:
            self._by_hand.read_faults()

    def _take_stage(self, event: ClientEvent) -> None:
        if isinstance(event, AdapterSeen):
            self._by_hand.adapter(event)
        self._put(event)

    def _end_watch(self) -> None:
        if self._watch is not None:
            self._watch.close()
        self._watch_ended.set()

    # --- questions and trace -------------------------------------------------------------------

    def _call(self, question: str) -> None:
        client = self._services[question]
        if question in ('stop', 'safe_stop'):
            self._goals.call_off()
        if not client.service_is_ready():
            self._put(Answered(question, False, f'Nobody answers at {client.srv_name} now.'))
            return
        told = self._on_status if question == 'get_status' else self._on_answer
        asked = client.call_async(Trigger.Request())
        asked.add_done_callback(lambda future: told(question, future.result()))
        if question not in STOPS | RELEASES:  # these count until the executive is lost
            self._watch_answer(client, asked, question)

    def _on_status(self, question: str, response: Trigger.Response) -> None:
        self._put(
            Answered(question, response.success, status_in_words(response.message, self._units))
        )

    def _tell_pending(self, question: str) -> None:
        self._put(Answered(question, True, in_words(self._waiting, time.time())))

    def _tell_state(self, question: str) -> None:
        def tell(seen: StateSeen) -> None:
            self._put(Answered(question, True, state_in_words(seen.state, seen.now)))

        ask_for_state(self._border, tell)

    def _tell_state_json(self, question: str) -> None:
        def tell(seen: StateSeen) -> None:
            self._put(Answered(question, True, state_to_json(seen.state)))

        ask_for_state(self._border, tell)

    def _resolve(self, answer: Resolve) -> None:
        if self._resolving is None:
            self._put(Answered(RESOLVE, False, 'Only the operator answers requests.'))
            return
        if not self._resolving.service_is_ready():
            name = self._resolving.srv_name
            self._put(Answered(RESOLVE, False, f'Nobody answers at {name} now.'))
            return
        request = ResolveApproval.Request(
            request_id=answer.request_id,
            action=answer.action,
            arguments=answer.arguments,
            word=answer.word,
        )
        asked = self._resolving.call_async(sendable_message(request))
        asked.add_done_callback(lambda future: self._on_answer(RESOLVE, future.result()))
        self._watch_answer(self._resolving, asked, RESOLVE)

    def _watch_answer(self, client: Any, asked: Future, question: str) -> None:
        self._limit.watch(client, asked, lambda why: self._put(Answered(question, False, why)))

    def _on_answer(
        self, question: str, response: Trigger.Response | ResolveApproval.Response
    ) -> None:
        self._put(Answered(question, response.success, response.message))

    def _take_waiting(self, message: ApprovalRequests) -> None:
        self._waiting = requests_from_ros(message)
        self._put(Waiting(tuple(self._waiting), time.time()))
