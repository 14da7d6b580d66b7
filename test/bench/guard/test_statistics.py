from __future__ import annotations

import pytest

from bench.guard.statistics import Share


@pytest.mark.parametrize(
    ('count', 'of', 'low', 'high'),
    [
        (0, 0, 0.0, 1.0),
        (0, 10, 0.0, 0.30850),
        (1, 10, 0.00253, 0.44502),
        (5, 10, 0.18709, 0.81291),
        (10, 10, 0.69150, 1.0),
        (2, 1000, 0.00024, 0.00721),
    ],
)
def test_bounds_are_those_of_clopper_and_pearson(
    count: int, of: int, low: float, high: float
) -> None:
    assert Share(count, of).bounds == pytest.approx((low, high), abs=6e-6)
