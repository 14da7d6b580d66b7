"""The node `visualizer`: what happens, as markers for RViz.

Listens to /trace/events (std_msgs/msg/String, JSON), tf, the executive's ~/state and ~/approvals,
the adapter's status, navigation path and keep-out zones, and the memory's places
(vision_msgs/msg/Detection3DArray); publishes /visualization_marker_array
(visualization_msgs/msg/MarkerArray) in the world frame, /robot_description (std_msgs/msg/String),
and /diagnostics. Names in topics.yaml.
Nothing that others publish, or do not publish, ends it.

While somebody listens, it sends what has changed, and seldom everything, for a viewer that
missed something. A viewer that comes is sent everything at once.
"""

from __future__ import annotations

from collections.abc import Callable
import math
import time
from typing import Any

from bt_executive_interfaces.msg import (
    AdapterStatus,
    ApprovalRequests,
    ExecutiveState,
    KeepOutZones,
)
from nav_msgs.msg import Path
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

from curiosity_viz.marker_messages import (
    changes_to_ros,
    path_from_ros,
    places_from_ros,
    requests_from_ros,
)
from curiosity_viz.markers import FARTHEST_M, MarkerKeeper, is_drawable, plain
from curiosity_viz.mode_and_requests import ExecutiveView
from curiosity_viz.navigation_path_and_keep_out import PlannedPath, drawable_zones, is_in_sight
from curiosity_viz.remembered_places import RememberedPlace
from curiosity_viz.rover_and_its_path import RoverPath, rover_urdf
from curiosity_viz.scene import Scene, build_markers
from curiosity_viz.scored_places import Captures
from curiosity_viz.trace_board import TraceView
from rover_common.config.settings import KeepOutZone
from rover_common.diagnostic_status import Health, Part, stale
from rover_common.geometry.transforms import Transform
from rover_common.ros.config_as_ros_parameters import ConfigParameters
from rover_common.ros.diagnostics_publisher import report_diagnostics
from rover_common.ros.keep_out_messages import all_zones_from_ros
from rover_common.ros.node_topic_and_enclave_names import EXECUTIVE, relative_name
from rover_common.ros.polled_and_on_demand_subscriptions import SubscriptionOnDemand
from rover_common.ros.qos import LATCHED
from rover_common.ros.run_node import NodeOptions, run_node
from rover_common.ros.tf_listener import TfListener
from rover_common.ros.timers import STEADY, set_period

UPDATE_PERIOD_S = 0.2  # changes are shown at most this often, however many events come
REST_PERIOD_S = 1.0  # without viewers, while the rover does not move
REPEAT_PERIOD_S = 5.0
ADAPTER_SILENT_AFTER_S = 2.0
VIEWER_KEPT_S = (
    10.0  # subscriptions for viewers only are kept for this long after the last one has left
)
MISSED_AFTER_S = 2.0  # without messages for this long, something is missing in the picture
CLOCK_SET_BACK_S = 1.0
LONGEST_MESSAGE = 1 << 20  # characters; the executive's own stay far below
LONGEST_COMPLAINT = 300
COMPLAINT_PERIOD_S = 5.0
PARAMETERS = tuple(('thresholds', section) for section in ('trace', 'viz', 'quality'))
TRACE_QOS = QoSProfile(depth=100)
MARKER_QOS = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class VisualizerNode(Node):
    """Collects what there is to show and publishes it at its own pace."""

    def __init__(self, options: NodeOptions) -> None:
        super().__init__('visualizer', **options.node_arguments())
        self._config = ConfigParameters(self, options.config, PARAMETERS).config
        self._frame = self._config.topics.tf.world_frame
        self._trace = TraceView(self._config.thresholds.trace.buffer_size)
        self._executive = ExecutiveView()
        self._captures, self._path = Captures(), RoverPath()
        self._planned, self._adapter_received_at = PlannedPath(), 0.0
        self._zones: tuple[KeepOutZone, ...] = ()
        self._remembered: tuple[RememberedPlace, ...] = ()
        self._rover: Transform | None = None
        self._rover_seen_at = self._executive_received_at = -math.inf
        self._ignored = 0
        self._keeper = MarkerKeeper()
        self._viewers, self._sent_all_at = 0, 0.0
        self._tf = TfListener(self)
        self._listen()
        self._markers = self.create_publisher(
            MarkerArray, relative_name(self._config.topics.viz.marker_array), MARKER_QOS
        )
        model = self.create_publisher(
            String, relative_name(self._config.topics.viz.robot_description), LATCHED
        )
        model.publish(String(data=rover_urdf(self._config.topics.tf.base_frame)))
        self._timer = self.create_timer(UPDATE_PERIOD_S, self._on_timer, clock=STEADY)
        report_diagnostics(self, [Part('view', self._health, self._figures)])

    def _listen(self) -> None:
        topics = self._config.topics
        for type_, name, take, qos in (
            (String, topics.trace.events, self._on_event, TRACE_QOS),
            (ApprovalRequests, f'{EXECUTIVE}/approvals', self._on_requests, LATCHED),
            (KeepOutZones, topics.adapter.keep_out.name, self._on_zones, LATCHED),
            (Path, topics.adapter.navigation_path.name, self._on_path, LATCHED),
            *self._places_to_follow(),
        ):
            self.create_subscription(type_, relative_name(name), self._reader(name, take), qos)
        # Subscribed to while there are viewers: only the current state is drawn.
        self._drawn = tuple(
            SubscriptionOnDemand(
                self, type_, relative_name(name), self._reader(name, take), LATCHED, VIEWER_KEPT_S
            )
            for type_, name, take in (
                (ExecutiveState, f'{EXECUTIVE}/state', self._on_state),
                (AdapterStatus, topics.adapter.status.name, self._on_status),
            )
        )

    def _places_to_follow(self) -> list[tuple[Any, str, Callable[[Any], None], QoSProfile]]:
        """What the memory remembers; its messages are not installed where it is not."""
        try:
            from vision_msgs.msg import Detection3DArray
        except ModuleNotFoundError:
            return []
        return [(Detection3DArray, self._config.topics.memory.places, self._on_places, LATCHED)]

    def _reader(self, name: str, take: Callable[[Any], None]) -> Callable[[Any], None]:
        """A callback that logs what it cannot read, whatever it is."""

        def read(message: Any) -> None:
            try:
                take(message)
            except ValueError as error:
                self._ignored += 1
                fault = plain(f'A message on {name} was ignored: {error}', LONGEST_COMPLAINT)
                self.get_logger().warning(fault, throttle_duration_sec=COMPLAINT_PERIOD_S)

        return read

    def _on_event(self, message: String) -> None:
        self._captures.apply(self._trace.apply(_bounded(message.data)), self._whereabouts)

    def _on_state(self, state: ExecutiveState) -> None:
        self._executive_received_at = time.monotonic()
        reason = state.safety_reason or state.preempt_reason
        self._executive.update_state(state.mode, reason, self._executive_received_at)

    def _on_requests(self, message: ApprovalRequests) -> None:
        self._executive.update_requests(requests_from_ros(message))

    def _on_status(self, _status: AdapterStatus) -> None:
        self._adapter_received_at = time.monotonic()

    def _on_zones(self, message: KeepOutZones) -> None:
        zones = all_zones_from_ros(message)
        self._zones = drawable_zones(zones)
        names = [zone.name for zone in zones if not is_in_sight(zone)]
        if names:
            what = (
                f'Keep-out zones reach further than {FARTHEST_M:g} m and are drawn up to there: '
            )
            self.get_logger().warning(plain(what + ', '.join(names), LONGEST_COMPLAINT))

    def _on_path(self, path: Path) -> None:
        self._planned = path_from_ros(path, self._frame)

    def _on_places(self, message: Any) -> None:
        self._remembered = places_from_ros(message, self._frame)

    def _on_timer(self) -> None:
        moved = self._follow_rover()
        now = time.monotonic()
        viewers_before, self._viewers = self._viewers, self._markers.get_subscription_count()
        set_period(self._timer, UPDATE_PERIOD_S if self._viewers or moved else REST_PERIOD_S)
        for subscription in self._drawn:
            if self._viewers:
                subscription.request()
            subscription.update()
        if not self._viewers:
            return
        markers = build_markers(self._scene(now), self._config)
        if self._viewers > viewers_before or now - self._sent_all_at > REPEAT_PERIOD_S:
            self._sent_all_at = now
            changes = self._keeper.all(markers)
        else:
            changes = self._keeper.changes(markers)
        if changes:
            self._markers.publish(changes_to_ros(changes, self._frame))

    def _scene(self, now: float) -> Scene:
        driving = now - self._adapter_received_at < ADAPTER_SILENT_AFTER_S
        return Scene(
            lines=self._trace.lines,
            score=self._trace.score,
            report=self._executive.report(now),
            rover=self._rover,
            path=self._path.strokes,
            captures=self._captures.places,
            planned_path=self._planned if driving else PlannedPath(),
            zones=self._zones,
            remembered=self._remembered,
        )

    def _health(self) -> Health:
        """What is missing in the picture."""
        now, frames = time.monotonic(), self._config.topics.tf
        if now - self._rover_seen_at > MISSED_AFTER_S:
            return stale(f'no new transform {frames.world_frame!r} -> {frames.base_frame!r}')
        read_since = self._drawn[0].subscribed_at
        if read_since and now - max(self._executive_received_at, read_since) > MISSED_AFTER_S:
            return stale('no state of the executive')
        return Health()

    def _figures(self) -> dict[str, float]:
        now = time.monotonic()
        return {
            'viewers': self._viewers,
            'ignored_messages': self._ignored,
            'transform_age_s': now - self._rover_seen_at,
            'executive_state_age_s': now - self._executive_received_at,
        }

    def _follow_rover(self) -> bool:
        """Notes where the rover is; returns whether it has moved.

        A clock that was set back means a world that began anew.
        """
        before, self._rover = self._rover, self._whereabouts(None) or self._rover
        if self._rover is None or self._rover == before:  # also by its stamp
            return False
        self._rover_seen_at = time.monotonic()
        if before and self._rover.stamp < before.stamp - CLOCK_SET_BACK_S:
            self._path.clear()
            self._captures.clear()
        here = (self._rover.x, self._rover.y, self._rover.z)
        self._path.add(here)
        return before is None or here != (before.x, before.y, before.z)

    def _whereabouts(self, at: float | None) -> Transform | None:
        pose = self._tf.find(self._frame, self._config.topics.tf.base_frame, at)
        return pose if pose and is_drawable(pose.x, pose.y, pose.z) else None


def _bounded(text: str) -> str:
    if len(text) > LONGEST_MESSAGE:
        raise ValueError(f'it has {len(text)} characters, more than {LONGEST_MESSAGE}')
    return text


def main() -> None:
    """Runs the node as a process."""
    run_node(VisualizerNode)


if __name__ == '__main__':
    main()
