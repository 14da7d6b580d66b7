"""What the executive subscribes to, on its way into the inbox; what cannot be read stays out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
import itertools
import math
import os
import time
from typing import Any, TypeVar

from bt_executive_interfaces.msg import (
    AdapterStatus,
    KeepOutZones,
    MemoryDigest,
    NearbyPlace,
    SetpointReport,
)
from bt_executive_interfaces.msg import KeepOutZone as ZoneMessage
from geometry_msgs.msg import Point
from nav_msgs.msg import Odometry
from own_executor import own_executor as own_executor
import pytest
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import BatteryState, CompressedImage
from spinning import turn_of
from std_msgs.msg import String
from waiting import wait_until

from bt_executive.core.goal_queue import Task
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import (
    BatteryReceived,
    PoseReceived,
    SafetyEvent,
    StatusReceived,
    ZonesReceived,
)
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState, Mode, TasksState
from bt_executive.ros import scored_picture_subscription
from bt_executive.ros.executive_subscriptions import (
    LONGEST_REASON,
    MOST_PLACES,
    Telemetry,
    is_at_rest,
    memory_from_ros,
)
from bt_executive.ros.scored_picture_subscription import ScoredPictures
from rover_common.adapter_status import AdapterStatus as AdapterValues
from rover_common.config.load import load_config
from rover_common.config.settings import KeepOutZone
from rover_common.ros.keep_out_messages import zones_to_ros
from rover_common.ros.message_conversions import seconds_to_ros
from rover_common.ros.qos import LATCHED

pytestmark = pytest.mark.ros

PIT = KeepOutZone(name='pit', polygon=((0.0, 0.0), (1.0, 0.0), (1.0, 1.0)))
NO_OBJECTS = ('no JSON', '[1]', '[' * 100_000)
LIMIT_S = 60.0
BEST_EFFORT = ReliabilityPolicy.BEST_EFFORT


Wanted = TypeVar('Wanted')


def told(
    executor: Executor, topic: str, messages: Sequence[Any]
) -> tuple[Inbox, Callable[[], None]]:
    """The inbox of an executive that listens, and what publishes the messages, one each time."""
    inbox, node = Inbox(), Node('listener', context=executor.context)
    teller = node.create_publisher(type(messages[0]), topic, LATCHED)
    Telemetry(node, inbox, load_config().topics, lambda: None, lambda: 0.0)
    executor.add_node(node)
    in_turn = itertools.cycle(messages)

    def tell() -> None:
        teller.publish(next(in_turn))
        executor.spin_once(timeout_sec=0.05)

    return inbox, tell


def heard(
    executor: Executor, topic: str, messages: Sequence[Any], wanted: type[Wanted]
) -> list[Wanted]:
    """The first events of a kind that come of messages, published in turn until some came."""
    inbox, tell = told(executor, topic, messages)
    return wait_until(
        lambda: [event for event in inbox.drain() if isinstance(event, wanted)], meanwhile=tell
    )


def test_zones_are_taken_and_what_is_none_is_not(own_executor: Callable[[], Executor]) -> None:
    line = ZoneMessage(name='line', polygon=[Point(), Point(x=1.0)])
    messages = [KeepOutZones(zones=[line]), zones_to_ros([PIT])]
    assert heard(own_executor(), 'keep_out_zones', messages, ZonesReceived)[0] == ZonesReceived(
        (PIT,)
    )


def test_while_several_publish_the_battery_the_lowest_charge_counts(
    own_executor: Callable[[], Executor],
) -> None:
    executor = own_executor()
    inbox, tell = told(executor, 'battery_state', [BatteryState(percentage=0.75)])
    stranger = Node('stranger', context=executor.context)
    other = stranger.create_publisher(BatteryState, 'battery_state', LATCHED)

    def charges() -> list[float]:
        return [each.percent for each in inbox.drain() if isinstance(each, BatteryReceived)]

    def tell_both() -> None:
        other.publish(BatteryState(percentage=0.25))
        tell()

    wait_until(lambda: 25.0 in charges(), meanwhile=tell_both)
    assert {*wait_until(charges, meanwhile=tell)} == {25.0}
    stranger.destroy_node()
    wait_until(lambda: 75.0 in charges(), meanwhile=tell)


def test_a_low_battery_counts_beside_one_whose_stamps_lead(
    own_executor: Callable[[], Executor],
) -> None:
    """The clocks of two robots differ by less than what a clock that is set back differs by."""
    executor = own_executor()
    full = [battery(0.75, 100.5 + number * 1e-4) for number in range(2000)]
    inbox, tell = told(executor, 'battery_state', full)
    own = Node('own', context=executor.context)
    low = own.create_publisher(BatteryState, 'battery_state', LATCHED)

    def charges() -> list[float]:
        return [each.percent for each in inbox.drain() if isinstance(each, BatteryReceived)]

    def tell_both() -> None:
        low.publish(battery(0.25, 100.0))
        tell()

    wait_until(lambda: 75.0 in charges(), meanwhile=tell)
    wait_until(lambda: 25.0 in charges(), meanwhile=tell_both)


def battery(percentage: float, stamp_s: float) -> BatteryState:
    message = BatteryState(percentage=percentage)
    message.header.stamp = seconds_to_ros(stamp_s)
    return message


def test_a_status_is_taken_and_what_is_none_is_not(own_executor: Callable[[], Executor]) -> None:
    messages = [
        *(AdapterStatus(details=text) for text in NO_OBJECTS),
        AdapterStatus(moving=7),
        AdapterStatus(at_rest=-2),
        AdapterStatus(
            navigation_goal=SetpointReport(sender='n', stage='FLYING', motion_stage='NONE')
        ),
        AdapterStatus(sender='1'),
    ]
    (status,) = heard(own_executor(), 'adapter/status', messages, StatusReceived)
    assert status.status == AdapterValues('1')  # whatever was left out is not known


@pytest.mark.parametrize(
    ('text', 'reason'),
    [
        ('cliff \x1b[2Jahead\n[ERROR] forged', 'cliff \ufffd[2Jahead [ERROR] forged'),
        ('', 'no reason given'),
        ('x' * 1_000_000, 'x' * LONGEST_REASON),
    ],
)
def test_a_safety_event_is_one_line_whatever_is_written(
    own_executor: Callable[[], Executor], text: str, reason: str
) -> None:
    (event, *_) = heard(own_executor(), 'safety_events', [String(data=text)], SafetyEvent)
    assert event.reason == reason


@pytest.mark.parametrize('reliability', [ReliabilityPolicy.RELIABLE, BEST_EFFORT])
def test_a_safety_event_counts_once_however_reliably_it_is_published(
    own_executor: Callable[[], Executor], reliability: ReliabilityPolicy
) -> None:
    executor, inbox, stops = own_executor(), Inbox(), list[float]()
    node, events = Node('listener', context=executor.context), list[Any]()
    Telemetry(node, inbox, load_config().topics, lambda: stops.append(0.0), lambda: 0.0)
    executor.add_node(node)
    qos = QoSProfile(depth=10, reliability=reliability)
    publisher = node.create_publisher(String, 'safety_events', qos)
    found = 1 if reliability is BEST_EFFORT else 2
    wait_until(lambda: publisher.get_subscription_count() == found, 'they are found')

    def reasons() -> list[str]:
        events.extend(each for each in inbox.drain() if isinstance(each, SafetyEvent))
        return [each.reason for each in events]

    for reason in ('cliff', 'cliff', 'fire'):
        publisher.publish(String(data=reason))
    wait_until(lambda: 'fire' in reasons(), 'the last one', meanwhile=turn_of(executor))
    assert (reasons(), len(stops)) == (['cliff', 'cliff', 'fire'], 3)


def test_two_adapters_in_turn_are_not_believed(own_executor: Callable[[], Executor]) -> None:
    stands = [AdapterStatus(sender=each, at_rest=1, details='{}') for each in ('a', 'b')]
    inbox, tell = told(own_executor(), 'adapter/status', stands)
    seen: list[AdapterValues] = []

    def both() -> bool:
        seen.extend(each.status for each in inbox.drain() if isinstance(each, StatusReceived))
        return len(seen) >= 6

    wait_until(both, meanwhile=tell)
    later = seen[3:]
    assert {each.sender for each in later} == {''}, 'it is no restart'
    assert {each.at_rest for each in later} == {None}
    assert all('several adapters' in each.standing_unknown for each in later)


def test_what_a_stranger_writes_is_no_line_of_the_log(
    own_executor: Callable[[], Executor], capfd: pytest.CaptureFixture[str]
) -> None:
    forged = 'no\n[ERROR] [1.0] [executive]: forged \x1b[2J'
    _, tell = told(own_executor(), 'adapter/status', [AdapterStatus(details=forged)])
    lines: list[str] = []

    def is_told() -> bool:
        lines.append(capfd.readouterr().err)
        return 'forged' in ''.join(lines)

    wait_until(is_told, meanwhile=tell)
    log = ''.join(lines)
    assert not any(line.startswith('[ERROR] [1.0]') for line in log.splitlines())
    assert '\x1b[2J' not in log


class Odometer:
    """A robot whose odometry an executive reads; `poses` came of it so far."""

    def __init__(self, executor: Executor, **node: Any) -> None:
        self._executor, self._inbox = executor, Inbox()
        self.node = Node('listener', context=executor.context, **node)
        topics = load_config().topics
        self._frames = topics.tf
        self._telemetry = Telemetry(
            self.node, self._inbox, topics, lambda: None, lambda: 0.0, ['/odom']
        )
        executor.add_node(self.node)
        self._publisher = self.node.create_publisher(Odometry, 'odom', 10)
        self.poses: list[PoseReceived] = []

    def publish(self, stamp_s: float, x: float = 0.0, world: str = '') -> None:
        message = Odometry(child_frame_id=self._frames.base_frame)
        message.header.frame_id = world or self._frames.world_frame
        message.header.stamp = seconds_to_ros(stamp_s)
        message.pose.pose.position.x = x
        self._publisher.publish(message)
        self._executor.spin_once(timeout_sec=0.05)
        self._telemetry.update(is_resting=False)
        self.poses += [each for each in self._inbox.drain() if isinstance(each, PoseReceived)]


@pytest.mark.parametrize('late_s', [0.0, 7.0])
def test_a_pose_is_as_old_as_its_stamp(
    own_executor: Callable[[], Executor], late_s: float
) -> None:
    """One that had been under way for seconds counted as of this moment."""
    robot, began = Odometer(own_executor()), time.monotonic()
    wait_until(lambda: robot.poses, meanwhile=lambda: robot.publish(time.time() - late_s))
    pose = robot.poses[0]
    assert (pose.at < began - 1.0) is (late_s > 0.0)
    assert pose.at >= began - late_s - 0.1


def test_a_robot_without_transforms_is_where_its_odometry_says(
    own_executor: Callable[[], Executor],
) -> None:
    robot, stamps = Odometer(own_executor()), itertools.count(1)

    def publish() -> None:
        for x, world in ((2.0, ''), (3.0, 'map'), (math.nan, '')):
            robot.publish(next(stamps), x, world)

    wait_until(lambda: robot.poses, meanwhile=publish)
    assert [(each.x, each.y) for each in robot.poses] == [(2.0, 0.0)]


def test_poses_come_although_the_clock_stands(own_executor: Callable[[], Executor]) -> None:
    """Of a robot whose stamps go on: that its clock stands says nothing of it."""
    still = Parameter('use_sim_time', value=True)  # nothing sends /clock
    robot, stamps = Odometer(own_executor(), parameter_overrides=[still]), itertools.count(1)
    wait_until(lambda: len(robot.poses) > 2, meanwhile=lambda: robot.publish(next(stamps)))
    seen = [each.stamp for each in robot.poses]
    assert seen == sorted(set(seen))


def test_the_pose_of_a_robot_at_rest_is_looked_at_four_times_a_second(
    own_executor: Callable[[], Executor], monkeypatch: pytest.MonkeyPatch
) -> None:
    node = Node('listener', context=own_executor().context)
    topics = load_config().topics
    now, looks = [100.0], list[float]()
    telemetry = Telemetry(node, Inbox(), topics, lambda: None, lambda: 0.0)
    monkeypatch.setattr(telemetry._tf, 'find', lambda *_: looks.append(now[0]))
    monkeypatch.setattr('bt_executive.ros.executive_subscriptions.time.monotonic', lambda: now[0])

    def looks_in_a_second(rests: bool) -> int:
        before = len(looks)
        for _ in range(16):
            now[0] += 1 / 16
            telemetry.update(rests)
        return len(looks) - before

    assert looks_in_a_second(rests=True) == 4
    assert looks_in_a_second(rests=False) == 16  # the first tick of something to do, too
    assert looks_in_a_second(rests=True) == 4


STANDING = RobotState(pose_at=1.0, moving=False, at_rest=True)
GOAL = Task('one', 'drive')


@pytest.mark.parametrize(
    ('rests', 'robot', 'tasks'),
    [
        (True, STANDING, TasksState()),
        (True, RobotState(), TasksState()),  # nobody has ever seen a robot
        (False, STANDING, TasksState(queue=(GOAL,))),
        *((False, STANDING, TasksState(mode=mode)) for mode in Mode if mode is not Mode.IDLE),
        (False, replace(STANDING, moving=True), TasksState()),
        (False, replace(STANDING, moving=None), TasksState()),
        (False, replace(STANDING, at_rest=False), TasksState()),
        (False, replace(STANDING, standing_unknown='several adapters'), TasksState()),
    ],
)
def test_what_is_not_known_to_stand_is_looked_at_in_each_tick(
    rests: bool, robot: RobotState, tasks: TasksState
) -> None:
    assert is_at_rest(BrainState(robot=robot, tasks=tasks)) is rests


BISHOP = NearbyPlace(id='n1', name='Bishop', kind='rock', x=4.0, y=1.0, radius_m=0.8)


def test_places_are_taken_with_their_texts_made_printable() -> None:
    long = NearbyPlace(id='n1', name='x' * 999, x=4.0)
    seen = memory_from_ros(MemoryDigest(summary='a\x1b[31m b', places=[long, BISHOP]))
    assert '\x1b' not in seen.summary
    place, bishop = seen.places
    assert (len(place['name']), place['x'], place['state']) == (120, 4.0, '')
    assert bishop == {
        **{'id': 'n1', 'name': 'Bishop', 'kind': 'rock', 'state': ''},
        **{'x': 4.0, 'y': 1.0, 'radius_m': 0.8},
    }


@pytest.mark.parametrize('number', [math.nan, math.inf, -math.inf])
def test_a_place_whose_numbers_are_none_is_left_out(number: float) -> None:
    odd = NearbyPlace(id='n2', name='odd', x=number)
    assert [each['id'] for each in memory_from_ros(MemoryDigest(places=[odd, BISHOP])).places] == [
        'n1'
    ]


def test_places_are_bounded() -> None:
    assert len(memory_from_ros(MemoryDigest(places=[BISHOP] * 999)).places) == MOST_PLACES


_numbers = itertools.count(os.getpid())


@pytest.mark.parametrize('resumed', [False, True])
def test_pictures_are_read_from_a_goals_acceptance_to_a_while_after_its_end(
    own_executor: Callable[[], Executor], monkeypatch: pytest.MonkeyPatch, resumed: bool
) -> None:
    monkeypatch.setattr(scored_picture_subscription, 'POLL_PERIOD_S', 0.02)
    monkeypatch.setattr(scored_picture_subscription, 'LINGER_S', 0.1)
    executor, topic = own_executor(), f'pictures_{next(_numbers)}'
    node = Node('executive', context=executor.context)
    camera = node.create_publisher(CompressedImage, topic, 1)
    executor.add_node(node)
    goals, seen = ['go'] if resumed else [], list[bytes]()
    pictures = ScoredPictures(node, topic, lambda _, jpeg: seen.append(jpeg), lambda: bool(goals))

    def turn() -> None:
        if goals:
            camera.publish(CompressedImage(data=b'jpeg'))
        turn_of(executor)()

    if not resumed:
        assert not node.count_subscribers(topic)
        goals.append('go')
        pictures.begin()
    wait_until(lambda: len(seen) > 1, 'pictures', meanwhile=turn)
    assert node.count_subscribers(topic) == 1
    goals.clear()
    wait_until(lambda: not node.count_subscribers(topic), 'nobody reads them', meanwhile=turn)
    goals.append('again')
    pictures.begin()
    seen.clear()
    wait_until(lambda: seen, 'pictures of the next goal', meanwhile=turn)
