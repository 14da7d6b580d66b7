"""Single values of the configuration, and what the shipped files say about them."""

from __future__ import annotations

from typing import Any

import pytest

from rover_common.config.config_values import Value, comment, values_below, with_values
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.errors import ConfigError

CONFIG = load_config()
LOW = ('executive', 'battery', 'low_pct')


def value(*path: str) -> Any:
    (found,) = values_below(CONFIG, path)
    return found


@pytest.mark.parametrize(
    ('path', 'expected'),
    [
        (LOW, Value(LOW, 20.0, float, least=0.0, most=100.0)),
        (
            ('executive', 'agent', 'max_iterations'),
            Value(('executive', 'agent', 'max_iterations'), 100, int, least=1, most=10_000),
        ),
        (
            ('executive', 'variant'),
            Value(('executive', 'variant'), 'B', str, choices=('A', 'B')),
        ),
        (
            ('curiosity', 'rover', 'start', 'x'),
            Value(('curiosity', 'rover', 'start', 'x'), None, float, optional=True),
        ),
        (
            ('executive', 'safety', 'required'),
            Value(('executive', 'safety', 'required'), [], list, choices=('battery', 'tf')),
        ),
    ],
)
def test_a_value_is_known_with_its_kind_and_bounds(path: Any, expected: Any) -> None:
    assert value(*path) == expected


def test_a_section_gives_its_values_and_those_of_its_subsections() -> None:
    found = {each.path[2:] for each in values_below(CONFIG, ('curiosity', 'navigation'))}
    assert {('tolerance_m',), ('scan', 'max_age_s')} <= found


def test_what_is_no_single_value_is_left_out() -> None:
    assert not list(values_below(CONFIG, ('executive', 'keep_out')))
    assert not list(values_below(CONFIG, ('executive', 'guards', 'policy')))


def test_every_value_can_be_put_back() -> None:
    everything = {
        each.path: each.value
        for file in Config.model_fields
        for section in type(getattr(CONFIG, file)).model_fields
        for each in values_below(CONFIG, (file, section))
    }
    assert with_values(CONFIG, everything) == CONFIG


def test_values_are_replaced_together() -> None:
    changed = with_values(CONFIG, {LOW: 70.0, ('executive', 'battery', 'resume_pct'): 90.0})
    assert changed.executive.battery.low_pct == 70.0
    assert CONFIG.executive.battery.low_pct == 20.0


@pytest.mark.parametrize(
    ('values', 'words'),
    [
        ({LOW: 700.0}, "'battery.low_pct' is 700.0: input should be less than or equal to 100"),
        ({LOW: 70.0}, 'resume_pct (60.0) must be above low_pct'),
        ({('executive', 'variant'): 'C'}, "'variant' is 'C'"),
    ],
)
def test_values_that_are_not_allowed_are_refused_with_the_reason(values: Any, words: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        with_values(CONFIG, values)
    assert words in str(refusal.value)


def test_comments_of_the_shipped_files_describe_the_keys() -> None:
    assert comment(('executive', 'guards', 'server_wait_s')).startswith('how long a tool waits')
    assert comment(LOW) == 'below it the goal rests'
    assert comment(('executive', 'battery')) == 'CHARGE below low_pct, until resume_pct'
    assert comment(('topics', 'viz', 'marker_array')) == ''
