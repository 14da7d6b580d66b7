"""The robot's parts: what is taken of a status, and what a condition says of it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.guards import question_of, read_condition
from bt_executive.core.robot_state import read_parts
from rover_common.config.settings import PartCondition, PartType

TYPES: dict[str, PartType] = {
    'gripper': ('open', 'closed'),
    'lamp_lit': 'boolean',
    'load_kg': 'number',
    'tool': 'string',
}
ANYTHING = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)


def condition(**where: Any) -> PartCondition:
    return PartCondition.model_validate({'where': where, 'reason': 'No'})


def said(asked: PartCondition, **status: Any) -> str:
    return read_condition('it', asked, TYPES, read_parts(status, TYPES)).reason


@pytest.mark.parametrize(
    ('status', 'taken'),
    [
        ({'gripper': 'open', 'more': 1}, {'gripper': 'open'}),
        ({'gripper': 'stuck'}, {'gripper': 'stuck'}),  # no word of its: shown, and not known
        ({'gripper': True, 'lamp_lit': 'on', 'load_kg': '2', 'tool': 3}, {}),
        ({'lamp_lit': 1, 'load_kg': True}, {}),
        ({'load_kg': float('nan')}, {}),
        ({'load_kg': 10**400}, {}),
        ({'load_kg': 2, 'tool': 'x' * 201}, {'load_kg': 2}),
        ({'tool': None, 'lamp_lit': [True], 'gripper': {}}, {}),
    ],
)
def test_a_status_gives_what_is_of_the_configured_type(
    status: dict[str, Any], taken: dict[str, Any]
) -> None:
    assert read_parts(status, TYPES) == dict.fromkeys(TYPES) | taken


@pytest.mark.parametrize(
    ('where', 'status', 'reason'),
    [
        ({'gripper': 'closed'}, {'gripper': 'closed'}, ''),
        ({'gripper': 'closed'}, {'gripper': 'open'}, 'No'),
        ({'gripper': 'closed'}, {'gripper': 'stuck'}, 'gripper is not known'),
        ({'gripper': 'closed'}, {}, 'gripper is not known'),
        ({'lamp_lit': False}, {'lamp_lit': False}, ''),
        ({'lamp_lit': False}, {'lamp_lit': 0}, 'lamp_lit is not known'),
        ({'tool': ['none', 'brush']}, {'tool': 'brush'}, ''),
        ({'tool': ['none', 'brush']}, {'tool': 'drill'}, 'No'),
        ({'load_kg': {'at_most': 2}}, {'load_kg': 2.0}, ''),
        ({'load_kg': {'at_least': 1.0, 'at_most': 2.0}}, {'load_kg': 0.5}, 'No'),
        ({'load_kg': {'at_least': 1.0}}, {'load_kg': None}, 'load_kg is not known'),
        ({'gripper': 'closed', 'lamp_lit': True}, {'gripper': 'closed'}, 'lamp_lit is not known'),
        ({'gripper': 'closed', 'lamp_lit': True}, {'gripper': 'open'}, 'No'),
    ],
)
def test_a_condition_allows_refuses_or_does_not_know(
    where: dict[str, Any], status: dict[str, Any], reason: str
) -> None:
    assert said(condition(**where), **status) == reason


@given(status=st.dictionaries(st.sampled_from(sorted(TYPES)), ANYTHING))
def test_a_condition_allows_only_what_it_names(status: dict[str, Any]) -> None:
    asked = condition(gripper='closed', lamp_lit=False, load_kg={'at_most': 2.0})
    allowed = (
        status.get('gripper') == 'closed'
        and status.get('lamp_lit') is False
        and isinstance(status.get('load_kg'), (int, float))
        and not isinstance(status['load_kg'], bool)
        and -1e300 < status['load_kg'] <= 2.0
    )
    assert (said(asked, **status) == '') == allowed


def test_what_is_not_known_may_become_known_and_is_told_in_the_configured_words() -> None:
    raw = {'where': {'lamp_lit': True}, 'reason': 'No', 'unknown': 'Nobody knows of the lamp'}
    asked = PartCondition.model_validate(raw)
    reading = read_condition('it', asked, TYPES, {})
    assert (reading.reason, reading.passing, reading.seen) == (asked.unknown, True, None)


def test_what_is_seen_is_the_value_that_decided() -> None:
    asked = condition(gripper='closed', lamp_lit=True)
    seen = [
        read_condition('it', asked, TYPES, read_parts(status, TYPES)).seen
        for status in (
            {'gripper': 'closed', 'lamp_lit': True},
            {'gripper': 'open', 'lamp_lit': True},
            {'gripper': 'closed', 'lamp_lit': False},
        )
    ]
    assert seen == ['closed', 'open', False]


def test_the_question_in_the_tree() -> None:
    assert question_of('gripper_closed') == 'Gripper closed?'
