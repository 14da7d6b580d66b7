"""What the processes of a run find in their environment."""

from __future__ import annotations

from bt_executive.launching.node_process import children_environment


def test_ros_stays_on_this_machine() -> None:
    found = children_environment({'HOME': '/home/me'})
    assert found == {'HOME': '/home/me', 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}


def test_what_the_user_chose_wins() -> None:
    found = children_environment({'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET'})
    assert found['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'SUBNET'
