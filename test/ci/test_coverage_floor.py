"""The floor of the coverage only rises: .ci/coverage_floor.py."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location

from papers import ROOT
import pytest

spec = spec_from_file_location('coverage_floor', ROOT / '.ci' / 'coverage_floor.py')
assert spec is not None
assert spec.loader is not None
coverage_floor = module_from_spec(spec)
spec.loader.exec_module(coverage_floor)


@pytest.mark.parametrize('total', [91.0, 91.45, 92.4])
def test_a_floor_just_below_is_right(total: float) -> None:
    assert coverage_floor.complaint(total, 91.0) == ''


def test_less_than_the_floor_is_refused() -> None:
    assert coverage_floor.complaint(90.99, 91.0).startswith(
        'The quick tests cover 90.99 % of the code, the floor is 91 %: add tests'
    )


def test_a_floor_that_was_lowered_is_refused() -> None:
    assert coverage_floor.complaint(91.45, 80.0).endswith('from 80 to 91.')
