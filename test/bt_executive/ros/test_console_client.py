"""The console's client before there is anybody to talk with."""

from __future__ import annotations

import pytest

from bt_executive.config import load_config
from bt_executive.errors import UsageError
from bt_executive.ros.console_client import ConsoleClient

pytestmark = pytest.mark.ros


def test_unusable_ros_arguments_are_one_sentence() -> None:
    words = "The ROS arguments cannot be used: Couldn't parse remap rule: '-r __ns:=/a-b'"
    with pytest.raises(UsageError, match=words):
        ConsoleClient(load_config(), lambda _: None, ['--ros-args', '-r', '__ns:=/a-b'])
