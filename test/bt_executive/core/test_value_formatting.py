"""Values of any result as texts for people."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.value_formatting import format_feedback, format_fields, format_value

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=5), inner, max_size=5)
    ),
)


@pytest.mark.parametrize(
    ('fields', 'words'),
    [
        ({'mast_is_open': False, 'mast': 'closed'}, 'mast is not open, mast closed'),
        ({'score': 1.0, 'is_good': True, 'merged': False}, 'score 1, good, not merged'),
        ({'is_good': False, 'at_rest': True}, 'not good, at rest'),
        ({'move_allowed': False, 'deadman_armed': True}, 'move not allowed, deadman armed'),
        ({'rover_x': 1.234567890123456}, 'rover x 1.23 m'),
        ({'heartbeat_age_s': 0.123456}, 'heartbeat age 0.123 s'),
        ({'speed_m_s': 0.4853}, 'speed 0.485 m/s'),
        ({'battery_pct': 87.123}, 'battery 87.1 %'),
        ({'stamp': 1763807020.123}, 'stamp 1763807020'),
        ({'standing_unknown': None, 'at_rest': True}, 'standing unknown: none, at rest'),
        ({'motion': None, 'joints': {'a_rad': -0.1}}, 'motion unknown, joints (a -0.1 rad)'),
        ({'scores': [0.1, 0.25], 'one': [1]}, 'scores (0.1, 0.25), one 1'),
        ({'nothing': []}, 'nothing none'),
        ({'way_m': 999.6, 'back_m': -999.6}, 'way 1000 m, back -1000 m'),
        ({'way_m': 999.4, 'far_m': 9.9996e14}, 'way 999 m, far 999960000000000 m'),
        ({'error_code': '', 'message': 'Arrived'}, 'error code none, message Arrived'),
        ({'many': [*range(10)]}, 'many (0, 1, 2, 3, 4, 5, 6, 7, and 2 more)'),
        ({'_s': 2, 'huge': 10**400}, ' s 2, huge about 2^1329'),
    ],
)  # fmt: skip
def test_a_field_is_told_with_its_unit_and_no_more_digits_than_it_deserves(
    fields: dict[str, Any], words: str
) -> None:
    assert format_fields(fields, {'rover_x': 'm'}) == words


@pytest.mark.slow
@given(JSON)
def test_every_value_has_words_without_brackets_of_code(value: Any) -> None:
    words = format_value(value, 'm')
    if isinstance(value, (dict, list)) and not any(each in str(value) for each in '"\'{['):
        assert not {'{', '['} & set(words)


@pytest.mark.parametrize(
    ('fields', 'words'),
    [
        (
            {'current_pose': {'x': 0.0}, 'navigation_time': 0.0, 'distance_remaining': 4.04},
            'navigation time 0, distance remaining 4.04 m',
        ),
        ({'pose': {'x': 1.5}}, 'pose (x 1.5)'),
        ({}, ''),
    ],
)
def test_what_a_server_says_on_its_way_is_told_by_its_single_values(
    fields: dict[str, Any], words: str
) -> None:
    assert format_feedback(fields, {'distance_remaining': 'm'}) == words
