"""The node `vision`: takes pictures, watches, stores episodes, and serves clients with pictures.

Actions: vision/look and vision/look_at_screen (bt_executive_interfaces/action/Look), which the
executive's tree calls. Service: vision/watch (bt_executive_interfaces/srv/SetWatch).
Sends executive/execute_goal (bt_executive_interfaces/action/ExecuteGoal), so that every look of a
chat or of the watch passes the tree. Subscribes to capture/image_raw/compressed
(sensor_msgs/msg/CompressedImage) and executive/state only while it looks or watches. Publishes
comments of the watch on trace/events, the last look as vision/picture and vision/words
(sensor_msgs/msg/Image, std_msgs/msg/String), and /diagnostics. Names in topics.yaml.

The gateway for clients (docs/vision.md) has its own thread and asyncio loop; that loop and ROS
exchange values and share no state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future as Concurrent
import json
import os
from typing import Any
import uuid

from bt_executive_interfaces.action import ExecuteGoal
from bt_executive_interfaces.srv import SetWatch
from rclpy.action import ActionClient
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String

from rover_common.diagnostic_status import Health, Level, Part, error
from rover_common.errors import BtExecutiveError, EpisodesError
from rover_common.ros.config_as_ros_parameters import ConfigParameters
from rover_common.ros.diagnostics_publisher import report_diagnostics
from rover_common.ros.node_topic_and_enclave_names import EXECUTIVE, relative_name
from rover_common.ros.qos import action_qos
from rover_common.ros.run_node import NodeOptions, run_node
from rover_common.ros.timers import STEADY
from rover_common.text_sanitizing import one_line
from rover_common.trace_event import TraceEvent, event_to_json
from rover_vision.capture.connected_clients import Source
from rover_vision.episodes.episode_store import NewEpisode
from rover_vision.gateway.client_sockets_and_rover_camera import Shot
from rover_vision.gateway.gateway_access import token_of
from rover_vision.gateway.gateway_server import listening_socket
from rover_vision.look_request_and_result import LookRequest
from rover_vision.looks_through_the_tree import LookAnswer, TreeLooks
from rover_vision.place_of_look import Sight
from rover_vision.ros.look_actions import LookAction, SentGoal, done_in_ros
from rover_vision.ros.vision_topics import CameraTopic, LastLook, StateListener
from rover_vision.seeing.vision_model_from_config import make_model
from rover_vision.vision_folder import PORT_FILE, remove_port_file, vision_folder
from rover_vision.vision_process import VisionProcess
from rover_vision.watch.watch_looks import EVENT
from rover_vision.watch.watch_settings import TellWhen, WatchChange

TOOLS = {Source.CAMERA: 'look', Source.DESKTOP: 'look_at_screen'}  # of robot.yaml
WATCH_PRIORITY = -10  # below any goal of an operator
HOUSEKEEPING_S = 0.5
TRACE_QOS = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
PARAMETERS = (('vision',), ('executive', 'memory'))


class VisionNode(Node):
    """Connects the parts of vision to ROS.

    Raises:
        UsageError: The port is in use, or there is no token.
    """

    def __init__(self, options: NodeOptions) -> None:
        super().__init__('vision', **options.node_arguments())
        self._config = ConfigParameters(self, options.config, PARAMETERS).config
        self._group = ReentrantCallbackGroup()
        pictures = relative_name(self._config.topics.images.output_capture_compressed)
        self._camera = CameraTopic(self, pictures, self._group)
        memory = self._config.executive.memory
        sight = Sight(memory.view_m, memory.half_view_rad)
        self._state = StateListener(self, f'{EXECUTIVE}/state', self._group, sight)
        self._unsent: list[SentGoal] = []  # looks that wait for the executive
        vision = self._config.topics.vision
        self._last_look = LastLook(
            self, relative_name(vision.picture), relative_name(vision.words)
        )
        self._has_reported_port = False
        self._process = self._make_process()
        self._offer()
        self._process.start(
            self,
            lambda service: TreeLooks(service, self._send_goal),
            self,
            self._state.quiet,
            self._show,
        )
        report_diagnostics(
            self,
            [
                Part('gateway', self._gateway_health, self._gateway_figures),
                Part('watch', self._watch_health),
                Part('model', self._model_health),
            ],
        )
        self._publish_port()

    def shut_down(self, _executor: Executor) -> None:
        """Close the gateway."""
        self._process.end()
        remove_port_file(self._port_file, self._process.server.port)
        for action in self._look_actions:
            action.destroy()

    def _make_process(self) -> VisionProcess:
        settings = self._config.vision
        folder = vision_folder(self._config, os.environ, self.get_namespace())
        token = token_of(os.environ, folder, settings.host)
        listening = listening_socket(settings.host, settings.port, settings.port_tries)
        self._port_file = folder / PORT_FILE
        try:
            model, self._blind = make_model(self._config, os.environ)
            if self._blind:
                self.get_logger().warning(one_line(self._blind))
            return VisionProcess(settings, folder, token, listening, model)
        except BtExecutiveError:
            listening.close()
            raise

    def _offer(self) -> None:
        topics = self._config.topics.vision
        self._trace = self.create_publisher(
            String, relative_name(self._config.topics.trace.events), TRACE_QOS
        )
        self._goal_client = ActionClient(
            self,
            ExecuteGoal,
            f'{EXECUTIVE}/execute_goal',
            callback_group=self._group,
            **action_qos(),
        )
        self._look_actions = [
            LookAction(self, relative_name(each.name), source, self._start_look, self._group)
            for each, source in (
                (topics.look, Source.CAMERA),
                (topics.look_at_screen, Source.DESKTOP),
            )
        ]
        self.create_service(
            SetWatch, relative_name(topics.watch.name), self._set_watch, callback_group=self._group
        )
        self.create_timer(
            HOUSEKEEPING_S, self._do_housekeeping, callback_group=self._group, clock=STEADY
        )

    def _start_look(self, source: Source, question: str) -> Concurrent[LookAnswer]:
        """Start a look that the tree calls."""
        return self._process.server.submit(self._process.looks.look(source, question))

    def _send_goal(self, request: LookRequest, ended: Callable[[str], None]) -> Callable[[], None]:
        """Send a look to the tree, from the loop; `ended` receives the sentence of its end.

        Returns a function that cancels it.
        """
        goal = ExecuteGoal.Goal(
            sender='agent',  # a program that acts for the chat's user; subject to approval as such
            goal=TOOLS[request.source],
            tool=TOOLS[request.source],
            arguments=json.dumps({'question': request.question} if request.question else {}),
            priority=WATCH_PRIORITY if request.purpose == EVENT else 0,
        )
        sent = SentGoal(self._goal_client, goal, ended)
        self._in_ros(lambda: self._send_all([*self._unsent, sent]))
        return lambda: self._in_ros(sent.cancel)

    def _send_all(self, unsent: list[SentGoal]) -> None:
        self._unsent = [each for each in unsent if not each.try_send()]

    def _in_ros(self, function: Callable[[], None]) -> None:
        """Call a function in the thread that serves ROS."""
        if self.executor is not None:
            self.executor.create_task(function)

    def next_picture(self, take: Callable[[Shot], None]) -> None:
        """See `rover_vision.gateway.client_sockets_and_rover_camera.CameraFeed`; from the loop."""

        def taken(data: bytes, stamp_s: float) -> None:
            self._state.place_of(stamp_s, lambda place: take(Shot(data, stamp_s, place)))

        def subscribe() -> None:
            self._state.listen(True)
            self._camera.next_picture(taken)

        self._in_ros(subscribe)

    async def _set_watch(
        self, request: SetWatch.Request, response: SetWatch.Response
    ) -> SetWatch.Response:
        work = self._process.server.submit(self._changed_watch(request))
        await done_in_ros(self, work)
        response.success, response.message = work.result()
        return response

    async def _changed_watch(self, request: SetWatch.Request) -> tuple[bool, str]:
        """Change the watch, in the loop."""
        watch = self._process.watch
        try:
            if not request.only_tell:
                when = TellWhen(request.tell_when) if request.tell_when else None
                change = WatchChange(
                    request.on, request.every_s or None, request.target or None, when
                )
                watch.set(change.applied(watch.settings))
        except (ValueError, EpisodesError) as error:
            return False, str(error)
        fault = f' {watch.fault}' if watch.fault and watch.settings.enabled else ''
        return True, f'{watch.settings}{fault}'

    def event(self, kind: str, data: Mapping[str, Any], number: int) -> None:
        """See `rover_vision.watch.watch_looks.WatchListener`; from the loop."""
        self._process.events.publish(kind, data, number)

    def comment(self, text: str, episode: int) -> None:
        """See `rover_vision.watch.watch_looks.WatchListener`; from the loop."""
        self._publish('OBSERVE', f'watch: {text}', {'episode': episode})

    def warn(self, text: str) -> None:
        """See `rover_vision.watch.watch_looks.WatchListener`; from the loop."""
        self.get_logger().warning(one_line(text))
        self._publish('ERROR', text, {})

    def _publish(self, kind: Any, text: str, data: dict[str, Any]) -> None:
        self._in_ros(lambda: self._publish_trace(kind, text, data))

    def _publish_trace(self, kind: Any, text: str, data: dict[str, Any]) -> None:
        now = self.get_clock().now().nanoseconds * 1e-9
        event = TraceEvent(str(uuid.uuid4()), now, kind, one_line(text), 'watch', data=data)
        self._trace.publish(String(data=event_to_json(event)))

    def _show(self, episode: NewEpisode) -> None:
        """Publish the last look and its answer for RViz; from any thread."""
        try:
            messages = self._last_look.messages_for(episode)
        except OSError as error:  # a picture that Pillow cannot decode
            self.get_logger().warning(one_line(f'A picture cannot be shown: {error}'))
            return
        if messages is not None:
            self._in_ros(lambda: self._last_look.publish(*messages))

    def _do_housekeeping(self) -> None:
        if not self._has_reported_port and self._trace.get_subscription_count():
            self._has_reported_port = True
            if self._port_warning:
                self._publish_trace('OBSERVE', self._port_warning, {})
        self._send_all(self._unsent)
        self._camera.rest()
        self._state.give_up()
        self._state.listen(self._process.watch.settings.enabled or self._camera.in_use)

    def _publish_port(self) -> None:
        """Write the port to its file and log it; the trace gets it when it has a subscriber."""
        port = self._process.server.port
        self._port_file.write_text(f'{port}\n', encoding='ascii')
        self.get_logger().info(f'Clients are served on port {port}')
        if self._port_warning:
            self.get_logger().warning(self._port_warning)

    @property
    def _port_warning(self) -> str:
        """Return a warning if the port is not the configured one; empty: it is."""
        configured, port = self._config.vision.port, self._process.server.port
        if configured in (0, port):
            return ''
        return (
            f'Port {configured} is in use: vision serves its clients on port {port}. '
            'vision-client finds it there; tell other clients, or set vision.port.'
        )

    def _gateway_health(self) -> Health:
        if not self._process.server.alive:
            return error('The gateway has ended')
        return Health(Level.WARN, self._port_warning) if self._port_warning else Health()

    def _model_health(self) -> Health:
        return Health(Level.WARN, one_line(self._blind)) if self._blind else Health()

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


def main() -> None:
    """Run the node as a process."""
    run_node(VisionNode)


if __name__ == '__main__':
    main()
