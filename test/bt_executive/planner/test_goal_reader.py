"""Goals are read in a thread of their own; what cannot be read is said."""

from __future__ import annotations

import threading

from offline_tools import OFFERS, ROBOT_EXAMPLES
from papers import ROOT
import pytest

from bt_executive.core.requested_acts import RequestedActs
from bt_executive.planner.goal_reader import ExampleReader, read_goal
from bt_executive.planner.offline import acts_in_text, example_vectors, tool_classifier
from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config
from rover_common.config.robot_examples import robot_examples
from rover_common.llm import sentence_encoder as encoder
from rover_common.llm.model_errors import ModelError


@pytest.mark.slow
def test_goals_of_examples_are_read_without_the_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(example_vectors, 'sentence_encoder', _no_encoder)
    found = read_goal('Raise the mast and take a picture.', OFFERS, ROBOT_EXAMPLES)
    assert [each.tools for each in found.acts] == [('mast_open',), ('capture_and_score',)]


@pytest.mark.long  # the sentence encoder
@pytest.mark.parametrize(
    ('goal', 'metres'),
    [
        ('move 2 m', 2.0),
        ('go 2 m straight', 2.0),
        ('advance by 2 meters', 2.0),
        ('drive 1.5 m ahead for run 7b', 1.5),
        ('keep 2 m away from the wall', None),
        ('explore 5 m around you', None),
    ],
)
def test_metres_tell_which_tool_is_meant(goal: str, metres: float | None) -> None:
    config = load_config(ROOT / 'config' / 'robots' / 'turtlebot')
    found = read_goal(goal, Registry(config).toolset(), robot_examples(config.robot))
    told = [(each.tools[0], each.amounts['drive']) for each in found.acts if each.tools]
    assert told == ([('drive', ('distance_m', metres))] if metres else [])


@pytest.mark.slow
def test_a_missing_encoder_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(example_vectors, 'sentence_encoder', _no_encoder)
    tool_classifier._classifier.cache_clear()
    found = read_goal('Lift that pole and get me some frame of it', OFFERS, ROBOT_EXAMPLES)
    assert found == RequestedActs(unknown=encoder.NOT_INSTALLED.rstrip('.'))


def test_a_goal_that_is_too_long_is_said() -> None:
    found = read_goal('drive ' * 1000, OFFERS, ROBOT_EXAMPLES)
    assert found == RequestedActs(unknown='it has more than 4000 characters')


@pytest.mark.parametrize('fault', [None, ValueError('a rule broke')])
def test_whoever_waits_is_woken(monkeypatch: pytest.MonkeyPatch, fault: Exception | None) -> None:
    def read(*_of: object) -> tuple[()]:
        if fault is not None:
            raise fault
        return ()

    monkeypatch.setattr(acts_in_text, 'asked_acts', read)
    woken = threading.Event()
    reading = ExampleReader(ROBOT_EXAMPLES, woken.set).read('take a picture', OFFERS)
    assert woken.wait(60.0)
    assert reading.result is not None
    assert ('a rule broke' in reading.result.unknown) is (fault is not None)


def _no_encoder() -> None:
    raise ModelError(encoder.NOT_INSTALLED)
