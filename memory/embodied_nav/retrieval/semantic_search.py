"""SEMANTIC of spec 5: likeness, threshold, boost by area, boost by neighbours, normalised.

Likeness is of three kinds: the cosine of question and text, how far each word is carried, and BM25
for who is a candidate at all. What only the meaning finds is as eligible as what shares words.

Faults of the public implementation that are not ours: an empty match is no error; a thing at the
origin is one like others; the parent's boost counts once; a lone hit is not 1.0, because scores
are normalised against the fixed ends of the scale and not against each other alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
import math

import numpy as np

from embodied_nav.embedding.word_vectors import Meanings
from embodied_nav.forest.directions import BESIDE_M
from embodied_nav.nodes_of_forest import Node
from embodied_nav.observed_thing import Position
from embodied_nav.question_and_outcome import Bounds
from embodied_nav.retrieval.analysed_description import Said, said_of
from embodied_nav.retrieval.asked_words import Asked, asked_of, may_be_alike
from embodied_nav.retrieval.calibration import Calibration, probabilities
from embodied_nav.retrieval.denials_in_descriptions import with_denials
from embodied_nav.retrieval.evidence import evidence_of, of_none, said_of_others
from embodied_nav.retrieval.other_languages import in_known_words, without_framing
from embodied_nav.retrieval.question_comparison import compared
from embodied_nav.retrieval.synonyms import concepts_of, is_kind, written
from embodied_nav.retrieval.unsupported_words import part_of_name, unsupported_of
from embodied_nav.retrieval.word_gains import gains_of
from embodied_nav.retrieval.word_support import Support, supports_of, with_gains
from embodied_nav.retrieval.words_of_text import Word
from embodied_nav.store.memory_store import MemoryStore, Scope, Vector
from rover_common.llm.sentence_encoder import MODEL as OWN

PARENT_BOOST = 1.2
NEIGHBOUR_SHARE = 0.2
BEST_POSSIBLE = 1.0 * PARENT_BOOST + NEIGHBOUR_SHARE  # score of a perfect match after all boosts
BELOW = 0.99  # of the least score of what fits, at most, for what does not
CANDIDATES = 2  # times k; of these the rest of the stages looks
FEWEST_CANDIDATES = 30
LIKELY = 0.35  # probability from which on a thing is the answer
OFFERED = 0.65  # probability, at most, of one that is only offered: as many are right then
POSSIBLE = 0.2  # the same, against nothing being meant, from which on it is worth a question
AS_LIKELY = 0.9  # of a probability: as good as it
NEVER = -20.0  # in log-odds, of what it must not be
LEARNED_AT_ONCE = 64  # words of what a question is compared with; the others wait for the upkeep


@dataclass(frozen=True)
class Scored:
    """A node with what speaks for it.

    Attributes:
        likeness: Before the boosts: the probability that it is meant, if nothing else may be.
        score: After them, normalised; for the order of hits.
        probability: That it is what was asked for.
        carried: Words of the question that are said of it.
        lacking: Why it is no answer: words of the question that nothing said of it carries.
        may_be: It is near enough to be asked about.
    """

    node_id: str
    likeness: float
    score: float
    probability: float = 0.0
    carried: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    may_be: bool = True


@dataclass(frozen=True)
class Question:
    """A question as retrieval needs it: words, their vector, and where to look.

    The vector may be empty, where no model gave one: then words decide alone. `names`: it names
    things, and does not say what they are good for. `is_need`: it says what is the matter.
    """

    text: str
    vector: Vector
    scope: Scope
    k: int
    names: bool = False
    is_need: bool = False

    @cached_property
    def asked(self) -> Asked:
        """Its parts."""
        return asked_of(self.text, not self.names, self.is_need)


def likenesses(
    store: MemoryStore,
    question: Question,
    calibration: Calibration,
    meanings: Meanings,
    now: float | None = None,
) -> list[Scored]:
    """Return the candidates, what carries every word first, then by likeness.

    Args:
        store: Has the things.
        question: What is asked.
        calibration: What scores of the model are worth.
        meanings: Of single words.
        now: ROS time in s, where it matters when a thing was seen; None: it does not.
    """
    limit = max(FEWEST_CANDIDATES, CANDIDATES * question.k)
    cosines = dict(store.nearest(question.vector, question.scope, limit))
    told = without_framing(question.asked)
    known = in_known_words(told, meanings)
    by_words = store.lexical(in_all_words(known), question.scope, limit)
    cosines |= cosines_of(store, question, [each for each in by_words if each not in cosines])
    nodes = store.get(cosines)
    said = {each: said_of(node.text) for each, node in nodes.items()}
    asked = told if known is told else in_known_words(told, meanings, said.values())
    meanings.learn_if_quick((term for each in said.values() for term in each.terms),
                            LEARNED_AT_ONCE)  # fmt: skip
    places = _places(store, nodes, asked)
    supports = supports_of(asked, [*said.values()], meanings, [places.get(each) for each in said])
    rows = store.vectors(list(nodes))
    supports = with_denials(
        asked, supports, [*said.values()], rows, meanings, calibration.sure, LEARNED_AT_ONCE
    )
    meanings.learn_if_quick(told.compared, LEARNED_AT_ONCE)
    gains = gains_of(told, rows, meanings)
    supports = with_gains(supports, gains, calibration.model == OWN)
    classes = [node.label for node in nodes.values()]
    meanings.learn_if_quick(classes, LEARNED_AT_ONCE)
    numbers = compared(
        question.text,
        [cosines[each] for each in nodes],
        question.vector,
        rows,
        classes,
        supports,
        meanings,
        calibration,
    )
    odds = calibration.odds(evidence_of(asked, supports, numbers), of_none(asked))
    odds += [NEVER * (bool(support.unmet) or not _is_of_its_time(asked, node, now))
             for support, node in zip(supports, nodes.values(), strict=True)]  # fmt: skip
    chances = probabilities(odds)
    elsewhere = said_of_others(asked, supports)
    found = []
    unsupported = unsupported_of(asked, supports, calibration.sure)
    named_so = np.array([each.mean == 1.0 and not each.unmet for each in supports], np.bool_)
    for (each, node), support, unsaid, chance, odd in zip(
        nodes.items(), supports, unsupported, chances.tolist(), odds.tolist(), strict=True
    ):
        as_likely = (chances >= AS_LIKELY * chance) & (AS_LIKELY * chances <= chance)
        is_whole = support.least >= calibration.sure
        shared = float(chances[as_likely].sum()) if is_whole else chance  # by all that fit as well
        if support.words and support.mean == 1.0:
            shared = max(shared, float(chances[named_so].sum()))
        against = (
            *unsaid,
            *support.unmet,
            *_of_another_time(asked, node, now),
            *_is_subject(asked, node),
            *part_of_name(asked, node, meanings, calibration.sure),
            *(() if support.says_something else elsewhere),
        )
        lacking = tuple(dict.fromkeys(against))
        if not lacking and shared < LIKELY:
            lacking = support.weakest
        alike = (1.0 - support.nears_denied) / (1.0 + math.exp(-odd))
        may_be = alike >= POSSIBLE or support.kind >= calibration.near
        carried = (
            support.carried(calibration.sure)
            if asked.is_implied
            else tuple(word for word in support.texts if word not in unsaid)
        )
        found.append(Scored(each, alike, alike, chance, carried, lacking, may_be))
    found = _those_that_deny(asked, found, supports)
    found = _those_called_so(asked, found, nodes, supports)
    return sorted(found, key=lambda each: (bool(each.lacking), -each.likeness))


def _those_that_deny(
    asked: Asked, found: Sequence[Scored], supports: Sequence[Support]
) -> list[Scored]:
    """Withhold what nobody said to be without that which it must not have.

    The tree without leaves is preferred to one of which nobody said whether it has some. "The
    bench that is not red" is the other one where one is red. Where none is said to be, nor not to
    be, nobody knows which is meant.
    """
    contrast = any(
        support.unmet and {*each.lacking} <= {*support.unmet, *support.texts}
        and support.says_something
        for each, support in zip(found, supports, strict=True)
    )  # fmt: skip
    denied = [0 if each.lacking else support.denied
              for each, support in zip(found, supports, strict=True)]  # fmt: skip
    most = max(denied, default=0)
    names = not asked.is_implied or any(is_kind(concepts_of(word.text)) for word in asked.words)
    if not most and not contrast and asked.excluded and names:
        most = 1
    unsaid = tuple(f'without {word.text}' for group in asked.excluded for word in group)
    return [
        replace(each, lacking=unsaid) if not each.lacking and mine < most else each
        for each, mine in zip(found, denied, strict=True)
    ]


def _those_called_so(
    asked: Asked,
    found: Sequence[Scored],
    nodes: Mapping[str, Node],
    supports: Sequence[Support],
) -> list[Scored]:
    """Prefer what is called so to what is only spoken of with it.

    A chair by the lift is no lift, and the statue of a lion no animal, where there is one.
    """
    if asked.is_implied:
        return [*found]
    called = [
        tuple(
            word.text
            for word, value in support.words
            if value == 1.0 and may_be_alike(word)
            if said_of(_called(nodes[each.node_id])).says(word)
        )
        for each, support in zip(found, supports, strict=True)
    ]
    most = max((len(mine) for each, mine in zip(found, called, strict=True)
                if {*each.lacking} <= {*each.carried}), default=0)  # fmt: skip
    if not most:
        return [*found]
    wanted = {word for mine in called if len(mine) == most for word in mine}
    return [
        each
        if {*each.lacking} - {*each.carried} or len(mine) == most
        else _without(each, wanted.difference(mine))
        for each, mine in zip(found, called, strict=True)
    ]


def _called(node: Node) -> str:
    """Return the class, or the name with it where the class is of no known kind."""
    return node.label if is_kind(concepts_of(node.label)) else node.called


def _without(scored: Scored, words: Collection[str]) -> Scored:
    """Return it as something of which these words are not said."""
    carried = tuple(each for each in scored.carried if each not in words)
    lacking = tuple(each for each in scored.carried if each in words)
    return replace(scored, carried=carried, lacking=lacking)


def _is_subject(asked: Asked, node: Node) -> tuple[str, ...]:
    """Return what the question is about and does not ask for, if the thing is of that class.

    A boot dryer is a dryer, and no boot.
    """
    subject, (*_, head) = Word(asked.subject), ('', *node.label.split())
    return (subject.text,) if subject.text and said_of(head).says(subject) else ()


def in_all_words(asked: Asked) -> str:
    """Return the words of a question with all that mean the same, to look for candidates."""
    same = (
        other
        for word in asked.words
        for concept in concepts_of(word.text)
        for other in written(concept)
    )
    return ' '.join(dict.fromkeys((*(word.text for word in asked.words), *same)))


def _of_another_time(asked: Asked, node: Node, now: float | None) -> tuple[str, ...]:
    return () if _is_of_its_time(asked, node, now) else (asked.time.text,)


def _is_of_its_time(asked: Asked, node: Node, now: float | None) -> bool:
    """Return whether it was seen when it was asked for."""
    return now is None or asked.time.holds(max(0.0, now - node.last_seen))


def _places(store: MemoryStore, nodes: Mapping[str, Node], asked: Asked) -> dict[str, Said]:
    """What is said of where things lie; a template's area speaks of its kind only."""
    if not any(word.at_place for word in asked.words):
        return {}
    beside = store.neighbours(list(nodes), BESIDE_M)
    others = store.get({each for some in beside.values() for each in some})
    areas = areas_above(store, nodes.values())
    found = {}
    for node_id, node in nodes.items():
        near = (others[each] for each in beside.get(node_id, ()) if each in others)
        words = [f'{each.name}, {each.label}' for each in near]
        above = node.parent
        while above in areas:
            if areas[above].summary_by != 'template':
                words += [areas[above].name, areas[above].summary]
            above = areas[above].parent
        found[node_id] = said_of('. '.join(words))
    return found


def areas_above(store: MemoryStore, nodes: Iterable[Node]) -> dict[str, Node]:
    """Return the clusters above some nodes, by id."""
    known: dict[str, Node] = {}
    wanted = {node.parent for node in nodes if node.parent}
    while wanted:
        found = store.get(wanted)
        known |= found
        wanted = {node.parent for node in found.values() if node.parent} - known.keys()
    return known


def cosines_of(store: MemoryStore, question: Question, ids: Sequence[str]) -> dict[str, float]:
    """Of these nodes with the question; 0 where one of the two has no vector."""
    if not ids or not len(question.vector):
        return dict.fromkeys(ids, 0.0)
    rows = store.vectors(ids)
    if rows.shape[1] != len(question.vector):
        return dict.fromkeys(ids, 0.0)
    return dict(zip(ids, map(float, rows @ question.vector), strict=True))


def around(near: Position, radius_m: float, within: Bounds | None) -> Bounds:
    """The square around a place, as far as it is in the bounds."""
    x, y, _ = near
    box = (x - radius_m, y - radius_m, x + radius_m, y + radius_m)
    if within is None:
        return box
    return (
        max(box[0], within[0]),
        max(box[1], within[1]),
        min(box[2], within[2]),
        min(box[3], within[3]),
    )


def boosted(
    scores: Mapping[str, float],
    nodes: Mapping[str, Node],
    areas: Mapping[str, float],
    threshold: float,
) -> dict[str, float]:
    """X 1.2, once, for nodes whose area is like the question.

    Args:
        scores: By id.
        nodes: The nodes of the scores.
        areas: Cosine of each area with the question.
        threshold: From which on an area is like it.
    """
    return {
        each: score * PARENT_BOOST
        if areas.get(nodes[each].parent if each in nodes else '', 0.0) >= threshold
        else score
        for each, score in scores.items()
    }


def normalised(
    found: Mapping[str, Scored], scores: Mapping[str, float], floor: float
) -> list[Scored]:
    """Return them with scores between 0 and 1: 1 is a perfect match with every boost.

    Best first; what carries every word of the question comes before what does not.
    """
    low = min(floor, *scores.values())
    width = BEST_POSSIBLE - low
    values = {each: (score - low) / width for each, score in scores.items()}
    fits = [value for each, value in values.items() if not found[each].lacking]
    others = [value for each, value in values.items() if found[each].lacking]
    less = 1.0
    if fits and others and max(others) > 0.0:
        less = min(1.0, BELOW * min(fits) / max(others))
    scored = [
        replace(found[each], score=value * (less if found[each].lacking else 1.0))
        for each, value in values.items()
    ]
    return sorted(scored, key=lambda each: (bool(each.lacking), -each.score))
