"""The same results in the same order, whatever the work is spread over."""

from __future__ import annotations

import json
import sys

import pytest

from rover_common.errors import UsageError
from rover_common.process.spread import check_workers, spread

ITEMS = [str(number) for number in range(9)]


@pytest.mark.process
@pytest.mark.parametrize('workers', [1, 2])
def test_the_results_are_the_same_whatever_the_split(workers: int) -> None:
    assert spread(json.loads, ITEMS, workers) == list(range(9))


def test_a_cluster_that_cannot_be_used_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'ray', None)  # as where the extra is not installed
    with pytest.raises(UsageError, match='--ray needs the extra ray'):
        spread(json.loads, ITEMS, ray='local')


def test_no_workers_are_refused() -> None:
    with pytest.raises(UsageError, match='--workers 0'):
        check_workers(0)
