"""The bridge as a process: a viewer gets what it looks at, as it was sent, and cannot write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
import json
import re
import struct
import sys
from typing import Any

from bt_executive_interfaces.msg import ExecutiveState
from known import known
from ports import next_port
import pytest
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import LaserScan
from spinning import spun_node
from std_msgs.msg import String
from waiting import wait_until
from warm import WarmPopen
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from rover_common.ros.qos import LATCHED

pytest.importorskip('foxglove', reason='the extra foxglove is not installed')
from bt_executive.ros.foxglove_bridge import address

pytestmark = pytest.mark.ros
LIMIT_S = 60.0
UNKNOWN = re.compile(r'Unknown channel ID: (\d+)')
MESSAGE = struct.Struct('<BIQ')  # opcode 1, subscription, time in ns; then the message


class Viewer:
    """What Foxglove's protocol sends; https://github.com/foxglove/ws-protocol."""

    def __init__(self, port: int) -> None:
        self._ending = ExitStack()
        found: list[ClientConnection] = []

        def opened() -> bool:
            try:
                found.append(
                    self._ending.enter_context(
                        connect(address(port), subprotocols=[Subprotocol('foxglove.sdk.v1')])
                    )
                )
            except (OSError, WebSocketException):
                return False
            return True

        wait_until(opened)
        self.socket = found[0]
        self.info = json.loads(self.socket.recv(LIMIT_S))
        self.channels: dict[str, dict[str, Any]] = {}
        self._topics: dict[int, str] = {}

    def close(self) -> None:
        """Leaves."""
        self._ending.close()

    def look_at(self, topic: str) -> None:
        """Subscribes, as soon as the topic is offered."""
        while topic not in self.channels:
            self._take(self.socket.recv(LIMIT_S))
        number = len(self._topics) + 1
        self._topics[number] = topic
        self._subscribe(number)

    def _subscribe(self, number: int) -> None:
        wish = {'id': number, 'channelId': self.channels[self._topics[number]]['id']}
        self.say('subscribe', subscriptions=[wish])

    def next(self) -> tuple[str, bytes]:
        """Topic and bytes of the next message."""
        while True:
            found = self._take(self.socket.recv(LIMIT_S))
            if found is not None:
                return found

    def say(self, op: str, **words: Any) -> None:
        """Sends an operation."""
        self.socket.send(json.dumps({'op': op, **words}))

    def _take(self, received: str | bytes) -> tuple[str, bytes] | None:
        if isinstance(received, str):
            told = json.loads(received)
            self.channels |= {each['topic']: each for each in told.get('channels', ())}
            # The server offers a channel a moment before it takes wishes for it: who is quick is
            # refused, and asks again.
            if refused := UNKNOWN.search(told.get('message', '')):
                for number, topic in self._topics.items():
                    if self.channels[topic]['id'] == int(refused[1]):
                        self._subscribe(number)
            return None
        code, number, _ = MESSAGE.unpack_from(received)
        return (self._topics[number], received[MESSAGE.size :]) if code == 1 else None


@pytest.fixture
def node() -> Iterator[Node]:
    with spun_node('robot') as made:
        yield made


@pytest.fixture
def viewer() -> Iterator[Viewer]:
    port = next_port()
    command = [sys.executable, '-m', 'bt_executive', 'foxglove', '--port', str(port)]
    process = WarmPopen(command)
    try:
        made = Viewer(port)
        yield made
        made.close()
    finally:
        process.kill()
        process.wait()


def test_a_viewer_gets_what_it_looks_at_and_the_rover_is_not_asked_for_more(
    node: Node, viewer: Viewer
) -> None:
    scans = node.create_publisher(LaserScan, '/scan', qos_profile_sensor_data)
    events = node.create_publisher(String, '/trace/events', LATCHED)
    scored = {'ts': 12.5, 'kind': 'RESULT', 'message': 'good', 'tool_name': 'look', 'score': 0.75}
    events.publish(String(data=json.dumps(scored)))
    states = node.create_publisher(ExecutiveState, '/executive/state', LATCHED)
    states.publish(ExecutiveState(mode='EXEC', score=0.75))
    viewer.look_at('/trace/events')
    viewer.look_at('/executive/state')
    got = dict(viewer.next() for _ in range(2))
    told = deserialize_message(got['/trace/events'], String).data
    assert json.loads(told) == scored
    assert deserialize_message(got['/executive/state'], ExecutiveState).score == 0.75
    assert 'float64 score' in viewer.channels['/executive/state']['schema']
    assert scans.get_subscription_count() == 0, 'nobody looks at it'
    viewer.look_at('/scan')
    wait_until(lambda: known(scans.get_subscription_count()))
    sent = LaserScan(ranges=[1.0, 2.0])
    scans.publish(sent)
    topic, data = viewer.next()
    assert (topic, deserialize_message(data, LaserScan).ranges) == ('/scan', sent.ranges)
    viewer.say('unsubscribe', subscriptionIds=[3])
    wait_until(lambda: scans.get_subscription_count() == 0)


def test_nobody_writes_through_it(viewer: Viewer) -> None:
    assert viewer.info['capabilities'] == []
    viewer.say('advertise', channels=[{'id': 1, 'topic': '/cmd_vel', 'encoding': 'json'}])
    while True:
        told = json.loads(viewer.socket.recv(LIMIT_S))
        if told['op'] == 'status':
            break
    assert told['level'] == 2, told
