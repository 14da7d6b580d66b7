"""How long ago, in words that a reader takes in at once."""

from __future__ import annotations

import pytest

from embodied_nav.retrieval.answer_verdict import ago


@pytest.mark.parametrize(
    ('seconds', 'said'),
    [
        (-1.0, '0 s ago'),  # of a clock that was set back
        (119.0, '119 s ago'),
        (121.0, '2 min ago'),
        (5400.0, '90 min ago'),
        (7200.0, '2.0 h ago'),
        (360_000.0, '100.0 h ago'),
        (1.794e9, 'at an unknown time'),  # now, for a forest without times
    ],
)
def test_ages_have_the_unit_that_a_person_would_choose(seconds: float, said: str) -> None:
    assert ago(seconds) == said
