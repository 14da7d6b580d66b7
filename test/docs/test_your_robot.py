"""What docs/your_robot.md shows is what runs: the tiny robot of the tests and its folder."""

from __future__ import annotations

import re

from papers import ROOT, Block, blocks
import pytest

from bt_executive.core.guards import BUILT_IN
from bt_executive.skills.registry import Registry
from rover_common.config.load import load_config
from rover_common.ros.interfaces import resolve

PAGE = 'docs/your_robot.md'
SUPPORT = ROOT / 'test' / 'support'
FOLDER = SUPPORT / 'tiny_robot_config'
FILE = re.compile(r'`(\w+\.yaml)`')
TEXT = (ROOT / PAGE).read_text(encoding='utf-8')


def shown(kind: str) -> list[Block]:
    return [each for each in blocks() if each.place.startswith(PAGE) and each.kind == kind]


def file_of(block: Block) -> str:
    """The configuration file that the text names last before a block."""
    before = TEXT[: TEXT.index(block.text)]
    name: str = FILE.findall(before)[-1]
    return name


@pytest.mark.parametrize('block', shown('yaml'), ids=lambda block: block.place)
def test_a_part_of_a_file_stands_in_it(block: Block) -> None:
    assert block.text in (FOLDER / file_of(block)).read_text(encoding='utf-8')


@pytest.mark.parametrize('block', shown('python'), ids=lambda block: block.place)
def test_a_part_of_the_adapter_stands_in_it(block: Block) -> None:
    assert block.text in (SUPPORT / 'tiny_robot.py').read_text(encoding='utf-8')


def test_each_file_of_the_folder_is_named_and_there_are_no_others() -> None:
    (table,) = re.findall(r'^\| file \|.*?\n\n', TEXT, re.MULTILINE | re.DOTALL)
    assert set(FILE.findall(table)) == {path.name for path in FOLDER.iterdir()}


def test_the_folder_can_be_used() -> None:
    registry = Registry(load_config(FOLDER), resolve)
    asked = {each.name for tool in registry.values() for each in tool.preconditions}
    assert asked == {'adapter_alive', 'standing_still', 'lamp_on', 'gripper_closed'}
    assert asked - set(BUILT_IN) == {'lamp_on', 'gripper_closed'}
