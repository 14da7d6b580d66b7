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


@pytest.mark.parametrize(
    ('text', 'name', 'lacking'),
    [
        ('head protection for the crew', 'helmets', 'protection or crew'),
        ('the box with fragile contents', 'crate', 'contents'),
        ('the borrowed boat', '', ''),  # there may be another one
        ('a broken ladder', '', ''),
        ('le bateau emprunté', '', ''),
    ],
)
@pytest.mark.slow
def test_what_is_surely_meant_is_found_and_the_word_that_it_lacks_is_named(
    text: str, name: str, lacking: str
) -> None:
    memory = memory_of(
        {
            'helmets': ('helmet', 0.0, 0.0, 'six scratched helmets hanging on hooks'),
            'ladder': ('ladder', 20.0, 0.0, 'an aluminium ladder against a wall'),
            'boat': ('boat', 40.0, 0.0, 'a white fishing boat tied to the quay'),
            'crate': ('crate', 60.0, 0.0, '写着易碎的木箱'),
        }
    )
    found = asked(memory, text)
    memory.close()
    assert (found.target.name if found.target else '') == name, found.reason
    assert (f'; nothing there says {lacking}.' in found.reason) is bool(lacking)


def test_what_carries_each_word_is_found_however_unlike_the_whole_is() -> None:
    things = {'cabin': ('portable toilet', 0.0, 0.0, 'a blue cabin by the fence')}
    memory = memory_of(things | {'tap': ('water tap', 20.0, 0.0, 'a tap on a post')})
    found = asked(memory, "where's the loo?")
    memory.close()
    assert found.target is not None, found.reason
    assert found.target.name == 'cabin'
