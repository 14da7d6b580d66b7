"""The model of Curiosity's tools: of what it was made, and what it knows nothing of."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby, product
import math
from pathlib import Path

import numpy as np
from offline_tools import NO_TOOL, SHIPPED, TOLD
import pytest

from bench.models import fit
from bench.models.fitting import groups, wordings
from bt_executive.planner.offline.goal_plan import make_plan
from bt_executive.planner.offline.neural_networks import (
    arguments_of,
    class_of,
    load_model,
    of_path,
    tool_of,
)
from bt_executive.planner.offline.offered_tools import ENDINGS, OfflineTool
from bt_executive.planner.offline.planned_tasks import PlannedCommand
from bt_executive.planner.offline.tool_by_examples import meanings_of
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


def _collapsed(path: tuple[int, ...], nothing: int) -> tuple[int, ...]:
    return tuple(each for each, _ in groupby(path) if each != nothing)


@pytest.mark.parametrize('wanted', [(), (0,), (1, 0), (0, 0), (0, 1, 0)])
def test_a_path_is_as_likely_as_all_its_ways_together(wanted: tuple[int, ...]) -> None:
    draw = np.random.default_rng(len(wanted)).dirichlet
    said = draw(np.ones(3), size=(2, 5)).astype(np.float32)  # of two networks
    ways = [way for way in product(range(3), repeat=5) if _collapsed(way, nothing=2) == wanted]
    likely = [
        sum(math.prod(float(row[at]) for row, at in zip(rows, way, strict=True)) for way in ways)
        for rows in said
    ]
    assert of_path(said, wanted) == pytest.approx(likely, rel=1e-4)


@pytest.mark.parametrize(
    ('text', 'wanted'),
    [
        ('turn left for 5 s , then turn right', ('turn_left', 'turn_right')),
        ('升起桅杆,然后拍张照片', ('mast_open', 'capture_and_score')),
        ('マストを下げて、写真を撮って', ('mast_close', 'capture_and_score')),
        ('what a day! stop right there', ('move_stop',)),
    ],
)
def test_wishes_are_heard_in_their_order(text: str, wanted: tuple[str, ...]) -> None:
    model = load_model(TOLD.model)
    heard, (as_wanted, turned_round, unknown) = model.read(
        text, [wanted, (*wanted[::-1], 'wait'), ('no_tool_of_it',)]
    )
    assert heard.classes == wanted
    assert list(heard.places) == sorted(heard.places)
    assert heard.likely == as_wanted > turned_round > unknown == 0.0


def test_of_no_words_nothing_is_heard() -> None:
    heard, _ = load_model(TOLD.model).read(' … ')
    assert (heard.classes, heard.likely) == ((), 0.0)


def test_each_author_is_unknown_to_one_network() -> None:
    said = wordings()
    unknown = [author for each in groups(said) for author in each]
    assert sorted(unknown) == sorted({each.author for each in said})
    assert all(groups(said))


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
