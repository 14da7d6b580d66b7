"""The model of Curiosity's tools: of what it was made, and what it knows nothing of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from offline_tools import NO_TOOL, SHIPPED, TOLD
import pytest

from bench.models import fit
from bt_executive.planner.offline.goal_plan import make_plan
from bt_executive.planner.offline.offered_tools import ENDINGS, OfflineTool
from bt_executive.planner.offline.planned_tasks import PlannedCommand
from bt_executive.planner.offline.tool_by_examples import meanings_of
from bt_executive.planner.offline.tool_model import (
    arguments_of,
    class_of,
    load_model,
    pieces_of,
    tool_of,
)
from rover_common.config.settings.skills import SkillExample
from rover_common.llm.model_errors import ModelError

pytestmark = pytest.mark.long  # the sentence encoder
NOTHING = {'type': 'object', 'properties': {}}


def test_it_was_made_of_the_sentences_as_they_are() -> None:
    assert fit.is_fresh(), 'run `python -m bench.models.fit`'


def test_it_knows_no_tool_that_is_not_offered_and_most_of_those_that_are() -> None:
    known, offered = load_model(TOLD.model).tools, SHIPPED.keys() - {*ENDINGS}
    assert known < offered
    assert len(known) > 0.8 * len(offered)


@pytest.mark.parametrize('arguments', [{}, {'on': False}, {'on': True, 'tell_when': 'dark'}])
def test_a_class_is_a_tool_with_arguments(arguments: dict[str, object]) -> None:
    name = class_of('watch', arguments)
    assert (tool_of(name), arguments_of(name)) == ('watch', arguments)


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / 'examples.npz'
    file.write_bytes(b'PK\x03\x04 no archive')
    with pytest.raises(ModelError, match='cannot be read'):
        load_model(str(file))


def test_left_and_right_have_no_piece_that_says_the_same_as_the_other_only() -> None:
    assert pieces_of('left') & pieces_of('turn left')
    assert pieces_of('左') - pieces_of('右')


@pytest.mark.parametrize(
    ('name', 'example', 'goal'),
    [
        ('arm_wave', 'wave with the arm', 'give them a wave of your arm'),
        ('dig', 'dig a hole here', 'dig a hole here, please'),
    ],
)
def test_a_tool_of_ones_own_works_at_once_by_one_example(
    name: str, example: str, goal: str
) -> None:
    own = OfflineTool(name, example, NOTHING, (SkillExample(say=example),), model=TOLD.model)
    offered = {**SHIPPED, name: own}
    assert make_plan(goal, offered, NO_TOOL) == [PlannedCommand(name)]


def test_a_robot_without_a_model_is_understood_by_its_examples() -> None:
    offered = {name: replace(tool, model='') for name, tool in SHIPPED.items()}
    assert meanings_of(offered, NO_TOOL).model is None
    assert make_plan('raise the mast', offered, NO_TOOL) == [PlannedCommand('mast_open')]
