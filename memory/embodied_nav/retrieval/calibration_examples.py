"""Calibrates a model with the small worlds that ship with the memory.

`examples.yaml` has places, queries in three languages for what is there in other words, and
queries for what is not there. They belong to no user's store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import yaml

from embodied_nav.embedding.term_vectors import TermVectors
from embodied_nav.embedding.vector_index import mean_of_pairs
from embodied_nav.retrieval.calibration import Calibration, Sample, assumed, learned
from embodied_nav.retrieval.document import Document
from embodied_nav.retrieval.evidence import evidence_of, null_evidence
from embodied_nav.retrieval.parsed_query import parse_query
from embodied_nav.retrieval.query_similarity import similarities_of
from embodied_nav.retrieval.term_support import gains_of, supports_of, with_gains
from rover_common.llm.model_ports import Embedder

EXAMPLES = ('examples.yaml', 'examples_of_speech.yaml')


def calibration_of(embedder: Embedder) -> Calibration:
    """Return the calibration of a model by the examples; takes seconds.

    Raises:
        ModelError: The model does not answer.
    """
    start = assumed(embedder.model)
    term_vectors = TermVectors(embedder)
    samples = [
        sample for world in worlds() for sample in _samples(world, embedder, term_vectors, start)
    ]
    return learned(start, samples)


def worlds() -> Sequence[Mapping[str, Any]]:
    """Return the examples: things by name, and queries with the names of right answers."""
    folder = files('embodied_nav.retrieval')
    found: list[Mapping[str, Any]] = []
    for name in EXAMPLES:
        found += yaml.safe_load(folder.joinpath(name).read_text('utf-8'))
    return found


def _samples(
    world: Mapping[str, Any], embedder: Embedder, term_vectors: TermVectors, start: Calibration
) -> list[Sample]:
    names = list(world['things'])
    texts = [str(text) for text in world['things'].values()]
    documents = [Document(text) for text in texts]
    classes = [text.partition(',')[0] for text in texts]
    queries = [parse_query(str(text)) for text in world['questions']]
    for terms in (
        classes,
        *(document.comparable_terms for document in documents),
        *((*query.units, *query.ablations) for query in queries),
    ):
        term_vectors.learn(term_vectors.missing(terms))
    rows = embedder.embed([*texts, *(text for query in queries for text in query.texts)])
    vectors = mean_of_pairs(rows[len(texts) :])
    rows = rows[: len(texts)]
    found = []
    for query, vector, right in zip(queries, vectors, world['questions'].values(), strict=True):
        cosines = (rows @ vector).astype(np.float64)
        gains = gains_of(query, rows, term_vectors)
        supports = with_gains(supports_of(query, documents, term_vectors), gains)
        similarities = similarities_of(
            query.text, cosines, vector, rows, classes, supports, term_vectors, start
        )
        evidence = evidence_of(query, supports, similarities)
        best = int(similarities.similarities.argmax())
        right_names = str(right or '').split()
        meant = tuple(number for number, name in enumerate(names) if name in right_names)
        wrong_cosine = None if best in meant else cosines[best]
        found.append(
            Sample(evidence, null_evidence(query), meant, supports[best].least, wrong_cosine)
        )
    return found
