"""A small store is no reason to be sure, and any question has an answer."""

from __future__ import annotations

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st
import pytest
from remembered_worlds import NOW, PLAIN, asked, memory_of

from embodied_nav.query_and_recall_types import Query, RecallOutcome
from embodied_nav.retrieval.candidate_ranking import OFFERED

NEVER_SAID = st.sampled_from(
    (
        *('green', 'hollow', 'dinosaur', 'gold', 'wooden', 'purple', 'melted', 'glass'),
        *('fifth', 'Wanaka', 'striped', '7', '12', 'biggest'),
    )
)
ROCKS = tuple(islice(({name: thing} for name, thing in PLAIN.items()), 3))


@pytest.mark.slow
@pytest.mark.parametrize('count', [1, 2, 3])
@given(
    word=NEVER_SAID, ends=st.sampled_from(['the {} rock', '{} rocks', 'a rock, {}', 'a {} thing'])
)
def test_a_small_store_is_no_reason_to_be_sure(count: int, word: str, ends: str) -> None:
    few = {name: thing for each in ROCKS[:count] for name, thing in each.items()}
    memory = memory_of(few)
    found = asked(memory, ends.format(word))
    memory.close()
    assert found.target is None
    assert all(hit.probability <= OFFERED for hit in found.hits)


def test_what_lies_elsewhere_or_is_gone_must_carry_the_words_too() -> None:
    memory = memory_of(PLAIN)
    red = asked(memory, 'the red rock').target
    assert red is not None
    memory.retract(red.node_id, 'not seen', NOW)
    assert 'found to be gone' in asked(memory, 'the red rock').reason
    assert 'found to be gone' not in asked(memory, 'the green rock').reason
    other = memory.recall(Query(text='the green rock', map_epoch=7))
    assert other.outcome is not RecallOutcome.OUT_OF_MAP
    memory.close()


@pytest.mark.parametrize('text', ['', '?', 'where is it?', 'not the red one', 'そこ', '在哪里'])
def test_a_question_that_names_nothing_finds_nothing(text: str) -> None:
    memory = memory_of({'Bishop': PLAIN['Bishop']})
    assert asked(memory, text).target is None
    memory.close()


@pytest.mark.parametrize('text', ['rock', 'the striped rock', '赤い岩', 'la roca roja'])
def test_nothing_is_remembered_yet(text: str) -> None:
    memory = memory_of({})
    assert asked(memory, text).outcome is RecallOutcome.ABSENT
    memory.close()


@pytest.mark.slow
@given(st.text(max_size=40))
def test_any_question_has_an_answer(text: str) -> None:
    memory = memory_of({'Bishop': PLAIN['Bishop']})
    assert asked(memory, text).reason
    memory.close()
