"""What must be measured for a goal to be reached."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.done_when import (
    MEASURED,
    Measurement,
    choose_done_when,
    not_met,
    read_done_when,
    write_done_when,
)
from rover_common.config.load import load_config

TYPES = load_config(None).robot.types
GOOD: dict[str, Any] = {
    'mast': 'open',
    'mast_is_open': True,
    'at_rest': True,
    'battery_pct': 80.0,
    'driven_m': 5.0,
    'is_good': True,
    'score': 0.7,
}
WANTED: dict[str, Any] = {
    'mast': '["open", "between"]',
    'mast_is_open': 'true',
    'at_rest': 'true',
    'battery_pct': '{"at_least": 50}',
    'driven_m': '{"at_least": 4.5, "at_most": 5.5}',
    'is_good': 'true',
    'score': '{"at_least": 0.6}',
}


def missing(text: str, values: dict[str, Any], place: tuple[float, float] | None = None) -> str:
    return '; '.join(not_met(read_done_when(text), TYPES, Measurement(values, place)))


@pytest.mark.parametrize('field', WANTED)
@pytest.mark.parametrize('value', [None, 'unknown', -1.0, float('nan')])
def test_what_is_not_known_or_not_so_is_not_met(field: str, value: Any) -> None:
    text = f'{{"where": {{"{field}": {WANTED[field]}}}}}'
    assert missing(text, GOOD) == ''
    assert missing(text, {**GOOD, field: value}).startswith(f'{field} is ')
    assert missing(text, {each: GOOD[each] for each in GOOD if each != field}) == (
        f'{field} is not known'
    )


def test_all_of_it_must_be_met_and_all_that_is_not_is_told() -> None:
    where = '{"mast": "closed", "driven_m": {"at_least": 9}}'
    text = f'{{"where": {where}, "near": {{"x": 8, "y": 0, "within_m": 1}}}}'
    assert missing(text, GOOD, (5.0, 4.0)) == (
        'mast is open, not closed; driven_m is 5, not at least 9; '
        'the robot is 5 m from x 8, y 0, not within 1 m'
    )
    assert missing(text, GOOD).endswith("the robot's place is not known")


@given(x=st.floats(-50, 50), y=st.floats(-50, 50), within_m=st.floats(0.01, 20))
def test_near_is_a_circle(x: float, y: float, within_m: float) -> None:
    text = f'{{"near": {{"x": {x}, "y": {y}, "within_m": {within_m}}}}}'
    assert missing(text, {}, (x + 0.99 * within_m, y)) == ''
    assert missing(text, {}, (x, y - 1.01 * within_m - 1e-6)) != ''


def test_a_question_asks_for_no_measurement() -> None:
    assert read_done_when('"answer"').answer
    assert read_done_when('{"answer": true}').answer


@pytest.mark.parametrize(
    'text',
    ['{"where": {"mast": "open"}}', '"answer"', '{"near": {"x": 1, "y": 2, "within_m": 3}}'],
)
def test_what_is_written_is_read(text: str) -> None:
    done_when = read_done_when(text)
    assert read_done_when(write_done_when(done_when)) == done_when


@pytest.mark.parametrize(
    ('text', 'told'),
    [
        ('', 'done_when is not JSON'),
        ('{"where": ', 'done_when is not JSON'),
        ('{}', 'done_when: write answer for a question; else where, near or both'),
        ('7', 'done_when: '),
        ('"good"', 'done_when: '),
        ('{"when": {}}', 'done_when.when: Extra inputs'),
        ('{"where": {"mast": {}}}', 'done_when.where.mast.bounds: give at_least'),
        (
            '{"where": {"driven_m": {"at_least": "2"}}}',
            'done_when.where.driven_m.bounds.at_least: ',
        ),
        ('{"near": {"x": 1, "y": 2}}', 'done_when.near.within_m: Field required'),
        ('{"near": {"x": 1, "y": 2, "within_m": -1}}', 'done_when.near.within_m: '),
        ('{"answer": true, "where": {"mast": "open"}}', 'done_when: write answer'),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_key(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told.replace('.', r'\.')):
        read_done_when(text)


def test_no_part_of_the_shipped_robot_hides_what_is_measured() -> None:
    assert not {*TYPES} & {*MEASURED}


USUAL = read_done_when('{"where": {"mast": "open"}}')
NAMED = read_done_when('{"near": {"x": 1, "y": 2, "within_m": 1}}')


@pytest.mark.parametrize(
    ('given', 'template', 'words', 'tool', 'wanted'),
    [
        ('', None, 'fetch the cup', '', USUAL),
        ('', None, 'Where is the cup?', '', None),
        ('', None, '', 'mast_open', None),
        ('', NAMED, 'fetch the cup', '', NAMED),
        (' "answer" ', NAMED, 'fetch the cup', '', read_done_when('"answer"')),
    ],
)
def test_what_the_robots_goals_come_to_holds_for_goals_that_say_nothing(
    given: str, template: Any, words: str, tool: str, wanted: Any
) -> None:
    text = choose_done_when(given, template, USUAL, words, tool)
    assert (read_done_when(text) if text else None) == wanted
    assert choose_done_when('', None, None, words, tool) == ''
