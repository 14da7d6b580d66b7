"""Wordings that were written apart from the examples: 200 in three languages, 280 in eight.

What the first runs came to stands in decision 0115. The code and the examples were changed
afterwards, so these wordings now hold what was reached: they say nothing of wordings that nobody
has seen. For those in bench/models no example was changed, but their first failures were known to
whoever made the suggestions speak the goal's language and kept "first" and "last".

`make steady` reads all of them. `make test` reads a third of each file of unseen ones, and a sixth
of the others, nearly all of which are understood: a rule or a network that fails a file fails its
parts, and a single wording never failed it.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import settings
from offline_tools import CONFIG, plan
import pytest
import yaml

from bench.models.fitting import read_wordings
from bt_executive.planner.offline.goal_plan import make_plan
from bt_executive.planner.offline.offered_tools import OfflineTool
from bt_executive.planner.offline.planned_tasks import Search, Task
from rover_common.config.settings.skills import SkillExample

pytestmark = pytest.mark.long  # the sentence encoder
FOLDER = Path(__file__).parent
BENCH = '../../../../bench/models'
SKILLS = CONFIG.robot.tools
FREE = 'question'  # an argument in the model's own words
ALL = settings().max_examples > 15
SLACK = 0 if ALL else 2  # wordings by which the rates of a part may differ from its file's


def outcome(wording: dict[str, Any]) -> str:
    """`right`, `declined` though something was wanted, or `wrong`."""
    tasks, wanted = plan(wording['text']), wording.get('calls') or []
    if isinstance(tasks, str):
        return 'declined' if wanted else 'right'
    if not wanted:
        return 'right' if all(map(only_reads, tasks)) else 'wrong'
    if len(tasks) == len(wanted) and all(map(is_wanted, tasks, wanted)):
        return 'right'
    return 'declined' if all(map(only_reads, tasks)) else 'wrong'


def only_reads(task: Task) -> bool:
    return not isinstance(task, Search) and (
        SKILLS[task.tool].reads_only or task.tool in ('look', 'look_at_screen')
    )


def is_wanted(task: Task, wanted: dict[str, Any]) -> bool:
    if isinstance(task, Search):
        return bool(wanted['tool'] == 'capture_and_score')
    given = wanted.get('arguments') or {}
    return bool(task.tool == wanted['tool']) and all(
        is_same(task.arguments.get(name), value) for name, value in given.items() if name != FREE
    )


def is_same(value: object, wanted: object) -> bool:
    if isinstance(wanted, str):
        return wanted.lower() in str(value).lower() or str(value).lower() in wanted.lower()
    return value == pytest.approx(wanted, abs=0.01)


@pytest.mark.parametrize(
    ('name', 'right', 'wrong'),
    [
        ('wordings.yaml', 0.9, 0.01),
        ('wordings_of_four_languages.yaml', 0.8, 0.01),
        (f'{BENCH}/wordings_of_four_languages.yaml', 0.85, 0.01),
        (f'{BENCH}/wordings_of_six_languages.yaml', 0.9, 0.01),
        (f'{BENCH}/wordings_of_spanish_and_other_languages.yaml', 0.85, 0.01),
        (f'{BENCH}/wordings_of_geologists_in_four_languages.yaml', 0.9, 0.01),
        (f'{BENCH}/wordings_of_visitors_in_four_languages.yaml', 0.9, 0.01),
        (f'{BENCH}/wordings_of_many_voices_in_three_languages.yaml', 0.85, 0.01),
        (f'{BENCH}/wordings_of_rescuers_in_four_languages.yaml', 0.78, 0.035),  # as first seen
        (f'{BENCH}/unseen_wordings_of_a_harbour.yaml', 0.88, 0.005),
        (f'{BENCH}/unseen_wordings_of_archives_and_theatres.yaml', 0.91, 0.005),
        (f'{BENCH}/unseen_wordings_of_pools_and_couriers.yaml', 0.88, 0.005),
        (f'{BENCH}/unseen_wordings_of_piers_and_building_sites.yaml', 0.93, 0.005),
        (f'{BENCH}/unseen_wordings_of_caves_and_bus_depots.yaml', 0.9, 0.005),
        (f'{BENCH}/unseen_wordings_of_shopping_centres_and_digs.yaml', 0.77, 0.01),
        (f'{BENCH}/unseen_wordings_of_ferries_and_engineers.yaml', 0.82, 0.02),
        (f'{BENCH}/unseen_wordings_of_botanists_and_shipyards.yaml', 0.72, 0.015),
        (f'{BENCH}/unseen_wordings_of_quarries_and_aprons.yaml', 0.87, 0.01),
    ],
)
def test_wordings_are_understood_and_none_is_carried_out_wrongly(
    name: str, right: float, wrong: float
) -> None:
    step = 3 if 'unseen' in name else 6
    wordings = read_wordings(FOLDER / name)[slice(None) if ALL else slice(1, None, step)]
    found = Counter(map(outcome, wordings))
    assert found['right'] >= right * len(wordings) - SLACK, found
    assert found['wrong'] <= wrong * len(wordings) + SLACK / 2, found


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
