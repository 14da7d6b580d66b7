"""Which of the things that are like a question carry all of its words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from embodied_nav.embedding.tokens import head_of, stem
from embodied_nav.forest.directions import BESIDE_M
from embodied_nav.retrieval.asked_time import asked_time
from embodied_nav.retrieval.asked_words import AskedWord, asked_words
from embodied_nav.retrieval.semantic import Question, Scored
from embodied_nav.retrieval.support import Said, in_their_words, missing, with_synonyms
from embodied_nav.store.port import MemoryStore
from embodied_nav.values import Node

CANDIDATES = 25  # among which one that carries every word is looked for


class Fitting:
    """The words of one question, and the things of a store.

    Args:
        store: Has the things.
        text: The question.
        clock: ROS time in s.
    """

    def __init__(self, store: MemoryStore, text: str, clock: Callable[[], float]) -> None:
        self._store, self._clock = store, clock
        rest, self._time = asked_time(text)
        self._words = asked_words(rest)
        self._head = _head(rest, self._words)
        self._names_nothing = all(word.excluded for word in self._words)
        self._text = text
        self._missing: dict[tuple[str, bool], tuple[str, ...]] = {}

    def those(self, scored: Sequence[Scored]) -> tuple[Scored, ...]:
        """Return those that carry every word as it was asked, else those with synonyms."""
        return self._those(scored, by_synonyms=False) or self._those(scored, by_synonyms=True)

    def of_that_kind(self, alike: Iterable[tuple[str, float]]) -> tuple[Scored, ...]:
        """Return the first thing of the kind that is asked for, whatever else it lacks.

        `alike`: ids with their likeness, best first.
        """
        for node_id, likeness in alike:
            if self._head is not None and self._head.text not in self.missing(node_id):
                return (Scored(node_id, likeness, 0.0),)
        return ()

    def missing(self, node_id: str) -> tuple[str, ...]:
        """Return the words that nothing said of a thing carries."""
        return self._of([node_id], by_synonyms=True).get(node_id, ())

    def reworded(self, question: Question) -> Question:
        """Return the question in the words of the things that may be meant, for more of them.

        Its vector stays: no model is asked for another one.
        """
        text = with_synonyms(self._words)
        ids = self._store.lexical(text, question.scope, CANDIDATES)
        ids += [
            each for each, _ in self._store.nearest(question.vector, question.scope, CANDIDATES)
        ]
        nodes = self._store.get(dict.fromkeys(ids))
        text = in_their_words(self._words, (node.text for node in nodes.values()))
        return replace(question, text=text, k=max(question.k, CANDIDATES))

    def _those(self, scored: Sequence[Scored], *, by_synonyms: bool) -> tuple[Scored, ...]:
        lacks = self._of([each.node_id for each in scored], by_synonyms=by_synonyms)
        return tuple(each for each in scored if lacks.get(each.node_id) == ())

    def _of(self, ids: Iterable[str], *, by_synonyms: bool) -> dict[str, tuple[str, ...]]:
        unknown = [each for each in ids if (each, by_synonyms) not in self._missing]
        for node_id, node in self._store.get(unknown).items():
            self._missing[node_id, by_synonyms] = self._lacks(node, by_synonyms)
        return {each: self._missing[each, by_synonyms] for each in ids
                if (each, by_synonyms) in self._missing}  # fmt: skip

    def _lacks(self, node: Node, by_synonyms: bool) -> tuple[str, ...]:
        if self._names_nothing:
            return (f'to tell {self._text!r} by',)
        said = Said(node.text)
        lacks = missing(self._words, said, by_synonyms=by_synonyms)
        if lacks and any(word.at_place for word in self._words):
            lacks = missing(self._words, said, self._around(node), by_synonyms)
        if not self._time.holds(max(0.0, self._clock() - node.last_seen)):
            lacks = (*lacks, self._time.text)
        return lacks

    def _around(self, node: Node) -> Said:
        """What is said of where a thing lies; a template's area speaks of its kind only."""
        beside = self._store.neighbours([node.node_id], BESIDE_M).get(node.node_id, ())
        others = self._store.get(beside).values()
        words = [f'{each.name} {each.label}' for each in others]
        above = node.parent
        while above and (area := self._store.get([above]).get(above)) is not None:
            if area.summary_by != 'template':
                words += [area.name, area.summary]
            above = area.parent
        return Said('. '.join(words))


def _head(text: str, words: Sequence[AskedWord]) -> AskedWord | None:
    """Return the word for the kind of thing that is asked for; in Japanese the last one."""
    own = [word for word in words if not word.excluded and not word.at_place]
    head = head_of(text)
    found = (word for word in own if word.how == 'root' and stem(word.text) == head)
    return next(found, own[-1] if own else None)
