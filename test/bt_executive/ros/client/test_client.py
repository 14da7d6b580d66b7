"""The console's client before there is anybody to talk with."""

from __future__ import annotations

from queue import SimpleQueue

import pytest

from bt_executive.client.events import ClientEvent, ClientFailed
from bt_executive.client.requests import GoalRequest
from bt_executive.ros.client.client import ConsoleClient
from rover_common.config.load import load_config
from rover_common.errors import UsageError

pytestmark = pytest.mark.ros


def test_unusable_ros_arguments_are_one_sentence() -> None:
    words = "The ROS arguments cannot be used: Couldn't parse remap rule: '-r __ns:=/a-b'"
    with pytest.raises(UsageError, match=words):
        ConsoleClient(load_config(), lambda _: None, ['--ros-args', '-r', '__ns:=/a-b'])


def test_a_fault_in_the_clients_thread_is_told() -> None:
    happened: SimpleQueue[ClientEvent] = SimpleQueue()
    client = ConsoleClient(load_config(), happened.put)
    try:
        client.start(1, GoalRequest('half a pair \ud800'))
        told = happened.get(timeout=60.0)
    finally:
        client.close()
    assert isinstance(told, ClientFailed)
    assert isinstance(told.fault, UnicodeEncodeError)
