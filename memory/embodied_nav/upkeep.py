"""What a memory does when nothing waits: learns what scores are worth, and words for its areas."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
import random

from embodied_nav.embedding.index import Index
from embodied_nav.embedding.tokens import head_of, tokens
from embodied_nav.llm import UNDEFINED, LLMInterface
from embodied_nav.retrieval.answering import CALIBRATION
from embodied_nav.retrieval.calibration import (
    LEAST_SAMPLES,
    Calibration,
    assumed,
    fit,
    read_calibration,
)
from embodied_nav.retrieval.semantic import Question, likenesses
from embodied_nav.store.port import MemoryStore, Scope, Vector
from embodied_nav.values import LEVELS_OF_AREAS, Node
from rover_common.llm.model_errors import GIVEN_UP, ModelError

SAMPLES = 48  # things that a calibration is learned from
GROWTH = 2.0  # it is learned anew when there are so many times more things
WORDS = 2  # of a thing, at most, in a question made of them
STRANGE = 'xyzzy'
THINGS = Scope(levels=(0, 0))


class Upkeep:
    """Needs no answer soon. While a model is asked, `lock` is free for others.

    Args:
        lock: Is held while the store is used.
        llm: Names areas; None: the template's words stay.
    """

    def __init__(
        self,
        store: MemoryStore,
        index: Index,
        lock: AbstractContextManager[object],
        llm: LLMInterface | None = None,
    ) -> None:
        self._store, self._index, self._lock, self._llm = store, index, lock, llm
        self._unnamed: dict[str, int] = {}  # areas that the model had no name for; their changes
        self.fault = ''

    def calibrate(self) -> str:
        """Learns what scores are worth, if there are many more things than last time."""
        with self._lock:
            embedder, count = self._index.embedder, self._store.count(THINGS)
            known = self._store.meta(CALIBRATION)
            told = read_calibration(known) if known else None
            is_ours = told is not None and embedder is not None and told.model == embedder.model
            last = int(self._store.meta(f'{CALIBRATION} things') or 0) if is_ours else 0
            if embedder is None or count < max(LEAST_SAMPLES, GROWTH * last):
                return ''
            if self._store.sample(1, without_vector=True):
                return ''
            texts = self._questions()
        try:
            rows = embedder.embed(texts)
        except ModelError:
            return ''  # the index says so
        with self._lock, self._store.writing():
            learned = self._learned(assumed(embedder.model), texts, rows)
            self._store.set_meta(CALIBRATION, learned.text())
            self._store.set_meta(f'{CALIBRATION} things', str(count))
        return (
            f'Scores of {learned.model} count from {learned.threshold:.2f} on '
            f'({learned.samples} samples of {count} things).'
        )

    def summarise(self, calls: int) -> str:
        """Lets the model name areas that it has not named, or that changed most since.

        A model that does not answer ends the round; nothing is lost by it.
        """
        if self._llm is None or calls < 1:
            return ''
        done = 0
        with self._lock:
            due = self._due()[:calls]
        for area in due:
            with self._lock:
                children = self._store.children(area.node_id)
            try:
                name, summary = self._llm.generate_community_summary(children)
            except ModelError as error:
                if error.sentence != GIVEN_UP:
                    self.fault = error.sentence
                break
            self.fault = ''
            if self._keep(area, name, summary):
                done += 1
            else:
                self._unnamed[area.node_id] = area.dirty
        return f'{done} areas were named by {self._llm.model or "the model"}.' if done else ''

    def _questions(self) -> list[str]:
        """Three for each thing of a sample, see `_questions`."""
        chance = random.Random(0)
        things = list(self._store.nodes(THINGS))
        sample = chance.sample(things, min(SAMPLES, len(things)))
        return [text for node in sample for text in _questions(node, chance)]

    def _learned(self, start: Calibration, texts: Sequence[str], rows: Vector) -> Calibration:
        scores = [self._best(text, row, start) for text, row in zip(texts, rows, strict=True)]
        return fit(start, right=scores[0::3], unsure=scores[1::3], wrong=scores[2::3])

    def _best(self, text: str, row: Vector, start: Calibration) -> float:
        found = likenesses(self._store, Question(text, row, THINGS, 5), start)
        return found[0][1] if found else 0.0

    def _due(self) -> Sequence[Node]:
        areas = [
            node
            for node in self._store.nodes(Scope(levels=LEVELS_OF_AREAS))
            if node.summary_by == 'template' or (node.summary_by == 'model' and node.dirty)
            if self._unnamed.get(node.node_id) != node.dirty
        ]
        return sorted(areas, key=lambda node: (node.summary_by != 'template', node.level))

    def _keep(self, area: Node, name: str, summary: str) -> bool:
        """Keeps the words, if there are any and the area is still there."""
        with self._lock, self._store.writing():
            now = self._store.get([area.node_id]).get(area.node_id)
            if now is None or name == UNDEFINED or not summary:
                return False
            words = replace(now, name=name, summary=summary, summary_by='model', dirty=0)
            self._store.put(words)
        return True


def _questions(node: Node, chance: random.Random) -> tuple[str, str, str]:
    """In its own words; with a word that nobody ever said; and about another kind of thing."""
    head = head_of(node.label or node.name) or node.name
    said = [each for each in dict.fromkeys(tokens(node.text)) if each != head]
    some = ' '.join(chance.sample(said, min(chance.randint(0, WORDS), len(said))))
    return (
        f'{some} {head}'.strip(),
        f'{STRANGE} {some} {head}'.strip(),
        f'{some} {STRANGE}'.strip(),
    )
