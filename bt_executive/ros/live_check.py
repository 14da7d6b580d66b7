"""What a running robot has of what its file names: servers, topics, frames, and how it stops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
import math
import time

from nav_msgs.msg import Odometry
from rclpy.action import get_action_names_and_types
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import BatteryState

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import TopicReceived
from bt_executive.core.stop_endpoints import stop_endpoints
from bt_executive.core.value_formatting import format_value
from bt_executive.launching.start_checks import Finding
from bt_executive.ros.configured_state_subscriptions import TopicState
from bt_executive.ros.immediate_stop import BaseHalt
from rover_common.config.endpoints import GATES_STOP, find_endpoint
from rover_common.config.settings import Config, Endpoint, VelocityGateSettings
from rover_common.ros.graph_probe import short_lived_node
from rover_common.ros.interface_classes_and_fields import interface_class
from rover_common.ros.message_conversions import message_age_s, seconds_from_ros
from rover_common.ros.node_topic_and_enclave_names import relative_name
from rover_common.ros.odometry_and_velocities import (
    QUEUE,
    OdometryError,
    follow_odometry,
    numbers_of,
    pose_from_odometry,
)
from rover_common.ros.publishers_and_types_of_topic import several_publishers
from rover_common.ros.qos import why_incompatible
from rover_common.ros.tf_listener import TfListener
from rover_common.state_values import charge_pct
from rover_common.text_sanitizing import one_line

WATCH_S = 5.0  # discovery takes some tenths of a second, on a busy machine two seconds
STOP_LIMIT_S = 3.0
OWN = ('gates', 'executive')
BY_UP = 'is served by what `up` starts'
OURS = QoSProfile(depth=QUEUE)  # of velocities, and of what a tool publishes
REACHES = 'offer and ask for QoS that suit, such as reliable and volatile'
START = 'start the robot, or correct the name in robot.yaml'


def live_findings(config: Config, ros_arguments: Sequence[str]) -> list[Finding]:
    """Return what was found in the graph, after some seconds of watching.

    Raises:
        UsageError: ROS lets no node in.
    """
    with short_lived_node('bt_executive_check', ros_arguments) as node:
        check = _LiveCheck(node, config)
        try:
            return [*check.findings()]
        finally:
            check.close()


def battery_finding(percentage: float) -> Finding:
    """Return what is known of the charge by a `sensor_msgs/msg/BatteryState`."""
    try:
        charge = charge_pct(percentage)
    except ValueError as error:
        return Finding('battery', 'not known', one_line(str(error)))
    if charge is None:
        remedy = 'its driver reports no percentage, so the robot never rests to charge'
        return Finding('battery', 'not known', remedy, hinders=False)
    return Finding('battery', f'{charge:.0f} %')


class _LiveCheck:
    def __init__(self, node: Node, config: Config) -> None:
        self._node, self._config, self._inbox = node, config, Inbox()
        self._executor = SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)
        self._tf, self._halt = TfListener(node), BaseHalt(node, config)
        self._state = TopicState(node, self._inbox, config.robot, lambda: None)
        self._latest: dict[str, TopicReceived] = {}
        self._received: Counter[str] = Counter()
        self._first: dict[str, float] = {}
        self._odometry: dict[str, tuple[float, Odometry]] = {}
        self._late_s: dict[str, float] = {}  # topic of odometry → how old the latest was
        self._bases = {
            name: gate
            for name, gate in config.robot.gates.items()
            if isinstance(gate, VelocityGateSettings)
        }
        for gate in self._bases.values():
            self._follow(gate)
        self._percentage: float | None = None  # as the battery's driver tells it
        battery = relative_name(config.topics.rover.battery_state)
        node.create_subscription(BatteryState, battery, self._on_battery, qos_profile_sensor_data)

    def close(self) -> None:
        self._executor.shutdown()

    def findings(self) -> Iterator[Finding]:
        self._spin(WATCH_S, lambda: False)
        yield from self._servers()
        yield from self._topics()
        for name, gate in self._bases.items():
            yield from self._base(name, gate)
        yield self._pose()
        if self._percentage is not None:
            yield battery_finding(self._percentage)
        yield from self._stops()

    def _on_battery(self, message: BatteryState) -> None:
        self._percentage = message.percentage

    def _follow(self, gate: VelocityGateSettings) -> None:
        def on_odometry(message: Odometry) -> None:
            self._odometry[gate.odom_topic] = time.monotonic(), message
            stamp = seconds_from_ros(message.header.stamp)
            self._late_s[gate.odom_topic] = message_age_s(self._node, stamp)

        follow_odometry(self._node, gate.odom, self._config.topics.tf, on_odometry)

    def _spin(self, seconds: float, is_over: Callable[[], bool]) -> float:
        """Spins until it is over or the time is; returns how long that took, in s."""
        began = time.monotonic()
        while not is_over() and time.monotonic() - began < seconds:
            self._executor.spin_once(timeout_sec=0.05)
            for seen in self._inbox.drain():
                if isinstance(seen, TopicReceived):
                    self._latest[seen.topic] = seen
                    self._received[seen.topic] += bool(seen.values)
                    self._first.setdefault(seen.topic, time.monotonic())
        return time.monotonic() - began

    def _servers(self) -> Iterator[Finding]:
        services = dict(self._node.get_service_names_and_types())
        actions = dict(get_action_names_and_types(self._node))
        for name, skill in self._config.robot.tools.items():
            endpoint = find_endpoint(self._config, skill.endpoint)
            if endpoint is None or skill.steps:
                continue
            if endpoint.kind == 'topic':
                yield self._listeners(f'tool {name}', endpoint)
                continue
            offered = actions if endpoint.kind == 'action' else services
            yield _server(f'tool {name}', endpoint, offered.get(self._full(endpoint.ros_name), []))

    def _listeners(self, title: str, endpoint: Endpoint) -> Finding:
        """Whether who subscribes to the topic of a tool that publishes gets what it says."""
        name = self._full(endpoint.ros_name)
        ends = self._node.get_subscriptions_info_by_topic(name)
        fitting = [each for each in ends if each.topic_type == endpoint.type]
        if not fitting:
            types = ', '.join(sorted({each.topic_type for each in ends}))
            remedy = f'name this type, not {endpoint.type}' if types else START
            return Finding(title, f'{one_line(types)[:80] or "nobody"} listens to {name}', remedy)
        why = next(
            filter(None, (why_incompatible(OURS, each.qos_profile) for each in fitting)), ''
        )
        return Finding(title, why or 'somebody listens', REACHES if why else None)

    def _full(self, name: str) -> str:
        return str(self._node.resolve_service_name(name))

    def _topics(self) -> Iterator[Finding]:
        asked = self._asked()
        for name, entry in self._config.robot.from_topics.items():
            title, seen = f'state {name}', self._latest.get(entry.topic)
            value = seen.values.get(name) if seen is not None else None
            if seen is None or value is None:
                why = seen.unknown.get(name) if seen is not None else None
                text = one_line(why or f'nothing came on {entry.topic} in {WATCH_S:g} s')
                remedy = f'{text}: see what publishes {entry.topic}, or correct robot.yaml'
                yield Finding(title, 'not known', remedy, hinders=name in asked)
                continue
            age_s, each_s = time.monotonic() - seen.at, self._period(entry.topic)
            text = f'{one_line(format_value(value))[:80]}, {age_s:.1f} s old{_rate(each_s)}'
            slow = max(age_s, each_s or 0.0) > entry.max_age_s
            remedy = f'max_age_s is {entry.max_age_s:g}, and it comes too seldom: raise it'
            yield Finding(title, text, remedy if slow else None, hinders=name in asked)

    def _asked(self) -> set[str]:
        """The fields of the state that something asks for; a plug-in may ask for all."""
        robot = self._config.robot
        if any(each.plugin for each in robot.guards.values()):
            return {*robot.from_topics}
        gates = (getattr(each, 'moving', '') for each in robot.gates.values())
        found = {*robot.safe_when, *(each for each in gates if isinstance(each, str))}
        found |= {*robot.done_when.where} if robot.done_when is not None else set()
        found |= {name for each in robot.guards.values() for name in each.fields}
        return found | {name for each in robot.tools.values() for name in each.postcondition}

    def _period(self, topic: str) -> float | None:
        """Return the mean time between two messages, in s; None: there was one."""
        seen = self._latest[topic]
        count = self._received[topic]
        return max(seen.at - self._first[topic], 0.0) / (count - 1) if count > 1 else None

    def _base(self, name: str, gate: VelocityGateSettings) -> Iterator[Finding]:
        title, out = f'gate {name}', self._full(gate.velocity.passed)
        kind = 'TwistStamped' if gate.velocity.stamped else 'Twist'
        wanted = f'geometry_msgs/msg/{kind}'
        ends = self._node.get_subscriptions_info_by_topic(out)
        if not any(each.topic_type == wanted for each in ends):
            text = ', '.join({each.topic_type for each in ends}) or 'nobody'
            yield Finding(title, f'{one_line(text)[:80]} listens to {out}', f'{wanted}: {START}')
        else:
            why = next(
                filter(None, (why_incompatible(OURS, each.qos_profile) for each in ends)), ''
            )
            text = f'{out} does not reach the base: {why}' if why else f'the base listens to {out}'
            yield Finding(title, text, REACHES if why else None)
        yield from self._drivers(title, self._full(gate.velocity.wanted))
        past = {
            each.node_name
            for each in self._node.get_publishers_info_by_topic(out)
            if each.node_name not in (*OWN, self._node.get_name())
        }
        if past:
            names = one_line(', '.join(sorted(past)))[:100]
            yield Finding(
                title,
                f'{names} publishes on {out}, past the gate',
                f'let it publish on {gate.velocity.wanted}',
            )
        if several := several_publishers(self._node, gate.odom_topic):
            text, _, remedy = several.partition(': ')
            yield Finding(title, f'odometry is not known: {text}', remedy)
        elif gate.odom_topic not in self._odometry:
            yield Finding(title, f'no odometry on {gate.odom_topic}', START)
        elif self._late_s[gate.odom_topic] > gate.odom_max_age_s:
            text = f'odometry is {self._late_s[gate.odom_topic]:.1f} s old by its stamps'
            remedy = f'let the clocks agree (NTP), or see what delays {gate.odom_topic}'
            yield Finding(title, text, remedy)

    def _drivers(self, title: str, wanted: str) -> Iterator[Finding]:
        """Those who drive by a gate in a way that it does not hear."""
        for each in self._node.get_publishers_info_by_topic(wanted):
            if why := why_incompatible(each.qos_profile, OURS):
                name = one_line(each.node_name)[:80]
                yield Finding(title, f'{name} on {wanted} is not received: {why}', REACHES)

    def _pose(self) -> Finding:
        frames = self._config.topics.tf
        named = f'{frames.world_frame} -> {frames.base_frame}'
        if self._tf.find(frames.world_frame, frames.base_frame) is not None:
            return Finding('pose', f'by transforms, {named}')
        why = 'no transform, and no odometry'
        for _, message in self._odometry.values():
            try:
                pose_from_odometry(message, frames.world_frame, frames.base_frame)
            except OdometryError as error:
                why = str(error).rstrip('.')
            else:
                return Finding('pose', f'by odometry, {named}')
        drives = any(
            'base' in each.resources_required for each in self._config.robot.tools.values()
        )
        remedy = f'{one_line(why)}: correct `frames` in robot.yaml' if drives else None
        return Finding('pose', f'{named} is not known', remedy)

    def _stops(self) -> Iterator[Finding]:
        """Rehearses each way to stop, and says how long it took."""
        services = dict(self._node.get_service_names_and_types())
        for endpoint in dict.fromkeys(filter(None, stop_endpoints(self._config))):
            found = _server('stop', endpoint, services.get(self._full(endpoint.ros_name), []))
            yield self._call(endpoint) if found.text == 'there' else found
        if self._bases:
            yield self._standstill()

    def _call(self, endpoint: Endpoint) -> Finding:
        kind = interface_class(endpoint.type)
        client = self._node.create_client(kind, endpoint.ros_name)
        self._spin(STOP_LIMIT_S, client.service_is_ready)
        future = client.call_async(kind.Request())
        took_s = self._spin(STOP_LIMIT_S, future.done)
        title, answer = f'stop {endpoint.name}', future.result() if future.done() else None
        if answer is None:
            return Finding(title, f'no answer in {STOP_LIMIT_S:g} s', START)
        if not getattr(answer, 'success', True):
            said = one_line(str(getattr(answer, 'message', '')))[:100]
            return Finding(title, 'refuses', f'{said or "it gives no reason"}: see the robot')
        return Finding(title, f'answered after {took_s:.3f} s')

    def _standstill(self) -> Finding:
        """Commands the bases to stand, and waits until later odometry shows it."""
        began = time.monotonic()
        moved = any(self._stands(gate) is False for gate in self._bases.values())
        self._halt()

        def all_stand() -> bool:
            return all(
                self._stands(gate) is True and self._odometry[gate.odom_topic][0] > began
                for gate in self._bases.values()
            )

        took_s = self._spin(STOP_LIMIT_S, all_stand)
        if not all_stand():
            why = (
                'odometry does not show that the base stands: one alone may publish it, and drive'
            )
            return Finding('stop of the base', f'not confirmed in {STOP_LIMIT_S:g} s', why)
        before = '' if moved else '; it stood before'
        return Finding('stop of the base', f'stands after {took_s:.3f} s by odometry{before}')

    def _stands(self, gate: VelocityGateSettings) -> bool | None:
        """By its latest odometry; None: that is not known."""
        _, message = self._odometry.get(gate.odom_topic, (0.0, None))
        numbers = numbers_of(message.twist.twist) if message is not None else ()
        several = several_publishers(self._node, gate.odom_topic)  # perhaps of another base
        if several or not numbers or not all(map(math.isfinite, numbers)):
            return None
        return max(map(abs, numbers)) <= gate.still_below


def _server(title: str, endpoint: Endpoint, types: Sequence[str]) -> Finding:
    by_up = endpoint == GATES_STOP or endpoint.name.startswith('/gates/')
    if endpoint.type in types:
        return Finding(title, 'there')
    if types:
        text = one_line(', '.join(types))[:100]
        return Finding(title, f'{endpoint.name} is {text}', f'name this type, not {endpoint.type}')
    return Finding(
        title, f'{endpoint.name} {BY_UP if by_up else "is not there"}', None if by_up else START
    )


def _rate(each_s: float | None) -> str:
    return f', each {each_s:.2g} s' if each_s else ''
