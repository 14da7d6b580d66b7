"""What docs/your_robot.md shows is what runs: the tiny robot of the tests and its folder."""

from __future__ import annotations

from papers import ROOT, Block, blocks
import pytest

from bt_executive.core.guards import BUILT_IN
from bt_executive.skills.registry import Registry
from rover_common.config.load import load_config
from rover_common.ros.interfaces import resolve

PAGE = 'docs/your_robot.md'
SUPPORT = ROOT / 'test' / 'support'
FOLDER = SUPPORT / 'tiny_robot_config'


def shown(kind: str) -> list[Block]:
    return [each for each in blocks() if each.place.startswith(PAGE) and each.kind == kind]


@pytest.mark.parametrize('block', shown('yaml'), ids=lambda block: block.place)
def test_a_part_of_a_file_stands_in_it(block: Block) -> None:
    assert block.text in (FOLDER / 'robot.yaml').read_text(encoding='utf-8')


@pytest.mark.parametrize('block', shown('python'), ids=lambda block: block.place)
def test_a_part_of_the_adapter_stands_in_it(block: Block) -> None:
    assert block.text in (SUPPORT / 'tiny_robot.py').read_text(encoding='utf-8')


def test_the_folder_can_be_used() -> None:
    registry = Registry(load_config(FOLDER), resolve)
    asked = {each.name for tool in registry.values() for each in tool.preconditions}
    assert asked == {'adapter_alive', 'standing_still', 'lamp_on', 'gripper_closed'}
    assert asked - set(BUILT_IN) == {'lamp_on', 'gripper_closed'}
