"""What can be asked of a robot, for those who see the page for the first time."""

from __future__ import annotations

from pathlib import Path

from bt_executive.web.example_goals import goal_examples
from rover_common.config.load import load_config
from rover_common.config.robot_examples import MOST_SHOWN


def test_examples_are_the_robots_own_in_both_languages() -> None:
    found = goal_examples(load_config())
    assert found['en'][0] == 'take a picture'
    assert 'drive to x 5 y 3' in found['en']
    assert found['ja'][0] == '写真を撮って'
    assert all(0 < len(texts) <= MOST_SHOWN for texts in found.values())
    assert not any('{' in text for texts in found.values() for text in texts)


def test_a_robot_without_examples_has_none(tmp_path: Path) -> None:
    (tmp_path / 'robot.yaml').write_text('robot: lamp\n')
    assert goal_examples(load_config(tmp_path)) == {'en': [], 'ja': []}
