"""How old a measurement is by its stamp."""

from __future__ import annotations

import pytest

from rover_common.message_stamps import ANOTHER_CLOCK_S, UNSTAMPED, age_of

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ('stamp', 'age_s'),
    [
        (NOW, 0.0),
        (NOW - 0.25, 0.25),
        (NOW - 2.0, 2.0),
        (NOW + 0.25, 0.0),  # a clock that is ahead
        (UNSTAMPED, 0.0),
        (123.4, 0.0),  # since a driver was started
        (NOW - ANOTHER_CLOCK_S, 0.0),
    ],
)
def test_a_measurement_is_as_old_as_its_stamp_says(stamp: float, age_s: float) -> None:
    assert age_of(stamp, NOW) == pytest.approx(age_s)
