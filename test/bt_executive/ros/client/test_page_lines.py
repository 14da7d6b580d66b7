"""What a page's server has in the graph: its own way for a stop, pictures, plans, and hands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bt_executive_interfaces.msg import AdapterStatus, MotionSetpoint, SetpointReport
from domains import next_domain
import pytest
from rclpy.node import Node
from sensor_msgs.msg import CompressedImage
from spinning import spun_node
from std_srvs.srv import Empty, SetBool, Trigger
from waiting import wait_until

from bt_executive.client.front_end_events import (
    AdapterStatusReceived,
    ClientFailed,
    PictureReceived,
    ServiceReply,
)
from bt_executive.client.front_end_requests import PAGE
from bt_executive.ros.client import front_end_subscriptions
from bt_executive.ros.client.executive_client import ExecutiveClient
from bt_executive.ros.client.manual_mode_and_faults import FAULT, OFF
from bt_executive.ros.client.stop_line import StopLine
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.ros.qos import LATCHED
from rover_common.ros.setpoint_messages import SETPOINT
from rover_common.ros.topic_names import relative_name

pytestmark = pytest.mark.ros
CONFIG = load_config()


@pytest.fixture
def robot(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A node in a domain of its own, in which the lines are made, too."""
    domain = next_domain()
    monkeypatch.setenv('ROS_DOMAIN_ID', str(domain))
    with spun_node('robot', domain) as node:
        yield node


def offer(node: Node, name: str, asked: list[str]) -> None:
    def answer(_request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        asked.append(name)
        response.success, response.message = True, 'stands'
        return response

    node.create_service(Trigger, name, answer)


@pytest.mark.parametrize(
    ('folder', 'base'),
    [
        (None, '/adapter/move_stop'),
        (default_folder() / 'robots' / 'nav2', '/adapter/stop'),
    ],
)
def test_a_stop_asks_executive_and_stop_endpoint_and_says_who_is_absent(
    robot: Any, folder: Path | None, base: str
) -> None:
    asked: list[str] = []
    line = StopLine(load_config(folder))
    try:
        answer = line.stop()
        assert (answer.ok, answer.text) == (
            False,
            f'executive: no server answers; {base}: no server answers',
        )
        offer(robot, base, asked)
        wait_until(lambda: line.stop().ok)
        assert f'{base}: stands' in line.stop().text
        offer(robot, 'executive/stop', asked)
        wait_until(lambda: 'executive: stands' in line.stop().text)
        assert {*asked} == {'executive/stop', base}
    finally:
        line.close()


def test_a_stop_endpoint_of_another_type_is_asked(robot: Any) -> None:
    asked: list[str] = []

    def answer(_request: Empty.Request, response: Empty.Response) -> Empty.Response:
        asked.append('stop')
        return response

    robot.create_service(Empty, 'move_stop', answer)
    line = StopLine(load_config(None, ['guards.stop_endpoint=curiosity.move_stop']))
    try:
        wait_until(lambda: line.stop().ok)
        assert '/move_stop: answered' in line.stop().text
        assert asked
    finally:
        line.close()


def test_pictures_arrive_and_held_motions_are_levels_in_manual_mode_alone(robot: Any) -> None:
    events: list[Any] = []
    setpoints: list[MotionSetpoint] = []
    robot.create_subscription(MotionSetpoint, SETPOINT, setpoints.append, 10)
    status = robot.create_publisher(AdapterStatus, 'adapter/status', LATCHED)
    pictures = robot.create_publisher(CompressedImage, 'capture/image_raw/compressed', 1)
    robot.create_service(SetBool, 'adapter/manual_mode', lambda _request, answer: answer)
    client = ExecutiveClient(CONFIG, events.append, (), PAGE)
    try:
        client.subscribe_page_topics()

        def pictured() -> bool:  # best effort: the first ones may come before both sides matched
            pictures.publish(CompressedImage(data=b'jpeg'))
            return any(isinstance(each, PictureReceived) for each in events)

        wait_until(pictured)
        status.publish(AdapterStatus(sender='a', manual_mode=AdapterStatus.NO))
        wait_until(lambda: AdapterStatusReceived('a', False) in events)
        client.drive('move_forward')
        client.set_manual(True)
        wait_until(lambda: any(isinstance(each, ServiceReply) for each in events))
        assert not setpoints
        lost = SetpointReport(
            sender='navigator',
            navigation_goal=7,
            stage='ENDED',
            reason='no heartbeat',
            motion_stage='ENDED',
        )
        told = AdapterStatus(sender='a', manual_mode=AdapterStatus.YES, navigation_goal=lost)
        status.publish(told)
        wait_until(lambda: AdapterStatusReceived('a', True, 7) in events)  # no matter of this hand

        def driven() -> bool:
            client.drive('move_forward')
            return any(each.motion == 'move_forward' for each in setpoints)

        wait_until(driven)
        wait_until(lambda: setpoints[-1].motion == '')  # nobody holds it any more
        assert {each.adapter for each in setpoints} == {'a'}
        told.navigation_goal = SetpointReport(
            sender=setpoints[-1].sender,
            navigation_goal=1,
            stage='RUNNING',
            motion_stage='REFUSED',
            motion_reason='Close the mast',
        )
        status.publish(told)
        wait_until(lambda: AdapterStatusReceived('a', True, 1, 'Close the mast') in events)
    finally:
        client.close()


def test_the_camera_is_asked_for_its_first_picture_before_anybody_looks_and_then_rests(
    robot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(front_end_subscriptions, 'LIVE_S', 0.2)
    topic = relative_name(CONFIG.topics.images.input_compressed)
    pictures = robot.create_publisher(CompressedImage, topic, front_end_subscriptions.NEWEST)
    events: list[Any] = []
    client = ExecutiveClient(CONFIG, events.append, (), PAGE)

    def live() -> int:
        return sum(isinstance(each, PictureReceived) and each.live for each in list(events))

    def pictured() -> bool:
        pictures.publish(CompressedImage(data=b'jpeg'))
        return live() > 0

    def looked() -> bool:
        client.request_camera()
        return int(pictures.get_subscription_count()) == 1

    try:
        client.subscribe_page_topics()
        wait_until(pictured)
        wait_until(lambda: pictures.get_subscription_count() == 0)
        wait_until(looked)
    finally:
        client.close()


@pytest.mark.usefixtures('robot')
def test_a_node_that_only_has_the_name_of_an_embedded_one_can_have_no_faults(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    events: list[Any] = []
    read: list[str] = []
    client = ExecutiveClient(CONFIG, events.append, (), PAGE)
    with spun_node('rover') as rover:
        get = rover.get_parameter

        def noted(name: str) -> Any:
            read.append(name)
            return get(name)

        monkeypatch.setattr(rover, 'get_parameter', noted)

        def asked() -> bool:
            client.set_fault('rover', 'camera_frozen')
            return 'faults' in read

        def told() -> list[Any]:
            failed = [each for each in events if isinstance(each, ClientFailed)]
            return failed or [each for each in events[begin:] if isinstance(each, ServiceReply)]

        try:
            wait_until(asked)
            begin = len(events)  # until here nobody was there to be asked
            assert wait_until(told)[0] == ServiceReply(FAULT, False, f'rover: {OFF}')
        finally:
            client.close()
