"""Manual control: manual mode, motions while held, and faults of the embedded rover.

Manual driving is a level: a motion continues only while it is held. The adapter accepts it in
manual mode only and stops the rover when setpoints no longer arrive: so a closed page, a killed
server or a lost network stop it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from functools import partial
import math
import time
import uuid

from bt_executive_interfaces.msg import MotionSetpoint
from rcl_interfaces.msg import (
    ParameterEvent,
    ParameterType,
    ParameterValue,
    SetParametersResult,
)
from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_srvs.srv import SetBool

from bt_executive.client.callable_tools import held_motion, variant_tools
from bt_executive.client.front_end_events import (
    AdapterStatusReceived,
    ClientEvent,
    FaultsReceived,
    ServiceReply,
)
from bt_executive.ros.client.service_and_parameter_calls import (
    LIMIT_S,
    AnswerTimeout,
    ChangeableParameters,
    Late,
)
from rover_common.config.settings import Config
from rover_common.config.settings.injected_faults import FAULT_NODES
from rover_common.ros.heartbeat_setpoint_and_status import SETPOINT, setpoint_to_ros
from rover_common.ros.node_topic_and_enclave_names import relative_name
from rover_common.ros.timers import STEADY
from rover_common.setpoint import Setpoint

SETPOINT_PERIOD_S = 0.05  # far below deadman.timeout_s
HOLD_S = 0.35  # a motion that was not held again for so long is released
RELEASED_S = 1.0  # how long setpoints without a motion are sent after a release
MANUAL, FAULT = 'manual_mode', 'fault'  # services of `ServiceReply`
PARAMETER = 'faults'
LATEST = QoSProfile(depth=1)
OFF = 'That node is not here: only the embedded rover can have faults.'
NODES = tuple(dict.fromkeys(FAULT_NODES.values()))


class ManualDriving:
    """Makes setpoints of the motion that is held.

    What the adapter has ended, as by a stop of anybody, is not begun again until it was released:
    a key that is held still is no new wish, also if it was not received for a while.

    `sender`: id of this sender, a new one after each start. `motions`: those that can be held.
    """

    def __init__(self, sender: str, motions: Collection[str]) -> None:
        self._sender, self._motions = sender, motions
        self._sequence = self._navigation_goal = self._number = 0
        self._motion = self._last_motion = ''  # that is held, and of the latest setpoint
        self._held_until = self._released_until = -math.inf
        self._is_driving, self._is_released = False, True
        self._ended_goal = 0  # by the adapter

    def hold(self, motion: str, steady: float) -> None:
        """Hold a motion for `HOLD_S`; empty or unknown: release. `steady`: steady time in s."""
        self._motion = motion if motion in self._motions else ''
        self._held_until = steady + HOLD_S if self._motion else -math.inf
        self._is_released |= not self._motion

    def end(self, navigation_goal: int) -> None:
        """Notes that the adapter has ended one of these goals, or refused a motion of it."""
        self._ended_goal = navigation_goal

    def setpoint(self, adapter: str, steady: float, system: float) -> Setpoint | None:
        """Return the setpoint to send now; None: none.

        It is addressed to a run of the adapter. `steady`, `system`: time in s.
        """
        is_over = self._navigation_goal == self._ended_goal and not self._is_released
        motion = self._motion if steady < self._held_until and not is_over else ''
        if motion:
            self._start(motion)
        elif self._is_driving:
            self._is_driving, self._released_until = False, steady + RELEASED_S
        self._last_motion = motion
        if not self._is_driving and steady >= self._released_until:
            return None
        self._sequence += 1
        return Setpoint(
            self._sender,
            self._sequence,
            system,
            adapter=adapter,
            navigation_goal=self._navigation_goal if self._is_driving else 0,
            motion=motion,
            number=self._number,
        )

    def _start(self, motion: str) -> None:
        if self._is_released or not self._is_driving:
            self._is_driving, self._navigation_goal = True, self._navigation_goal + 1
            self._is_released = False
        if motion != self._last_motion:
            self._number += 1


class ManualControl:
    """Used in the client's thread alone, but for `drive`.

    `emit` takes `ServiceReply` and `FaultsReceived`. `limit_s`: for each answer, in steady s.
    """

    def __init__(
        self,
        node: Node,
        emit: Callable[[ClientEvent], None],
        config: Config,
        limit_s: float = LIMIT_S,
    ) -> None:
        self._emit, self._limit = emit, AnswerTimeout(node, limit_s)
        self.sender = uuid.uuid4().hex  # of setpoints
        tools = variant_tools(config).values()
        self._driving = ManualDriving(self.sender, {*map(held_motion, tools)} - {''})
        self._adapter = ''
        self._setpoints = node.create_publisher(MotionSetpoint, SETPOINT, LATEST)
        self._mode = node.create_client(
            SetBool, relative_name(config.topics.adapter.manual_mode.name)
        )
        self._parameters = {name: ChangeableParameters(node, name, limit_s) for name in NODES}
        self._nodes = {node.resolve_topic_name(name): name for name in NODES}
        self._here: set[str] = set()  # embedded nodes whose faults were requested
        # Node, fault, whether on; the first one is under way.
        self._switches: deque[tuple[str, str, bool | None]] = deque()
        # In manual mode alone: it would wake an idle client 20 times a second.
        self._setpoints_timer = node.create_timer(
            SETPOINT_PERIOD_S, self._publish_setpoint, clock=STEADY, autostart=False
        )

    def adapter(self, seen: AdapterStatusReceived) -> None:
        """Takes the adapter's status."""
        self._adapter = seen.sender
        if seen.refused:
            self._driving.end(seen.navigation_goal)
        if not seen.manual:
            self._setpoints_timer.cancel()
        elif self._setpoints_timer.is_canceled():
            self._setpoints_timer.reset()

    def drive(self, motion: str) -> None:
        """Holds a motion, from any thread; it counts in manual mode only."""
        self._driving.hold(motion, time.monotonic())

    def set_manual(self, wanted: bool) -> None:
        """Switches manual mode; a `ServiceReply` follows."""
        self._limit.ask(
            self._mode,
            SetBool.Request(data=wanted),
            partial(self._mode_answered, wanted),
            lambda why: self._emit(ServiceReply(MANUAL, False, why)),
        )

    def read_faults(self) -> None:
        """Asks the embedded nodes for their faults anew; a `FaultsReceived` follows for each."""
        self._here.clear()

    def parameters_changed(self, event: ParameterEvent) -> None:
        """Reports the faults of a node that any front end has switched."""
        changed = (*event.new_parameters, *event.changed_parameters)
        values = [each.value for each in changed if each.name == PARAMETER]
        if event.node in self._nodes:
            self._report_faults(self._nodes[event.node], _faults_of(values))

    def update(self) -> None:
        """Requests faults of new nodes, and reports nodes that are gone; call it often."""
        here = {name for name in NODES if self._parameters[name].is_served()}
        for name in self._here - here:
            self._emit(FaultsReceived(name, None))
        for name in here - self._here:
            self._with_faults(name, partial(self._report_faults, name))
        self._here = here

    def _report_faults(self, name: str, active: tuple[str, ...] | None) -> None:
        if active is not None:
            self._emit(FaultsReceived(name, active))

    def set_fault(self, name: str, fault: str, on: bool | None) -> None:
        """Switches a fault of a node; `on` None: toggles it. A `ServiceReply` follows.

        They are processed in order: each changes the list that the previous one has written.
        """
        self._switches.append((name, fault, on))
        if len(self._switches) == 1:
            self._next_switch()

    def _next_switch(self) -> None:
        name, fault, on = self._switches[0]
        if not self._parameters[name].is_served():
            self._answer_absent(name)
            return
        late = partial(self._answer_fault, False)
        self._with_faults(name, partial(self._switch, name, fault, on), late)

    def _switch(
        self, name: str, fault: str, on: bool | None, active: tuple[str, ...] | None
    ) -> None:
        if active is None:
            self._answer_absent(name)
        else:
            self._write(name, toggled(active, fault, on))

    def _answer_absent(self, name: str) -> None:
        self._answer_fault(False, f'{name}: {OFF}')

    def _answer_fault(self, ok: bool, text: str) -> None:
        """Answers the switch that is under way, and continues with the next."""
        self._emit(ServiceReply(FAULT, ok, text))
        self._switches.popleft()
        if self._switches:
            self._next_switch()

    def _publish_setpoint(self) -> None:
        setpoint = self._driving.setpoint(self._adapter, time.monotonic(), time.time())
        if setpoint is not None:
            self._setpoints.publish(setpoint_to_ros(setpoint))

    def _mode_answered(self, wanted: bool, response: SetBool.Response) -> None:
        done = f'Manual mode is {"on" if wanted else "off"}.'
        self._emit(ServiceReply(MANUAL, response.success, response.message or done))

    def _with_faults(
        self,
        name: str,
        then: Callable[[tuple[str, ...] | None], None],
        late: Late = lambda _why: None,
    ) -> None:
        """Goes on with the node's active faults; None: it can have none."""
        self._parameters[name].read([PARAMETER], lambda values: then(_faults_of(values)), late)

    def _write(self, name: str, active: tuple[str, ...]) -> None:
        kind = ParameterType.PARAMETER_STRING_ARRAY
        value = ParameterValue(type=kind, string_array_value=list(active))
        written = partial(self._written, name, active)
        late = partial(self._answer_fault, False)
        self._parameters[name].write(PARAMETER, value, written, late)

    def _written(
        self, name: str, active: tuple[str, ...], results: Sequence[SetParametersResult]
    ) -> None:
        if not results:
            self._answer_absent(name)
            return
        result = results[0]
        confirmation = f'Faults of {name}: {", ".join(active) or "none"}.'
        self._answer_fault(result.successful, result.reason or confirmation)


def _faults_of(values: Sequence[ParameterValue]) -> tuple[str, ...] | None:
    """The active faults of a node; None if it does not have that parameter."""
    given = [each for each in values if each.type != ParameterType.PARAMETER_NOT_SET]
    return tuple(given[0].string_array_value) if given else None


def toggled(active: tuple[str, ...], fault: str, on: bool | None) -> tuple[str, ...]:
    """Return the active faults after one was switched; `on` None: toggles it."""
    switched_on = fault not in active if on is None else on
    others = tuple(name for name in active if name != fault)
    return (*others, fault) if switched_on else others
