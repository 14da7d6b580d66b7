"""The networks for Curiosity's tools: training data, predictions, and tools without labels."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby, product
import math
from pathlib import Path

import numpy as np
from offline_tools import NO_TOOL, ROBOT_EXAMPLES, SHIPPED
import pytest

from bench.models import fit
from bt_executive.planner.offline.goal_plan import make_plan
from bt_executive.planner.offline.neural_networks import (
    arguments_of,
    label_of,
    load_model,
    sequence_probabilities,
    tool_of,
)
from bt_executive.planner.offline.offered_tools import ENDINGS, OfflineTool
from bt_executive.planner.offline.planned_tasks import PlannedCommand
from bt_executive.planner.offline.tool_classifier import classifier_for
from rover_common.config.settings.skills import SkillExample
from rover_common.llm.model_errors import ModelError

pytestmark = pytest.mark.long  # the sentence encoder
NOTHING = {'type': 'object', 'properties': {}}


def test_it_is_fitted_to_the_training_data_as_they_are() -> None:
    assert fit.is_fresh(), 'run `python -m bench.models.fit`'


def test_it_knows_no_tool_that_is_not_offered_and_most_of_those_that_are() -> None:
    known, offered = load_model(ROBOT_EXAMPLES.model).tools, SHIPPED.keys() - {*ENDINGS}
    assert known < offered
    assert len(known) > 0.8 * len(offered)


@pytest.mark.parametrize('arguments', [{}, {'on': False}, {'on': True, 'tell_when': 'dark'}])
def test_a_label_is_a_tool_with_arguments(arguments: dict[str, object]) -> None:
    label = label_of('watch', arguments)
    assert (tool_of(label), arguments_of(label)) == ('watch', arguments)


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / 'examples.npz'
    file.write_bytes(b'PK\x03\x04 no archive')
    with pytest.raises(ModelError, match='cannot be read'):
        load_model(str(file))


def _collapsed(alignment: tuple[int, ...], blank: int) -> tuple[int, ...]:
    return tuple(label for label, _ in groupby(alignment) if label != blank)


@pytest.mark.parametrize('wanted', [(), (0,), (1, 0), (0, 0), (0, 1, 0)])
def test_a_sequence_has_the_probability_of_all_its_alignments(wanted: tuple[int, ...]) -> None:
    draw = np.random.default_rng(len(wanted)).dirichlet
    probabilities = draw(np.ones(3), size=(2, 5)).astype(np.float32)  # of two networks
    alignments = [each for each in product(range(3), repeat=5) if _collapsed(each, 2) == wanted]
    expected = [
        sum(math.prod(map(float, rows[range(5), alignment])) for alignment in alignments)
        for rows in probabilities
    ]
    assert sequence_probabilities(probabilities, wanted) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ('text', 'wanted'),
    [
        ('turn left for 5 s , then turn right', ('turn_left', 'turn_right')),
        ('升起桅杆,然后拍张照片', ('mast_open', 'capture_and_score')),
        ('マストを下げて、写真を撮って', ('mast_close', 'capture_and_score')),
        ('what a day! stop right there', ('move_stop',)),
    ],
)
def test_labels_are_predicted_in_their_order(text: str, wanted: tuple[str, ...]) -> None:
    model = load_model(ROBOT_EXAMPLES.model)
    prediction, (as_wanted, reversed_, unknown) = model.predict(
        text, [wanted, (*wanted[::-1], 'wait'), ('no_tool_of_it',)]
    )
    assert prediction.labels == wanted
    assert list(prediction.positions) == sorted(prediction.positions)
    assert prediction.confidence == as_wanted > reversed_ > unknown == 0.0


def test_no_label_is_predicted_without_words() -> None:
    prediction, _ = load_model(ROBOT_EXAMPLES.model).predict(' … ')
    assert (prediction.labels, prediction.confidence) == ((), 0.0)


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
    own = OfflineTool(
        name, example, NOTHING, (SkillExample(say=example),), model=ROBOT_EXAMPLES.model
    )
    offered = {**SHIPPED, name: own}
    assert make_plan(goal, offered, NO_TOOL) == [PlannedCommand(name)]


def test_a_robot_without_a_model_is_understood_by_its_examples() -> None:
    offered = {name: replace(tool, model='') for name, tool in SHIPPED.items()}
    assert classifier_for(offered, NO_TOOL).model is None
    assert make_plan('raise the mast', offered, NO_TOOL) == [PlannedCommand('mast_open')]
