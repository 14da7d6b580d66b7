"""A robot's own tools are known by one example each, in every language of the encoder."""

from __future__ import annotations

from offline_tools import SHIPPED, plan, tools_of
import pytest

from bt_executive.core.executive_ports import ToolOffer
from bt_executive.planner.offline.goal_plan import make_plan
from bt_executive.planner.offline.planned_tasks import PlannedCommand
from bt_executive.planner.offline.tool_classifier import classifier_for
from rover_common.config.settings.skills import SkillExample
from rover_common.llm import sentence_encoder as encoder
from rover_common.llm.model_errors import ModelError

NOTHING = {'type': 'object', 'properties': {}}
SWITCH = {'type': 'object', 'properties': {'lit': {'type': 'boolean'}}}
ONE_EACH = {
    'water_plants': 'water the plants',
    'call_elevator': 'call the elevator',
    'vacuum_on': 'start vacuuming',
    'get_temperature': 'what is the temperature?',
    'lamp': 'switch the lamp on',
}
FOREIGN = tools_of(
    (ToolOffer(name, '', SWITCH if name == 'lamp' else NOTHING, 1.0) for name in ONE_EACH),
    {name: (SkillExample(say=say),) for name, say in ONE_EACH.items()},
)


@pytest.mark.long
@pytest.mark.parametrize(
    ('goal', 'tool'),
    [
        ('give the plants some water', 'water_plants'),
        ('植物に水をやって', 'water_plants'),
        ('给植物浇水', 'water_plants'),
        ('エレベーターを呼んで', 'call_elevator'),
        ('叫电梯', 'call_elevator'),
        ('please begin to vacuum', 'vacuum_on'),
        ('温度は何度ですか', 'get_temperature'),
        ('现在温度是多少', 'get_temperature'),
        ('turn the lamp on', 'lamp'),
    ],
)
def test_one_english_example_is_enough(goal: str, tool: str) -> None:
    tasks = make_plan(goal, FOREIGN)
    assert isinstance(tasks, list), tasks
    assert [getattr(each, 'tool', '') for each in tasks] == [tool]


@pytest.mark.long
@pytest.mark.parametrize(
    'goal', ['sing a song', '天気はどうですか', '写一首诗', 'do not call the elevator']
)
def test_what_none_of_them_covers_is_declined(goal: str) -> None:
    assert isinstance(make_plan(goal, FOREIGN), str)


@pytest.mark.long
def test_a_switch_is_told_on_and_off() -> None:
    assert make_plan('switch the lamp off', FOREIGN) == [PlannedCommand('lamp', {'lit': False})]
    assert make_plan('switch the lamp on', FOREIGN) == [PlannedCommand('lamp', {'lit': True})]
    assert isinstance(make_plan('switch the lamp on off', FOREIGN), str)


@pytest.mark.slow
def test_an_example_needs_no_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, 'is_installed', lambda: False)
    monkeypatch.setattr(encoder, 'sentence_encoder', encoder.SentenceEncoder)
    tasks = plan('turn left and drive forward 3 s')
    assert tasks == [
        PlannedCommand('turn_left'),
        PlannedCommand('move_forward', {'duration_s': 3.0}, measured=True),
    ]


@pytest.mark.slow
def test_another_wording_without_the_encoder_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(encoder, 'is_installed', lambda: False)
    monkeypatch.setattr(
        'bt_executive.planner.offline.example_vectors.sentence_encoder', encoder.SentenceEncoder
    )
    fresh = classifier_for(SHIPPED, ('no such thing',))
    with pytest.raises(ModelError, match='pip install'):
        fresh.match(['wander off to the left'])
