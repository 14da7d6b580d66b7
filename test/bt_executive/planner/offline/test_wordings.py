"""Wordings that were written apart from the examples, and to which no network was fitted.

The files of this folder were read by whoever wrote the examples, so that they only hold what was
reached; those of bench/models are as their authors left them.

`make steady` reads all of them, `make test` a part: a rule or a network that fails a file fails
its parts, and a single wording never failed it.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import settings
from offline_tools import plan
import pytest
import yaml

from bench.models.fitting import read_utterances
from bench.wordings import DECLINED, RIGHTLY, WRONGLY, Judge, is_wanted
from bt_executive.planner.offline.goal_plan import make_plan
from bt_executive.planner.offline.offered_tools import OfflineTool
from rover_common.config.settings.skills import SkillExample

pytestmark = pytest.mark.long  # the sentence encoder
FOLDER = Path(__file__).parent
BENCH = Path(__file__).parents[4] / 'bench' / 'models'
ALL = settings().max_examples > 15
SLACK = 0 if ALL else 2  # wordings by which the rates of a part may differ from its file's


@pytest.mark.parametrize(
    ('folder', 'name', 'step', 'right', 'wrong'),
    [
        (FOLDER, 'wordings.yaml', 8, 0.9, 0.01),
        (FOLDER, 'wordings_of_four_languages.yaml', 8, 0.8, 0.01),
        pytest.param(
            *(BENCH, 'unseen_wordings_of_*.yaml', 16, 0.8, 0.02),
            marks=pytest.mark.timeout(900),  # 3,700 of them
        ),
    ],
)
def test_wordings_are_understood_and_none_is_carried_out_wrongly(
    folder: Path, name: str, step: int, right: float, wrong: float
) -> None:
    judge = Judge()
    utterances = read_utterances(folder, name)[1 :: 1 if ALL else step]
    found = Counter(judge.outcome(plan(each.text), each.calls) for each in utterances)
    assert found[RIGHTLY] >= right * len(utterances) - SLACK, found
    assert found[WRONGLY] <= wrong * len(utterances) + SLACK / 2, found
    assert sum(found[each] for each in (RIGHTLY, DECLINED, WRONGLY)) == len(utterances) > 0


@pytest.mark.parametrize('robot', ['forklift', 'garden'])
def test_a_foreign_robot_is_understood_by_one_example_for_each_tool(robot: str) -> None:
    told = yaml.safe_load((FOLDER / 'foreign_robots.yaml').read_text(encoding='utf-8'))[robot]
    tools = {name: _foreign(name, each) for name, each in told['tools'].items()}
    plans = [(make_plan(each['text'], tools), each['calls']) for each in told['wordings']]
    acted = [(tasks, wanted) for tasks, wanted in plans if not isinstance(tasks, str)]
    wrong = [
        tasks
        for tasks, wanted in acted
        if len(tasks) != len(wanted) or not all(map(is_wanted, tasks, wanted))
    ]
    right = len(acted) + sum(isinstance(tasks, str) and not wanted for tasks, wanted in plans)
    assert wrong == []
    assert right >= 0.8 * len(plans)


def _foreign(name: str, told: dict[str, Any]) -> OfflineTool:
    arguments = told.get('args', {})
    needed = [each for each, schema in arguments.items() if 'default' not in schema]
    schema = {'type': 'object', 'properties': arguments, 'required': needed}
    examples = tuple(SkillExample(say=each) for each in told['examples'])
    return OfflineTool(name, told['description'], schema, examples)
