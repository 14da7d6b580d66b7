"""The recorder as a process: what was published is in the file, and a reader of MCAP agrees."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
import subprocess
import sys
import time
from typing import Any

from geometry_msgs.msg import TransformStamped
from known import known
from mcap.exceptions import McapError
from mcap.reader import NonSeekingReader, make_reader
from mcap_ros2.decoder import DecoderFactory
import pytest
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import CompressedImage, LaserScan
from spinning import spun_node
from std_msgs.msg import Bool, String
from tf2_msgs.msg import TFMessage
from waiting import wait_until
from warm import WarmPopen, warm_run
import yaml

from bt_executive.client.front_end_events import ClientEvent, Problem
from bt_executive.ros.client.received_messages import RecordingWatch
from rover_common.ros.qos import LATCHED

pytestmark = pytest.mark.ros
LIMIT_S = 60.0
NUMBER = 20  # all fits into the socket of a reader that pauses: best effort repeats nothing
UNSET = {'sec': 0, 'nsec': 0}
AS_IN_BAGS = {  # of Humble to Jazzy; without one of them `ros2 bag` refuses the file
    'history': 1,
    'depth': 200,
    'reliability': 1,
    'durability': 2,
    'deadline': UNSET,
    'lifespan': UNSET,
    'liveliness': 0,
    'liveliness_lease_duration': UNSET,
    'avoid_ros_namespace_conventions': False,
}
DEEP_LATCHED = QoSProfile(depth=100, durability=LATCHED.durability)


@pytest.fixture
def recorder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, '-m', 'bt_executive.ros.recorder_node', '--run-dir', str(tmp_path)]
    command += getattr(request, 'param', [])
    process = WarmPopen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    yield process
    process.kill()
    process.wait()


def messages(number: int) -> dict[str, Any]:
    """One of each kind; what is in them tells their number."""
    transform = TransformStamped(child_frame_id=str(number))
    return {
        '/trace/events': String(data=str(number)),
        '/tf': TFMessage(transforms=[transform]),
        '/scan': LaserScan(ranges=[float(number)] * 100),
        '/capture/image_raw/compressed': CompressedImage(format=str(number), data=[7] * 500),
    }


def number_in(topic: str, message: Any) -> int:
    """The number that `messages` put into it, as decoded without ROS."""
    return {
        '/trace/events': lambda: int(message.data),
        '/tf': lambda: int(message.transforms[0].child_frame_id),
        '/scan': lambda: int(message.ranges[99]),
        '/capture/image_raw/compressed': lambda: int(message.format),
    }[topic]()


def read(path: Path, reader: Any) -> tuple[dict[str, list[int]], dict[str, str]]:
    """Topic → numbers, as far as the file can be read; and topic → type."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    types: dict[str, str] = {}
    latest = 0
    with path.open('rb') as file:
        source = reader(file, decoder_factories=[DecoderFactory()])
        entries = source.iter_decoded_messages(log_time_order=False)  # as they stand there
        try:
            for schema, channel, message, decoded in entries:
                assert message.log_time >= latest, 'times of reception must not fall'
                latest = message.log_time
                assert channel.message_encoding == 'cdr'
                types[channel.topic] = schema.name
                if channel.topic in messages(0):
                    found[channel.topic].append(number_in(channel.topic, decoded))
        except McapError:
            pass  # the end of a file that was not closed
    return found, types


def published(node: Node, recorder: subprocess.Popen[bytes]) -> dict[str, Publisher]:
    """Publishes everything once the recorder listens."""
    profiles = {'/trace/events': DEEP_LATCHED, '/scan': qos_profile_sensor_data}
    publishers = {
        topic: node.create_publisher(
            type(message), topic, profiles.get(topic, QoSProfile(depth=100))
        )
        for topic, message in messages(0).items()
    }
    alien = node.create_publisher(String, '/chatter', 10)
    for publisher in publishers.values():
        wait_until(publisher.get_subscription_count, f'the recorder hears {publisher.topic}')
    for number in range(NUMBER):
        for topic, message in messages(number).items():
            publishers[topic].publish(message)
        alien.publish(String(data='not ours'))
    assert recorder.poll() is None
    return publishers


def test_what_was_published_is_in_the_file(ros_node: Node, recorder: Any, tmp_path: Path) -> None:
    with spun_node('other') as other:  # what it wants to read is not what is published
        other.create_subscription(Bool, '/trace/events', lambda _message: None, 1)
        wait_until(lambda: ros_node.count_subscribers('/trace/events'))
        kept = published(ros_node, recorder)
        recorder.terminate()
        assert recorder.wait(LIMIT_S) == 0, recorder.stdout.read()
    found, types = read(tmp_path / 'recording.mcap', make_reader)
    assert found == {topic: list(range(NUMBER)) for topic in kept}
    assert types['/scan'] == 'sensor_msgs/msg/LaserScan'
    assert '/chatter' not in types
    with (tmp_path / 'recording.mcap').open('rb') as file:
        reader = make_reader(file)
        assert reader.get_header().profile == 'ros2'
        summary = known(reader.get_summary())
    assert known(summary.statistics).message_count >= 4 * NUMBER
    qos = {each.topic: each.metadata['offered_qos_profiles'] for each in summary.channels.values()}
    assert yaml.safe_load(qos['/trace/events']) == [AS_IN_BAGS | {'durability': 1}]
    assert yaml.safe_load(qos['/scan']) == [AS_IN_BAGS | {'reliability': 2}]


def test_after_a_kill_all_but_the_last_second_is_there(
    ros_node: Node, recorder: Any, tmp_path: Path
) -> None:
    path = tmp_path / 'recording.mcap'
    kept = published(ros_node, recorder)
    whole = {topic: list(range(NUMBER)) for topic in kept}
    wait_until(lambda: read(path, NonSeekingReader)[0] == whole, 'everything is on the disk')
    recorder.kill()
    recorder.wait(LIMIT_S)
    assert read(path, NonSeekingReader)[0] == whole


@pytest.mark.parametrize('recorder', [['--set', 'recording.max_mcap_mb=0.001']], indirect=True)
def test_a_full_file_is_completed_and_told_to_the_operator(
    ros_node: Node, recorder: Any, tmp_path: Path
) -> None:
    told: list[ClientEvent] = []
    watch = RecordingWatch(ros_node, told.append)

    def is_told() -> bool:
        watch.update(time.monotonic())
        return bool(told)

    wait_until(is_told, 'the end of the file is told')
    path = tmp_path / 'recording.mcap'
    reason = 'has reached recording.max_mcap_mb (0.001); the run continues without it'
    assert told == [Problem(f'{path} {reason}')]
    assert recorder.poll() is None
    with path.open('rb') as file:
        assert make_reader(file).get_summary() is not None


def test_a_recorder_without_a_folder_says_what_it_needs() -> None:
    command = [sys.executable, '-m', 'bt_executive.ros.recorder_node']
    ended = warm_run(command, capture_output=True, text=True, timeout=LIMIT_S)
    assert ended.returncode == 2
    assert '--run-dir' in ended.stderr
    assert 'Traceback' not in ended.stderr
