"""What a model's scores are worth, tried with small worlds that ship with the memory.

`examples.yaml` has places, questions in three languages for what is there in other words, and
questions for what is not there. They belong to no user's store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import yaml

from embodied_nav.embedding.embedder_calls import in_one
from embodied_nav.embedding.word_vectors import Meanings
from embodied_nav.retrieval.analysed_description import Said
from embodied_nav.retrieval.asked_words import asked_of
from embodied_nav.retrieval.calibration import Calibration, Sample, assumed, learned
from embodied_nav.retrieval.evidence import evidence_of, of_none
from embodied_nav.retrieval.question_comparison import compared
from embodied_nav.retrieval.word_gains import gains_of
from embodied_nav.retrieval.word_support import supports_of, with_gains
from rover_common.llm.model_ports import Embedder

EXAMPLES = ('examples.yaml', 'examples_of_speech.yaml')


def calibration_of(embedder: Embedder) -> Calibration:
    """Return what is learned of a model from the examples; takes seconds.

    Raises:
        ModelError: The model does not answer.
    """
    start = assumed(embedder.model)
    meanings = Meanings(embedder)
    samples = [
        sample for world in worlds() for sample in _samples(world, embedder, meanings, start)
    ]
    return learned(start, samples)


def worlds() -> Sequence[Mapping[str, Any]]:
    """Return the examples: things by name, and questions with the names of right answers."""
    folder = files('embodied_nav.retrieval')
    found: list[Mapping[str, Any]] = []
    for name in EXAMPLES:
        found += yaml.safe_load(folder.joinpath(name).read_text('utf-8'))
    return found


def _samples(
    world: Mapping[str, Any], embedder: Embedder, meanings: Meanings, start: Calibration
) -> list[Sample]:
    names = list(world['things'])
    texts = [str(text) for text in world['things'].values()]
    said = [Said(text) for text in texts]
    classes = [text.partition(',')[0] for text in texts]
    asked = [asked_of(str(text)) for text in world['questions']]
    for terms in (
        classes,
        *(each.terms for each in said),
        *((*each.units, *each.compared) for each in asked),
    ):
        meanings.learn(meanings.unknown(terms))
    rows = embedder.embed([*texts, *(text for each in asked for text in each.meant)])
    vectors = in_one(rows[len(texts) :])
    found = []
    for at, (one, right) in enumerate(zip(asked, world['questions'].values(), strict=True)):
        mine = (rows[: len(texts)] @ vectors[at]).tolist()
        gains = gains_of(one, rows[: len(texts)], meanings)
        supports = with_gains(supports_of(one, said, meanings), gains)
        numbers = compared(
            one.text, mine, vectors[at], rows[: len(texts)], classes, supports, meanings, start
        )
        evidence = np.array([each.values() for each in evidence_of(one, supports, numbers)])
        best = max(range(len(names)), key=numbers.likenesses.__getitem__)
        named = str(right or '').split()
        meant = tuple(number for number, name in enumerate(names) if name in named)
        apart = None if best in meant else mine[best]
        found.append(Sample(evidence, of_none(one), meant, supports[best].least, apart))
    return found
