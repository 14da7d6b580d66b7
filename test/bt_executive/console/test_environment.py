"""What the processes of a run find in their environment."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from bt_executive.console.run import children_environment

PROFILES = ('FASTRTPS_DEFAULT_PROFILES_FILE', 'FASTDDS_DEFAULT_PROFILES_FILE')


def test_ros_stays_on_this_machine_and_the_dead_are_gone_soon():
    found = children_environment({'HOME': '/home/me'})
    assert found['HOME'] == '/home/me'
    assert found['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'LOCALHOST'
    profiles = ElementTree.fromstring(Path(found[PROFILES[0]]).read_text(encoding='utf-8'))
    seconds = [int(each.text) for each in profiles.iter() if each.tag.endswith('sec')]
    lease, announcement = seconds
    assert announcement * 4 < lease <= 5


def test_what_the_user_chose_wins():
    assert children_environment({PROFILES[0]: 'mine.xml'})[PROFILES[0]] == 'mine.xml'
    assert PROFILES[0] not in children_environment({PROFILES[1]: 'mine.xml'})
    found = children_environment({'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET'})
    assert found['ROS_AUTOMATIC_DISCOVERY_RANGE'] == 'SUBNET'
