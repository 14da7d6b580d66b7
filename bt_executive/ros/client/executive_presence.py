"""Detects the executive by a ping and its heartbeat, and asks when its run began.

Silence counts only over the time in which this process itself was running.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import time

from bt_executive_interfaces.msg import Heartbeat
from rcl_interfaces.msg import ParameterType, ParameterValue
from rclpy.client import Client
from rclpy.node import Node
from rclpy.task import Future
from std_srvs.srv import Trigger

from bt_executive.client.front_end_events import ClientEvent, RunStarted
from bt_executive.ros.client.service_and_parameter_calls import NodeParameters
from rover_common.clocks import Clocks
from rover_common.ros.heartbeat_setpoint_and_status import HEARTBEAT
from rover_common.ros.polled_and_on_demand_subscriptions import PolledSubscription
from rover_common.ros.qos import REPEATED

# Older values are not shown as current, whichever was suspended: the executive or this process.
QUIET_S = 1.0
LOST_S = 5.0  # silence after which the executive is lost; it publishes every tick.heartbeat_s
ASLEEP_S = 0.5  # a longer gap between two calls: this process did not run, and received nothing
PING_LIMIT_S = 1.0
PARAMETER, AGAIN_S = 'run_began', 1.0  # and the time until it is requested again


class Liveliness:
    """Measures silence over the time in which this process itself was running.

    A front end that was suspended, or not scheduled, receives what was sent meanwhile only after
    its first call. `steady` returns steady time in s.
    """

    def __init__(self, steady: Callable[[], float] = time.monotonic) -> None:
        self._clocks = Clocks(steady, steady, ASLEEP_S)
        self._asserted_at = steady()

    def assert_now(self) -> None:
        """Note that a message of the executive is received now."""
        self.assert_ago(0.0)

    def assert_ago(self, elapsed_s: float) -> None:
        """Note that a message of the executive was received `elapsed_s` ago."""
        self._asserted_at = max(self._asserted_at, self._clocks.steady() - elapsed_s)

    def age(self) -> float:
        """Return the age of the latest message in s, whether this process ran or not."""
        return self._clocks.steady() - self._asserted_at

    def silence(self) -> float:
        """Return how long the executive has been silent, in s; call it often."""
        return self._clocks().silent_for(self._asserted_at)


class ExecutivePresence:
    """Used in the client's thread alone.

    Args:
        tree: The service `show_tree`, which serves as ping: after a restart the graph still shows
            the former executive for a while.
        is_served: Returns whether all else that a front end needs is there.
        on_ready: Called when the executive answers.
        on_quiet: Called with True when its messages are old, and with False when they come again.
        on_lost: Called with a reason when it is gone.

    Attributes:
        ready: Whether the executive answers.
        generation: Counts how often it was lost; answers of an older one do not count.
    """

    def __init__(
        self,
        node: Node,
        tree: Client,
        is_served: Callable[[], bool],
        on_ready: Callable[[], None],
        on_quiet: Callable[[bool], None],
        on_lost: Callable[[str], None],
    ) -> None:
        self.ready = False
        self.generation = 0
        self._tree = tree
        self._is_served = is_served
        self._on_ready, self._on_quiet, self._on_lost = on_ready, on_quiet, on_lost
        self._run_id = ''
        self._former_run_id = ''  # before the executive was lost
        self._ended_run_id = ''
        self._liveliness = Liveliness()
        self._quiet = False
        self._ping: Future | None = None
        self._ping_by = 0.0
        self._heartbeats = PolledSubscription(node, Heartbeat, HEARTBEAT, REPEATED)
        self._updated_at = 0.0

    def update(self, now: float) -> None:
        """Checks the silence, or pings again; to be called often. `now`: steady time in s."""
        passed_s, self._updated_at = now - self._updated_at, now
        for heartbeat, age_s in self._heartbeats.aged_messages():
            # The system's clock may have been set.
            self._apply_heartbeat(heartbeat, min(age_s, passed_s))
        silence_s = self._liveliness.silence()
        if self.ready:
            if (self._liveliness.age() > QUIET_S) != self._quiet:
                self._quiet = not self._quiet
                self._on_quiet(self._quiet)
            if silence_s > LOST_S:
                self._ended_run_id = ''  # whoever sends after such a silence is there
                self._on_lost('The executive fell silent.')
        elif self._ping is None or self._ping_by < now:
            self._send_ping(now)

    def forget(self, ended: bool = False) -> None:
        """The executive is gone. `ended`: its process has ended, so it does not come back."""
        self.generation += 1
        self.ready = self._quiet = False
        self._former_run_id = self._run_id or self._former_run_id
        self._run_id = ''
        if ended:
            self._ended_run_id = self._former_run_id
        self._ping_by = 0.0

    def _send_ping(self, now: float) -> None:
        if self._ping is not None:
            self._tree.remove_pending_request(self._ping)
            self._ping = None
        if not (self._tree.service_is_ready() and self._is_served()):
            return
        self._ping_by = now + PING_LIMIT_S
        self._ping = self._tree.call_async(Trigger.Request())
        generation = self.generation
        self._ping.add_done_callback(lambda _: self._on_pong(generation))

    def _on_pong(self, generation: int) -> None:
        if generation == self.generation and not self.ready:
            self.ready = True
            self._liveliness.assert_now()
            self._on_ready()

    def _apply_heartbeat(self, heartbeat: Heartbeat, age_s: float) -> None:
        if heartbeat.sender and heartbeat.sender == self._ended_run_id:
            return  # sent before its end and read late: it must not seem to be replaced again
        restarted = self.ready and self._run_id and heartbeat.sender != self._run_id
        if restarted:
            self._ended_run_id = self._run_id
        self._run_id = heartbeat.sender
        self._liveliness.assert_ago(age_s)
        if restarted:
            self._on_lost('The executive was restarted.')


class RunBeganQuestion:
    """Used in the client's thread alone. `emit` takes one `RunStarted` of each executive."""

    def __init__(self, parameters: NodeParameters, emit: Callable[[ClientEvent], None]) -> None:
        self._parameters, self._emit = parameters, emit
        self._asked: Future | None = None
        self._is_answered = False
        self._again_at = 0.0  # steady s

    def forget(self) -> None:
        """Forgets the answer: the executive is gone, and another run may follow."""
        self._is_answered = False
        self._drop()

    def update(self, now: float) -> None:
        """Sends the request until it is answered; called often while the executive answers.

        `now`: steady time in s.
        """
        if self._is_answered or now < self._again_at or not self._parameters.is_served():
            return
        self._drop()
        self._again_at = now + AGAIN_S
        self._asked = self._parameters.read([PARAMETER], self._answered)

    def _drop(self) -> None:
        """Drops the former request."""
        if self._asked is not None:
            self._parameters.drop(self._asked)
            self._asked = None

    def _answered(self, values: Sequence[ParameterValue]) -> None:
        self._is_answered = True  # also if the executive has no such parameter
        for value in values:
            if value.type == ParameterType.PARAMETER_DOUBLE:
                self._emit(RunStarted(value.double_value))
