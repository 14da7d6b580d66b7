"""What scores of a model are worth, learned from the examples that ship."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fakes.models import FakeEmbedder
import numpy as np
import pytest
from remembered_worlds import EMBEDDER, clock

from embodied_nav.embedding.vector_index import Index
from embodied_nav.retrieval.calibration import (
    Sample,
    assumed,
    current_calibration,
    learned,
    probabilities,
    read_calibration,
)
from embodied_nav.retrieval.candidate_ranking import LIKELY
from embodied_nav.retrieval.parsed_query import parse_query
from embodied_nav.retrieval.similarities_as_evidence import Evidence, null_evidence
from embodied_nav.spatial_memory import SpatialMemory
from embodied_nav.store.sqlite_store import SqliteStore
from rover_common.llm.sentence_encoder import MODEL


@pytest.mark.slow
def test_calibration_is_learned_for_a_model_that_is_not_known(store: SqliteStore) -> None:
    other = FakeEmbedder(('rock', 'dune'), 'other')
    memory = SpatialMemory(store, other, clock)
    assert 'mean the same from' in memory.maintain()
    assert memory.maintain() == ''
    kept = current_calibration(store, Index(store, other).model)
    assert (kept.model, kept.samples > 100) == ('other', True)
    kept_by_another = current_calibration(store, Index(store, EMBEDDER).model)
    assert kept_by_another == kept  # the store's vectors are of the other one
    assert assumed(MODEL).samples == kept.samples


def evidence(cosine: float, least: float) -> Any:
    """Of two things, of which the first one may be meant."""
    rows = np.zeros((2, len(Evidence)))
    rows[:, Evidence.COSINE] = cosine, 0.3
    rows[0, Evidence.MEAN], rows[0, Evidence.LEAST] = (1.0 + least) / 2.0, least
    return rows


def sample(cosine: float, least: float, right: bool) -> Sample:
    null = null_evidence(parse_query('where is the rock?'))
    return Sample(
        evidence(cosine, least), null, (0,) if right else (), least, None if right else cosine
    )


@pytest.mark.slow
def test_what_is_learned_separates_right_from_wrong() -> None:
    right = [sample(0.80 + 0.01 * n, 0.9, True) for n in range(40)]
    wrong = [sample(0.40 + 0.005 * n, 0.2 + 0.01 * n, False) for n in range(40)]
    found = learned(assumed('other'), [*right, *wrong])
    assert 0.55 < found.sure < 0.9

    def probability(cosine: float, least: float) -> float:
        odds = found.odds(evidence(cosine, least), right[0].null)
        return float(probabilities(odds)[0])

    assert probability(0.8, 0.9) > LIKELY
    assert probability(0.4, 0.2) < LIKELY
    assert 0.40 < found.related < 0.60


def test_probabilities_of_all_things_and_of_none_are_one() -> None:
    odds = np.array([3.0, 3.0, -20.0])
    found = probabilities(odds)
    assert found[0] == found[1] > 0.4
    assert found.sum() < 1.0
    assert found[2] < 1e-6
    assert not len(probabilities(np.zeros(0)))


def test_a_calibration_of_an_earlier_version_is_made_again() -> None:
    kept = replace(assumed('other'), weights=(1.0, 2.0, 3.0, 4.0, 5.0)).text()
    assert read_calibration(kept) is None
    assert read_calibration(assumed('other').text()) == assumed('other')


def test_examples_that_tell_nothing_leave_what_was_assumed() -> None:
    start = assumed('text-embedding-ada-002')
    assert learned(start, []) == start
    assert learned(start, [sample(0.9, 0.9, True)]) == start
