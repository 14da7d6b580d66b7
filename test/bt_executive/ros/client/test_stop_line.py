"""A stop asks the executive and the base at once, and says who is absent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from domains import next_domain
import pytest
from rclpy.node import Node
from spinning import spun_node
from std_srvs.srv import Empty, Trigger
from waiting import wait_until

from bt_executive.ros.client.stop_line import StopLine
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder

pytestmark = pytest.mark.ros


@pytest.fixture
def robot(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A node in a domain of its own, in which the line is made, too."""
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
