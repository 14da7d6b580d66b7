"""Waits for simulated time: for the first /clock at the start, and for alarms between ticks."""

from __future__ import annotations

import math
import time

from rclpy.clock import TimeJump
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from bt_executive.core.inbox import Inbox
from rover_common.clocks import Alarm, Now
from rover_common.ros.acknowledgements import ANY_STEP, ClockAck

LIMIT_S = 2.0  # steady; a simulation that has not begun must not keep a node from serving


def wait_for_clock(node: Node, limit_s: float = LIMIT_S) -> None:
    """Spins a node, which is in no executor yet, until its clock has a time or `limit_s` is over.

    Returns at once where time is not simulated. A clock that stays silent is reported in the log;
    the tree reports it on the trace.
    """
    clock = node.get_clock()
    if not clock.ros_time_is_active:
        return
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    deadline = time.monotonic() + limit_s
    while not clock.now().nanoseconds and time.monotonic() < deadline:
        executor.spin_once(timeout_sec=0.05)
    executor.remove_node(node)
    executor.shutdown()
    if clock.now().nanoseconds:
        return
    topic = node.resolve_topic_name('/clock')
    node.get_logger().warning(
        f'use_sim_time is true and nothing has come on {topic} yet: '
        'time stands still until it does. Start the simulation, or set use_sim_time to false'
    )


class AlarmClock:
    """Lets the tick thread sleep until an input arrives or the alarm is due.

    In simulated time the duration until the alarm is unknown; so every step of /clock is compared
    with the alarm, in the thread that receives it. A step is acknowledged while the tick thread
    sleeps and the alarm is not due: what was due before has been ticked.
    """

    def __init__(self, node: Node, inbox: Inbox) -> None:
        self._clock = node.get_clock()
        self._inbox = inbox
        self._ack = ClockAck(node)
        self._asleep = False
        self._ros_alarm = math.inf
        self._steps = self._clock.create_jump_callback(ANY_STEP, post_callback=self._stepped)

    def sleep(self, alarm: Alarm, now: Now, longest_s: float) -> None:
        """Returns at an input, at the alarm, or after `longest_s`. `now`: of setting the alarm."""
        steady = min(alarm.steady, now.steady + longest_s) - time.monotonic()
        left = math.inf
        if alarm.robot < math.inf:
            self._ros_alarm = now.ros + alarm.robot - now.robot
            left = self._ros_alarm - self._ros()
            if not self._clock.ros_time_is_active:
                steady = min(steady, left)
        if left > 0.0:
            self._asleep = True
            self._ack.publish()
            self._inbox.wait(max(steady, 0.0))
            self._asleep = False
        self._ros_alarm = math.inf

    def _ros(self) -> float:
        return float(self._clock.now().nanoseconds) * 1e-9

    def _stepped(self, _jump: TimeJump) -> None:
        if self._ros() >= self._ros_alarm:
            self._inbox.wake()
        elif self._asleep:
            self._ack.publish()
