"""A small stand-in for Nav2 and its base: action, velocities, and odometry of what arrives.

It drives towards the goal's x in a straight line, without looking at anything.
"""

from __future__ import annotations

from geometry_msgs.msg import Twist
from nav2_msgs.action import NavigateToPose
from nav_msgs.msg import Odometry
from rclpy.action import ActionServer, CancelResponse
from rclpy.action.server import ServerGoalHandle
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.task import Future

PERIOD_S, SPEED = 0.05, 0.4


class Nav2StandIn(Node):
    """`x`: where the base is, m. `frames`: of the goals. `fails`: the error code of the next."""

    def __init__(self, context: Context) -> None:
        super().__init__('nav2', context=context)
        self.x, self.speed, self.fails = 0.0, 0.0, 0
        self.frames: list[str] = []
        self._goal: ServerGoalHandle | None = None
        self._done: Future = Future()
        self._velocity = self.create_publisher(Twist, 'cmd_vel_nav', 10)
        self._odometry = self.create_publisher(Odometry, 'odom', qos_profile_sensor_data)
        self.create_subscription(Twist, 'cmd_vel', self._drive, 10)
        self.create_timer(PERIOD_S, self._step)
        self._server = ActionServer(
            self,
            NavigateToPose,
            'navigate_to_pose',
            execute_callback=self._execute,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
            callback_group=ReentrantCallbackGroup(),
        )

    async def _execute(self, handle: ServerGoalHandle) -> NavigateToPose.Result:
        self.frames.append(handle.request.pose.header.frame_id)
        if self.fails:
            handle.abort()
            return NavigateToPose.Result(error_code=self.fails)
        self._goal, self._done = handle, Future()
        await self._done
        self._goal = None
        if handle.is_cancel_requested:
            handle.canceled()
        else:
            handle.succeed()
        return NavigateToPose.Result()

    def _step(self) -> None:
        self.x += self.speed * PERIOD_S
        odometry = Odometry()
        odometry.twist.twist.linear.x = self.speed
        self._odometry.publish(odometry)
        goal = self._goal
        if goal is None or self._done.done():
            return
        left = goal.request.pose.pose.position.x - self.x
        velocity = Twist()
        if left > 0.0 and not goal.is_cancel_requested:
            velocity.linear.x = SPEED
            goal.publish_feedback(NavigateToPose.Feedback(distance_remaining=left))
        else:
            self._done.set_result(None)
        self._velocity.publish(velocity)

    def _drive(self, command: Twist) -> None:
        self.speed = command.linear.x
