"""How long ago, in words that a reader takes in at once."""

from __future__ import annotations

import pytest
from remembered_worlds import asked, memory_of

from embodied_nav.query_and_recall_types import RecallOutcome
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


@pytest.mark.parametrize(
    ('text', 'outcome'),
    [
        ('show me a rock', RecallOutcome.FOUND),
        ('any rock will do', RecallOutcome.FOUND),
        ('一块岩石', RecallOutcome.FOUND),
        ('the rock', RecallOutcome.AMBIGUOUS),
        ('岩石', RecallOutcome.AMBIGUOUS),
    ],
)
@pytest.mark.slow
def test_of_things_that_fit_equally_any_is_meant_by_who_says_so(
    text: str, outcome: RecallOutcome
) -> None:
    caption = 'a rock with a flat top'
    memory = memory_of({f'rock_{x}': ('rock', x, 0.0, caption) for x in (0, 50)})
    found = asked(memory, text)
    memory.close()
    assert found.outcome is outcome, found.reason
    assert {'rock_0', 'rock_50'} == {hit.name for hit in found.hits}
    assert 'rock_0' in found.reason
    assert 'rock_50' in found.reason
