"""The node `visualizer`: what happens, as markers for RViz.

Listens to /trace/events (std_msgs/msg/String, JSON) and tf; publishes /visualization_marker_array
(visualization_msgs/msg/MarkerArray) in the world frame, when something changed and otherwise
seldom, for an RViz that was started late. Names in topics.yaml. Nothing that others publish, or
do not publish, ends it.
"""

from __future__ import annotations

import time

from geometry_msgs.msg import Point as RosPoint
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import ColorRGBA, String
from visualization_msgs.msg import Marker as RosMarker
from visualization_msgs.msg import MarkerArray

from bt_executive.ros.names import relative
from bt_executive.ros.process import NodeOptions, run_node
from bt_executive.ros.tf import TfListener
from bt_executive.transforms import TransformError
from curiosity_viz.marker_builder import Key, Marker, Point, Scene, build_markers, gone
from curiosity_viz.rover_path import RoverPath
from curiosity_viz.trace_view import TraceView

LOOK_PERIOD_S = 0.2  # changes are shown at most this often, however many events come
REPEAT_PERIOD_S = 2.0
TRACE_QOS = QoSProfile(depth=100)
MARKER_QOS = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
SHAPES = {
    'cube': RosMarker.CUBE,
    'text': RosMarker.TEXT_VIEW_FACING,
    'line': RosMarker.LINE_STRIP,
}


class VisualizerNode(Node):
    """Collects what there is to show and publishes it at its own pace."""

    def __init__(self, options: NodeOptions) -> None:
        super().__init__('visualizer', **options.node_arguments())
        topics = options.config.topics
        self._frames = topics.tf
        self._thresholds = options.config.thresholds
        self._trace = TraceView(self._thresholds.trace.buffer_size)
        self._path = RoverPath()
        self._tf = TfListener(self)
        self._shown: tuple[Marker, ...] | None = None
        self._shown_at = 0.0
        self.create_subscription(String, relative(topics.trace.events), self._take, TRACE_QOS)
        self._markers = self.create_publisher(
            MarkerArray, relative(topics.viz.marker_array), MARKER_QOS
        )
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(LOOK_PERIOD_S, self._look, clock=steady)

    def _take(self, message: String) -> None:
        fault = self._trace.take(message.data)
        if fault:
            self.get_logger().warning(fault, throttle_duration_sec=5.0)

    def _look(self) -> None:
        markers = build_markers(self._scene(), self._thresholds)
        now = time.monotonic()
        if markers == self._shown and now - self._shown_at < REPEAT_PERIOD_S:
            return
        self._markers.publish(self._message(markers))
        self._shown, self._shown_at = markers, now

    def _scene(self) -> Scene:
        rover = self._rover()
        if rover is not None:
            self._path.take(rover)
        return Scene(self._trace.events, self._trace.score, rover, self._path.points)

    def _rover(self) -> Point | None:
        try:
            pose = self._tf.lookup(self._frames.world_frame, self._frames.base_frame)
        except TransformError:
            return None
        return pose.x, pose.y, pose.z

    def _message(self, markers: tuple[Marker, ...]) -> MarkerArray:
        """All markers, after what removes those that are no longer there."""
        frame = self._frames.world_frame
        if self._shown is None:
            removed = [_addressed(('', 0), frame, RosMarker.DELETEALL)]
        else:
            missing = gone(self._shown, markers)
            removed = [_addressed(key, frame, RosMarker.DELETE) for key in missing]
        return MarkerArray(markers=[*removed, *(marker_to_ros(each, frame) for each in markers)])


def marker_to_ros(marker: Marker, frame: str) -> RosMarker:
    """The message that adds or changes a marker; stamp zero: by the latest transform."""
    message = _addressed(marker.key, frame, RosMarker.ADD)
    message.type = SHAPES[marker.shape]
    position = message.pose.position
    position.x, position.y, position.z = marker.at
    message.pose.orientation.w = 1.0
    message.scale.x, message.scale.y, message.scale.z = marker.size
    red, green, blue, opacity = marker.colour
    message.color = ColorRGBA(r=red, g=green, b=blue, a=opacity)
    message.text = marker.text
    message.points = [RosPoint(x=x, y=y, z=z) for x, y, z in marker.points]
    return message


def _addressed(key: Key, frame: str, action: int) -> RosMarker:
    message = RosMarker(ns=key[0], id=key[1], action=action)
    message.header.frame_id = frame
    return message


def main() -> None:
    """Runs the node as a process."""
    run_node(VisualizerNode)


if __name__ == '__main__':
    main()
