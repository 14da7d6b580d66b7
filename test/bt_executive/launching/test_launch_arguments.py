"""What the values of launch arguments change in the configuration."""

from __future__ import annotations

from typing import get_args

import pytest

from bt_executive.launching.launch_arguments import (
    ARGUMENTS,
    PROVIDERS,
    ROVER_ARGUMENTS,
    overrides,
)
from rover_common.config.load import load_config
from rover_common.config.settings import PlannerSettings
from rover_common.errors import UsageError

EVERY = {**ARGUMENTS, **ROVER_ARGUMENTS}
DEFAULTS = {name: argument.default for name, argument in EVERY.items()}


def test_by_default_nothing_is_changed() -> None:
    assert not list(overrides(DEFAULTS, EVERY))


def test_every_key_of_an_argument_is_one_of_the_configuration() -> None:
    given = {
        **DEFAULTS,
        'variant': 'A',
        'planner': 'ollama',
        'use_sim_time': 'true',
        'world': 'dunes',
        'set': 'light_model.x_good=8 "planner.model=a b"',
    }
    config = load_config(None, overrides(given, EVERY))
    assert config.executive.variant == 'A'
    assert config.executive.use_sim_time is True
    assert (config.executive.planner.provider, config.executive.planner.model) == ('ollama', 'a b')
    assert config.curiosity.rover.world.name == 'dunes'
    assert config.thresholds.light_model.x_good == 8.0


def test_quotes_that_do_not_end_are_reported() -> None:
    given = {**DEFAULTS, 'set': "planner.model='a b"}
    with pytest.raises(UsageError, match=r'set is .* has no partner'):
        list(overrides(given, EVERY))


def test_the_choices_are_those_of_the_configuration() -> None:
    assert get_args(PlannerSettings.model_fields['provider'].annotation) == PROVIDERS


def test_defaults_are_among_the_choices() -> None:
    for argument in EVERY.values():
        assert not argument.choices or argument.default in argument.choices
