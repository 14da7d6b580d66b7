"""The executive on a bench, for every test below: test/support/tree_bench.py."""

from __future__ import annotations

import pytest
from tree_bench import MakeBench, Propose, make_bench
from tree_bench import propose as _propose


@pytest.fixture(scope='session')
def bench() -> MakeBench:
    return make_bench


@pytest.fixture(scope='session')
def propose() -> Propose:
    return _propose
