"""The node `vision`: looks, watches and remembers, and serves clients that have pictures.

Actions: vision/look and vision/look_at_screen (bt_executive_interfaces/action/Look), which the
executive's tree calls. Service: vision/watch (bt_executive_interfaces/srv/SetWatch).
Sends executive/execute_goal (bt_executive_interfaces/action/ExecuteGoal), so that every look of a
chat or of the watch passes the tree. Listens to capture/image_raw/compressed
(sensor_msgs/msg/CompressedImage) only while it looks, and to executive/state only while it
watches. Publishes what the watch says on trace/events, and /diagnostics. Names in topics.yaml.

The gateway for clients (docs/vision.md) has a thread and an asyncio loop of its own; what passes
between that loop and ROS is handed over, never shared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future as Concurrent
import json
import os
import time
from typing import Any, TypeVar
import uuid

from action_msgs.msg import GoalStatus
from bt_executive_interfaces.action import ExecuteGoal, Look
from bt_executive_interfaces.srv import SetWatch
from rclpy.action import ActionClient, ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.subscription import Subscription
from rclpy.task import Future
from sensor_msgs.msg import CompressedImage
from std_msgs.msg import String

from rover_common.errors import BtExecutiveError, EpisodesError
from rover_common.health import Health, Level, Part, error
from rover_common.json_text import read_json_object
from rover_common.printable import one_line
from rover_common.ros.conversions import seconds_from_ros
from rover_common.ros.diagnostics import report_diagnostics
from rover_common.ros.latched import LATCHED
from rover_common.ros.names import relative
from rover_common.ros.parameters import ConfigParameters
from rover_common.ros.run_node import NodeOptions, run_node
from rover_common.trace_event import TraceEvent, event_to_json
from rover_vision.capture.capture_requests import LookCode, LookFault
from rover_vision.capture.clients import Source
from rover_vision.chat.looking import LookOrder
from rover_vision.gateway.access import token_of
from rover_vision.gateway.server import listening_socket
from rover_vision.location import vision_folder
from rover_vision.look_service import LookAnswer, LookService
from rover_vision.process import VisionProcess
from rover_vision.seeing.model import make_model
from rover_vision.tree_looks import TreeLooks
from rover_vision.watch.change import WatchChange
from rover_vision.watch.runner import EVENT
from rover_vision.watch.schedule import Quiet
from rover_vision.watch.settings import TellWhen

EXECUTIVE = 'executive'
TOOLS = {Source.CAMERA: 'look', Source.DESKTOP: 'look_at_screen'}  # of skills.yaml
WATCH_PRIORITY = -10  # any goal of an operator goes before it
CAMERA_KEPT_S = 30.0  # the camera is listened to for so long after a look
STATE_MAX_AGE_S = 5.0
HOUSEKEEPING_S = 0.5
ONE_PICTURE = QoSProfile(depth=1)
TRACE_QOS = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
PARAMETERS = (('vision',),)
Result = TypeVar('Result')


class VisionNode(Node):
    """Wires the parts of vision to ROS.

    Raises:
        UsageError: The port is in use, or there is no token.
    """

    def __init__(self, options: NodeOptions) -> None:
        super().__init__('vision', **options.node_arguments())
        self._config = ConfigParameters(self, options.config, PARAMETERS).config
        self._group = ReentrantCallbackGroup()
        self._awaiting: list[Callable[[bytes, float], None]] = []
        self._camera: Subscription | None = None
        self._camera_used_at = 0.0
        self._state: Subscription | None = None
        self._mode, self._goals, self._heard_at = '', 0, 0.0
        self._under_way: dict[bytes, Concurrent[LookAnswer]] = {}
        self._process = self._make_process()
        self._offer()
        self._process.start(self, self._make_looks, self, self._quiet)
        report_diagnostics(
            self,
            [
                Part('gateway', self._gateway_health, self._gateway_figures),
                Part('watch', self._watch_health),
            ],
        )
        self.get_logger().info(f'Clients are served on port {self._process.server.port}')

    def shut_down(self, _executor: Executor) -> None:
        """Closes the gateway."""
        self._process.end()
        for server in self._servers:
            server.destroy()

    def _make_process(self) -> VisionProcess:
        settings = self._config.vision
        folder = vision_folder(self._config, os.environ, self.get_namespace())
        token = token_of(os.environ, folder, settings.host)
        listening = listening_socket(settings.host, settings.port)
        try:
            model = make_model(self._config, os.environ)
            return VisionProcess(settings, folder, token, listening, model)
        except BtExecutiveError:
            listening.close()
            raise

    def _offer(self) -> None:
        topics = self._config.topics.vision
        self._trace = self.create_publisher(
            String, relative(self._config.topics.trace.events), TRACE_QOS
        )
        self._goal_client = ActionClient(
            self, ExecuteGoal, f'{EXECUTIVE}/execute_goal', callback_group=self._group
        )
        self._servers = [
            self._look_server(topics.look.name, Source.CAMERA),
            self._look_server(topics.look_at_screen.name, Source.DESKTOP),
        ]
        self.create_service(
            SetWatch, relative(topics.watch.name), self._set_watch, callback_group=self._group
        )
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(
            HOUSEKEEPING_S, self._keep_house, callback_group=self._group, clock=steady
        )

    def _look_server(self, name: str, source: Source) -> ActionServer:
        async def look(handle: ServerGoalHandle) -> Look.Result:
            return await self._look(handle, source)

        return ActionServer(
            self,
            Look,
            relative(name),
            look,
            callback_group=self._group,
            cancel_callback=self._cancel_look,
        )

    # --- looks that the tree calls ---------------------------------------------------------------

    async def _look(self, handle: ServerGoalHandle, source: Source) -> Look.Result:
        if handle.request.source in [each.value for each in Source]:
            source = Source(handle.request.source)
        handle.publish_feedback(Look.Feedback(stage='capturing'))
        looking = self._process.server.submit(
            self._process.looks.look(source, handle.request.question)
        )
        goal_id = bytes(handle.goal_id.uuid)
        self._under_way[goal_id] = looking
        await self._done(looking)
        del self._under_way[goal_id]
        if looking.cancelled():
            handle.canceled()
            fault = LookFault(LookCode.CANCELLED, 'The look was cancelled.')
            return _result(LookAnswer(fault))
        failed = looking.exception()
        if failed is not None:
            fault = LookFault(LookCode.BAD_ANSWER, one_line(f'The look failed: {failed}'))
            self.get_logger().error(fault.sentence)
            handle.abort()
            return _result(LookAnswer(fault))
        answer = looking.result()
        handle.succeed() if answer.fault is None else handle.abort()
        return _result(answer)

    def _cancel_look(self, handle: ServerGoalHandle) -> CancelResponse:
        looking = self._under_way.get(bytes(handle.goal_id.uuid))
        if looking is not None:
            looking.cancel()
        return CancelResponse.ACCEPT

    def _done(self, work: Concurrent[Result]) -> Future:
        """A future of ROS that is done when this one of the loop is, whatever came of it."""
        done = Future()

        def wake(_work: Concurrent[Result]) -> None:
            done.set_result(None)
            if self.executor is not None:
                self.executor.wake()

        work.add_done_callback(wake)
        return done

    # --- looks of chat and watch: through the tree -----------------------------------------------

    def _make_looks(self, service: LookService) -> TreeLooks:
        return TreeLooks(service, self._send_goal)

    def _send_goal(self, order: LookOrder, ended: Callable[[str], None]) -> Callable[[], None]:
        """Sends a look to the tree, from the loop; `ended` gets the sentence of its end.

        Returns what cancels it.
        """
        sent = _SentGoal(self._goal_client, ended)
        goal = ExecuteGoal.Goal(
            goal=TOOLS[order.source],
            tool=TOOLS[order.source],
            arguments=json.dumps({'question': order.question} if order.question else {}),
            priority=WATCH_PRIORITY if order.purpose == EVENT else 0,
        )
        self._in_ros(lambda: sent.send(goal))
        return lambda: self._in_ros(sent.cancel)

    def _in_ros(self, work: Callable[[], None]) -> None:
        """Has something done by the thread that serves ROS."""
        if self.executor is not None:
            self.executor.create_task(work)

    # --- the rover's camera ----------------------------------------------------------------------

    def next_picture(self, take: Callable[[bytes, float], None]) -> None:
        """See `rover_vision.rover_camera.CameraFeed`; from the loop."""

        def await_it() -> None:
            self._awaiting.append(take)
            self._camera_used_at = time.monotonic()
            if self._camera is None:
                self._camera = self.create_subscription(
                    CompressedImage,
                    relative(self._config.topics.images.output_capture_compressed),
                    self._take_picture,
                    ONE_PICTURE,
                    callback_group=self._group,
                )

        self._in_ros(await_it)

    def _take_picture(self, message: CompressedImage) -> None:
        awaiting, self._awaiting = self._awaiting, []
        if awaiting:
            data, stamp_s = bytes(message.data), seconds_from_ros(message.header.stamp)
            for take in awaiting:
                take(data, stamp_s)

    # --- the watch -------------------------------------------------------------------------------

    async def _set_watch(
        self, request: SetWatch.Request, response: SetWatch.Response
    ) -> SetWatch.Response:
        work = self._process.server.submit(self._changed_watch(request))
        await self._done(work)
        response.success, response.message = work.result()
        return response

    async def _changed_watch(self, request: SetWatch.Request) -> tuple[bool, str]:
        """In the loop."""
        watch = self._process.watch
        try:
            if not request.only_tell:
                when = TellWhen(request.tell_when) if request.tell_when else None
                change = WatchChange(
                    request.on, request.every_s or None, request.target or None, when
                )
                watch.set(change.applied(watch.settings))
        except (ValueError, EpisodesError) as refused:
            return False, str(refused)
        seen = f' {watch.fault}' if watch.fault and watch.settings.enabled else ''
        return True, f'{watch.settings}{seen}'

    def _quiet(self) -> Quiet | None:
        """Why the watch is to be silent; from the loop."""
        if time.monotonic() - self._heard_at > STATE_MAX_AGE_S:
            return Quiet.UNKNOWN
        if self._mode in (Quiet.SAFE.name, Quiet.CHARGE.name):
            return Quiet[self._mode]
        return Quiet.BUSY if self._goals else None

    def _take_state(self, message: String) -> None:
        try:
            tasks = read_json_object(message.data).get('tasks')
        except ValueError:
            return
        if isinstance(tasks, Mapping):
            queue = tasks.get('queue')
            self._mode, self._heard_at = str(tasks.get('mode')), time.monotonic()
            self._goals = len(queue) if isinstance(queue, list) else 0

    def event(self, kind: str, data: Mapping[str, Any], number: int) -> None:
        """See `rover_vision.watch.runner.Teller`; from the loop."""
        self._process.events.publish(kind, data, number)

    def say(self, text: str, episode: int) -> None:
        """See `rover_vision.watch.runner.Teller`; from the loop."""
        self._tell('OBSERVE', f'watch: {text}', {'episode': episode})

    def warn(self, text: str) -> None:
        """See `rover_vision.watch.runner.Teller`; from the loop."""
        self.get_logger().warning(one_line(text))
        self._tell('ERROR', text, {})

    def _tell(self, kind: Any, text: str, data: dict[str, Any]) -> None:
        now = self.get_clock().now().nanoseconds * 1e-9
        event = TraceEvent(str(uuid.uuid4()), now, kind, one_line(text), 'watch', data=data)
        self._in_ros(lambda: self._trace.publish(String(data=event_to_json(event))))

    # --- housekeeping ----------------------------------------------------------------------------

    def _keep_house(self) -> None:
        now = time.monotonic()
        idle = not self._awaiting and now - self._camera_used_at > CAMERA_KEPT_S
        if self._camera is not None and idle:
            self.destroy_subscription(self._camera)
            self._camera = None
        wanted = self._process.watch.settings.enabled
        if wanted and self._state is None:
            self._state = self.create_subscription(
                String,
                f'{EXECUTIVE}/state',
                self._take_state,
                LATCHED,
                callback_group=self._group,
            )
        elif not wanted and self._state is not None:
            self.destroy_subscription(self._state)
            self._state = None

    def _gateway_health(self) -> Health:
        return Health() if self._process.server.alive else error('The gateway has ended')

    def _gateway_figures(self) -> dict[str, float]:
        counts = self._process.captures.counts
        return {
            'port': self._process.server.port,
            'sockets': self._process.events.open_sockets,
            'waiting': self._process.captures.waiting,
            'late': counts.late,
            'doubled': counts.doubled,
            'wrong_client': counts.wrong_client,
            'unknown': counts.unknown,
        }

    def _watch_health(self) -> Health:
        watch = self._process.watch
        fault = watch.fault if watch.settings.enabled else ''
        return Health(Level.WARN, fault) if fault else Health(reason=str(watch.settings))


class _SentGoal:
    """A look on its way through the tree; used by the thread that serves ROS alone."""

    def __init__(self, client: ActionClient, ended: Callable[[str], None]) -> None:
        self._client = client
        self._ended = ended
        self._handle: Any = None
        self._cancelled = False

    def send(self, goal: ExecuteGoal.Goal) -> None:
        """Sends it, if somebody takes it."""
        if not self._client.server_is_ready():
            self._ended('The executive is not there, and nobody looks without its leave')
            return
        self._client.send_goal_async(goal).add_done_callback(self._on_accepted)

    def cancel(self) -> None:
        """Ends it, also before it was accepted."""
        self._cancelled = True
        if self._handle is not None:
            self._handle.cancel_goal_async()

    def _on_accepted(self, future: Future) -> None:
        self._handle = future.result()
        if not self._handle.accepted:
            self._ended('The executive does not accept the look')
            return
        if self._cancelled:
            self._handle.cancel_goal_async()
        self._handle.get_result_async().add_done_callback(self._on_result)

    def _on_result(self, future: Future) -> None:
        found = future.result()
        done = found.status == GoalStatus.STATUS_SUCCEEDED
        self._ended(found.result.answer or ('done' if done else 'it has ended without a reason'))


def _result(answer: LookAnswer) -> Look.Result:
    return Look.Result(
        error_code=answer.fault.code.value if answer.fault else '',
        message=answer.fault.sentence if answer.fault else '',
        answer=answer.answer,
        episode=answer.episode,
        stamp=answer.stamp_s,
        measured=answer.measured,
    )


def main() -> None:
    """Runs the node as a process."""
    run_node(VisionNode)


if __name__ == '__main__':
    main()
