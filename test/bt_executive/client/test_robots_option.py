"""Robots of a fleet as they are typed."""

from __future__ import annotations

import pytest

from bt_executive.client.robots_option import read_robots
from rover_common.config.load import load_config
from rover_common.config.robot_file import default_folder
from rover_common.errors import UsageError

CONFIG = load_config()


@pytest.mark.parametrize(
    ('text', 'found'),
    [
        ('rover_1', ['/rover_1']),
        ('rover_1, /site/rover_2', ['/rover_1', '/site/rover_2']),
    ],
)
def test_robots_are_named_by_their_namespaces(text: str, found: list[str]) -> None:
    robots = read_robots(text, CONFIG)
    assert [each.ros_arguments[-1] for each in robots] == [f'__ns:={name}' for name in found]
    assert [f'/{each.name}' for each in robots] == found


def test_a_robot_may_have_a_configuration_of_its_own() -> None:
    folder = default_folder() / 'robots' / 'turtlebot'
    both = read_robots(f'a,b={folder}', CONFIG, overrides=['tick.period_s=0.7'])
    assert both[0].config is CONFIG
    assert both[1].config.robot.tools.keys() != CONFIG.robot.tools.keys()
    assert both[1].config.executive.tick.period_s == 0.7


def test_a_folder_may_be_in_the_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('HOME', str(default_folder()))
    (robot,) = read_robots('a=~/robots/turtlebot', CONFIG)
    assert robot.config.robot.tools.keys() != CONFIG.robot.tools.keys()


@pytest.mark.parametrize(
    ('text', 'sentence'),
    [
        ('', "'' is not a namespace"),
        ('a,,b', "'' is not a namespace"),
        ('a b', "'a b' is not a namespace"),
        ('a;rm -rf', 'is not a namespace'),
        ('a,/a', "'a' is named twice"),
        (','.join(f'r{number}' for number in range(17)), '16 at most'),
    ],
)
def test_what_is_no_robot_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        read_robots(text, CONFIG)


def test_a_namespace_beside_names_is_refused() -> None:
    with pytest.raises(UsageError, match='leave out __ns'):
        read_robots('a', CONFIG, ['--ros-args', '-r', '__ns:=/b'])
