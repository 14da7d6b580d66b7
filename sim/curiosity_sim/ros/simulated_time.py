"""Simulated time: published on clock, kept in step with steady time and with its followers."""

from __future__ import annotations

from collections.abc import Callable

from builtin_interfaces.msg import Time
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.timer import Timer
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Header

from curiosity_sim.rover.followers_of_simulated_time import Followers
from curiosity_sim.rover.real_time_factor import STEP_S, RealTimeFactor
from rover_common.diagnostic_status import Part
from rover_common.ros.message_conversions import seconds_from_ros, seconds_to_ros
from rover_common.ros.timers import STEADY, set_period

# Steady; how often the simulation catches up with the clock: two steps at most, or 4 ms. Every
# node takes each /clock. A command makes up for what is due before it holds.
LONGEST_TICK_S, SHORTEST_TICK_S = 2 * STEP_S, 0.004
# At rest, where nobody lives by /clock: what is due is published as soon as in motion.
TICK_AT_REST_S = 0.1
# Steady; to its followers time is told again so often: /clock is best effort, and who missed the
# latest while time waits for it would neither acknowledge it nor get another.
REPEAT_S = 0.05
ACKS = QoSProfile(depth=10)


class SimulatedTime:
    """Counts the steps of the simulation. One thread uses it, but for `steady_s`.

    Args:
        node: Owns topics and timers.
        speed_factor: How many times as fast as steady time it passes.
        in_stamps: Messages have simulated time in their stamps; else that of the node's clock.
        ahead_s: By how much a fault moves the time that is published.
    """

    def __init__(
        self, node: Node, speed_factor: float, in_stamps: bool, ahead_s: Callable[[], float]
    ) -> None:
        self._node, self._in_stamps, self._ahead_s = node, in_stamps, ahead_s
        self._steps = 0
        self._ticks: Timer | None = None
        self._rests = False
        # The steady clock: on simulated time, the node's own would wait for this very node.
        self._pace = RealTimeFactor(speed_factor, self.steady_s())
        self._reported_slow = False
        self._followers = Followers()
        self._clock_topic = node.create_publisher(Clock, 'clock', 10)
        if speed_factor > 1.0:
            node.create_subscription(Header, 'clock_ack', self._acknowledged, ACKS)
            node.create_timer(REPEAT_S, self.publish, clock=STEADY)

    @property
    def now_s(self) -> float:
        """Simulated time in s."""
        return self._steps * STEP_S

    @property
    def wanted_factor(self) -> float:
        """How many times as fast as steady time it is to pass."""
        return self._pace.wanted

    def call_every_tick(self, tick: Callable[[], None]) -> None:
        """Call `tick` as often as the simulation has to catch up with the clock."""
        self._ticks = self._node.create_timer(self._tick_s(), tick, clock=STEADY)

    def rest(self, rests: bool) -> None:
        """Ticks less often from now on, or as often as before again."""
        if self._ticks is None or rests == self._rests or self._in_stamps:
            return
        self._rests = rests
        set_period(self._ticks, self._tick_s())

    def _tick_s(self) -> float:
        if self._rests:
            return TICK_AT_REST_S
        return min(max(LONGEST_TICK_S / self._pace.wanted, SHORTEST_TICK_S), LONGEST_TICK_S)

    def steady_s(self) -> float:
        """Steady time in s."""
        return float(STEADY.now().nanoseconds) * 1e-9

    def steps_due(self) -> int:
        """Return how many steps are to be made now."""
        now = self.steady_s()
        room_s = self._followers.room(seconds_from_ros(self.simulated()), now)
        return self._pace.steps_due(now, room_s)

    def step(self) -> None:
        """Passes one step."""
        self._steps += 1

    def report_slow(self) -> None:
        """Logs, once, that the machine is too slow."""
        too_slow = self._pace.too_slow
        if too_slow and not self._reported_slow:
            self._reported_slow = True
            self._node.get_logger().warning(f'{too_slow}. /diagnostics keeps reporting it')

    def publish(self) -> None:
        """Publishes the time."""
        self._clock_topic.publish(Clock(clock=self.simulated()))

    def simulated(self) -> Time:
        """Simulated time, as it is published."""
        return seconds_to_ros(self.now_s + self._ahead_s())

    def stamp(self) -> Time:
        """The time for a message's header."""
        return self.simulated() if self._in_stamps else self._node.get_clock().now().to_msg()

    def part(self) -> Part:
        """What is reported on diagnostics."""
        return self._pace.part()

    def _acknowledged(self, message: Header) -> None:
        self._followers.acknowledge(message.frame_id, seconds_from_ros(message.stamp))
