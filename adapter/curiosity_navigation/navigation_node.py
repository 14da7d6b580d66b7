"""The node `curiosity_navigation`: drives to a pose, motion by motion, through the adapter.

Action: adapter/navigate_to_pose (bt_executive_interfaces/action/NavigateToPose).
Service: adapter/plan_path (bt_executive_interfaces/srv/PlanPath), which moves nothing.
Publishes adapter/motion_setpoint (bt_executive_interfaces/msg/MotionSetpoint) while a goal is
pursued, and adapter/navigation_path (nav_msgs/msg/Path, transient local).
Subscribes to adapter/status and adapter/keep_out (bt_executive_interfaces/msg/AdapterStatus and
KeepOutZones), tf and scan. It calls no service of the rover: only the adapter does.

The action is a coroutine and plans are made in a thread of their own, so one thread repeats the
setpoints, whatever else is going on.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
import time

from bt_executive_interfaces.action import NavigateToPose
from bt_executive_interfaces.msg import AdapterStatus, KeepOutZones, MotionSetpoint
from bt_executive_interfaces.srv import PlanPath
from nav_msgs.msg import Path
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.task import Future
from sensor_msgs.msg import LaserScan

from curiosity_navigation.adapter_client import SETPOINT_PERIOD_S
from curiosity_navigation.adapter_status_monitor import read_status
from curiosity_navigation.navigation_goal_progress import EndCode, Outcome
from curiosity_navigation.navigation_messages import (
    goal_from_ros,
    path_to_ros,
    preview_to_ros,
    scan_from_ros,
)
from curiosity_navigation.navigator import NavigatorParts
from curiosity_navigation.navigator_health import NavigatorHealth
from rover_common.clocks import Clocks
from rover_common.condition_waiter import ConditionWaiter
from rover_common.geometry.planar_motion import Pose2D
from rover_common.geometry.transforms import Transform, TransformError
from rover_common.motion_by_transforms import OTHER_CLOCK_S
from rover_common.ros.config_as_ros_parameters import ConfigParameters
from rover_common.ros.diagnostics_publisher import report_diagnostics
from rover_common.ros.heartbeat_setpoint_and_status import (
    LATEST,
    SETPOINT,
    setpoint_to_ros,
    status_from_ros,
)
from rover_common.ros.keep_out_messages import all_zones_from_ros
from rover_common.ros.message_conversions import seconds_from_ros
from rover_common.ros.node_topic_and_enclave_names import relative_name
from rover_common.ros.qos import LATCHED
from rover_common.ros.run_node import NodeOptions, run_node
from rover_common.ros.tf_listener import TfListener
from rover_common.ros.timers import STEADY, set_period
from rover_common.setpoint import Setpoint
from rover_common.text_sanitizing import one_line

PARAMETERS = (('executive', 'variant'), ('curiosity', 'navigation'))
SCAN_PERIOD_S = 0.2  # by its stamp, or steady; scans in between are left out
NAVIGATION_PERIOD_S = 0.05  # of the rover's time: half the period of its odometry
PROGRESS_PERIOD_S, REST_PERIOD_S = 0.2, 0.4  # steady; with a goal or a question, and without
ASLEEP_S = 0.5  # a process that has not read the clock for so long was suspended


class NavigationNode(Node):
    """Connects the parts of the navigator to ROS. Both clocks in s."""

    def __init__(
        self,
        options: NodeOptions,
        steady: Callable[[], float] = time.monotonic,
        system_time: Callable[[], float] = time.time,
    ) -> None:
        super().__init__('curiosity_navigation', **options.node_arguments())
        self._config = ConfigParameters(self, options.config, PARAMETERS).config
        self._steady = steady
        self._group = ReentrantCallbackGroup()
        self._waiter = ConditionWaiter(self._steady, Future)
        self._planning = ThreadPoolExecutor(1, thread_name_prefix='planning')
        self._setpoints = self.create_publisher(MotionSetpoint, SETPOINT, LATEST)
        self._parts = NavigatorParts(
            self._config,
            self._publish_setpoint,
            self._waiter,
            self._planning,
            Clocks(lambda: self.get_clock().now().nanoseconds * 1e-9, self._steady, ASLEEP_S),
            system_time,
            on_change=self._react,
        )
        self._tf = TfListener(self)
        self._last_failure: str | None = None
        self._shown_path: tuple[Pose2D, ...] | None = None
        self._goal: ServerGoalHandle | None = None
        self._scanned = 0.0, self._steady()  # stamp and time of arrival, s
        self._create_subscriptions()
        self._create_services()
        health = NavigatorHealth(self._parts, lambda: self._last_failure, self._steady)
        report_diagnostics(self, health.parts())

    def shut_down(self, _executor: Executor) -> None:
        """Ends the drive at once, so that the adapter need not wait for the timeout."""
        if self._parts.adapter.must_repeat:
            self._parts.adapter.give_up()
        self._planning.shutdown(wait=False, cancel_futures=True)
        self._action.destroy()

    def _create_subscriptions(self) -> None:
        topics = self._config.topics
        for type_, name, callback, qos in (
            (AdapterStatus, topics.adapter.status.name, self._on_status, LATCHED),
            (KeepOutZones, topics.adapter.keep_out.name, self._on_keep_out, LATCHED),
            (LaserScan, topics.rover.scan, self._on_scan, qos_profile_sensor_data),
        ):
            self.create_subscription(
                type_, relative_name(name), callback, qos, callback_group=self._group
            )

    def _create_services(self) -> None:
        topics = self._config.topics.adapter
        self._path = self.create_publisher(
            Path, relative_name(topics.navigation_path.name), LATCHED
        )
        self._publish_path()
        self._timer = self.create_timer(
            PROGRESS_PERIOD_S,
            self._on_timer,
            callback_group=self._group,
            clock=STEADY,
        )
        self._setpoint_timer = self.create_timer(
            SETPOINT_PERIOD_S,
            self._repeat_setpoint,
            callback_group=self._group,
            clock=STEADY,
            autostart=False,
        )
        self._navigation_timer = self.create_timer(
            NAVIGATION_PERIOD_S, self._react, callback_group=self._group, autostart=False
        )
        self._action = ActionServer(
            self,
            NavigateToPose,
            relative_name(topics.navigate_to_pose.name),
            self._navigate,
            callback_group=self._group,
            cancel_callback=lambda _handle: CancelResponse.ACCEPT,
        )
        self.create_service(
            PlanPath,
            relative_name(topics.plan_path.name),
            self._preview,
            callback_group=self._group,
        )

    async def _preview(
        self, request: PlanPath.Request, response: PlanPath.Response
    ) -> PlanPath.Response:
        self._react()
        set_period(self._timer, PROGRESS_PERIOD_S)
        found = await self._parts.navigator.preview(goal_from_ros(request))
        return preview_to_ros(found, response)

    async def _navigate(self, handle: ServerGoalHandle) -> NavigateToPose.Result:
        self._react()
        set_period(self._timer, PROGRESS_PERIOD_S)
        self._navigation_timer.reset()
        self._setpoint_timer.reset()
        goal, holds = goal_from_ros(handle.request), self._goal is None
        self._goal = self._goal or handle
        try:
            outcome = await self._parts.navigator.run(goal, lambda: handle.is_cancel_requested)
        finally:
            if holds:
                self._goal = None
                self._navigation_timer.cancel()
        self._end(handle, outcome)
        return NavigateToPose.Result(
            error_code=outcome.code.value, message=outcome.message, distance=outcome.distance
        )

    def _end(self, handle: ServerGoalHandle, outcome: Outcome) -> None:
        if outcome.code is EndCode.ARRIVED:
            handle.succeed()
        elif handle.is_cancel_requested:
            handle.canceled()
        else:
            self._last_failure = f'{outcome.code.value}: {outcome.message}'
            self.get_logger().warning(self._last_failure)
            handle.abort()

    def _publish_setpoint(self, setpoint: Setpoint) -> None:
        self._setpoints.publish(setpoint_to_ros(setpoint))

    def _on_status(self, message: AdapterStatus) -> None:
        adapter = self._parts.adapter
        try:
            adapter.update_status(read_status(status_from_ros(message), adapter.run_id))
        except ValueError as error:
            self.get_logger().warning(
                one_line(f'The status of the adapter cannot be used: {error}'),
                throttle_duration_sec=10.0,
            )
        self._react()

    def _on_keep_out(self, message: KeepOutZones) -> None:
        try:
            self._parts.keep_out.update(all_zones_from_ros(message))
        except ValueError as error:
            self.get_logger().warning(str(error))

    def _on_scan(self, message: LaserScan) -> None:
        at, now = seconds_from_ros(message.header.stamp), self._steady()
        elapsed_s = max(abs(at - self._scanned[0]), now - self._scanned[1])
        repeated = at == self._scanned[0]
        if repeated or elapsed_s < SCAN_PERIOD_S or self._parts.adapter.mast_moves:
            return
        self._scanned = at, now
        sensor = self._config.curiosity.navigation.scan.frame or message.header.frame_id
        try:
            base = self._place_at(at)
            mounted = self._tf.lookup(self._config.topics.tf.base_frame, sensor)
            scan = scan_from_ros(message)
        except (TransformError, ValueError) as error:
            self.get_logger().warning(f'Scan not used: {error}', throttle_duration_sec=10.0)
            return
        self._parts.obstacle_monitor.update(scan, base, mounted)

    def _place_at(self, time: float) -> Transform:
        """Return where the rover was at a ROS time, or where it was last if that is not known.

        Raises:
            TransformError: The position is not known.
            ValueError: The latest pose is much later. The pose and not the clock is the measure:
                both are equally late, however fast simulated time passes.
        """
        frames = self._config.topics.tf
        latest = self._tf.lookup(frames.world_frame, frames.base_frame)
        age, max_age_s = latest.stamp - time, self._config.curiosity.navigation.scan.max_age_s
        if max_age_s < age < OTHER_CLOCK_S:
            raise ValueError(f'it is {age:.1f} s older than the latest pose (scan.max_age_s)')
        return self._tf.find(frames.world_frame, frames.base_frame, time) or latest

    def _repeat_setpoint(self) -> None:
        self._parts.adapter.repeat_setpoint()
        self._react()
        if self._goal is None and not self._parts.adapter.must_repeat:
            self._setpoint_timer.cancel()

    def _on_timer(self) -> None:
        self._react()
        self._publish_feedback()
        if self._goal is None and not self._waiter.is_waiting:
            set_period(self._timer, REST_PERIOD_S)

    def _react(self) -> None:
        """Updates everything; called whenever time has passed or something has changed."""
        self._parts.watch(self._pose())
        self._waiter.evaluate()
        self._publish_path()

    def _publish_path(self) -> None:
        path = self._parts.navigator.places
        if path != self._shown_path:
            stamp = self.get_clock().now().to_msg()
            self._path.publish(path_to_ros(path, self._config.topics.tf.world_frame, stamp))
            self._shown_path = path
            self._publish_feedback()

    def _publish_feedback(self) -> None:
        progress = self._parts.navigator.progress
        if progress and self._goal and self._goal.is_active:
            self._goal.publish_feedback(
                NavigateToPose.Feedback(
                    distance_left=progress.distance_left, time_left=progress.time_left
                )
            )

    def _pose(self) -> Transform | None:
        frames = self._config.topics.tf
        return self._tf.find(frames.world_frame, frames.base_frame)


def main() -> None:
    """Runs the node as a process."""
    run_node(NavigationNode, keeps_pace=True)


if __name__ == '__main__':
    main()
