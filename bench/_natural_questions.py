"""Questions that people would ask, about places that were described apart from them.

Files of worlds with questions in English, Japanese and Chinese, and captions in any of them: the
first was written by somebody who had not read the memory's code, each other one before what was
changed last. Nothing is tuned on their words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from bench._figures import report
from embodied_nav.observation import Observation
from embodied_nav.query_and_recall_types import Query, RecallOutcome
from embodied_nav.spatial_memory import SpatialMemory
from embodied_nav.store.memory_store import Scope, Vector
from embodied_nav.store.sqlite_store import SqliteStore
from rover_common.llm.sentence_encoder import sentence_encoder

FOLDER = Path(__file__).parent
FILES = {
    'natural': 'memory_questions.yaml',
    'second': 'memory_questions_2.yaml',
    'third': 'memory_questions_3.yaml',
    'fourth': 'memory_questions_4.yaml',
    'fifth': 'memory_questions_5.yaml',
    'sixth': 'memory_questions_6.yaml',
    'seventh': 'memory_questions_7.yaml',
    'eighth': 'memory_questions_8.yaml',
    'ninth': 'memory_questions_9.yaml',
    'tenth': 'memory_questions_10.yaml',
    'eleventh': 'memory_questions_11.yaml',
    'twelfth': 'memory_questions_12.yaml',
    'thirteenth': 'memory_questions_13.yaml',
    'fourteenth': 'memory_questions_14.yaml',
    'fifteenth': 'memory_questions_15.yaml',
    'sixteenth': 'memory_questions_16.yaml',
    'seventeenth': 'memory_questions_17.yaml',
    'eighteenth': 'memory_questions_18.yaml',
    'nineteenth': 'memory_questions_19.yaml',
}
FIRST, FIVE = 0.75, 0.95  # recall, at least
FALSE, PERHAPS = 0.05, 0.15  # share of what is absent, of what is there; at most
IMPLIED_FIVE = 0.7
FROM_ENGLISH = 0.10  # recall@1 of another language, at most, whichever is better
RELIABILITY = 0.1
HASHED, GRAM = 384, 3
THINGS = Scope(levels=(0, 0))
ANSWERED = (RecallOutcome.FOUND, RecallOutcome.AMBIGUOUS)


@dataclass(frozen=True)
class Natural:
    """A question with the ids of right answers; none: nothing there is an answer."""

    text: str
    lang: str
    kind: str
    want: frozenset[str]


@dataclass(frozen=True)
class Given:
    """An answer: ids, the best first; whether it was only offered; how probable."""

    ids: Sequence[str] = ()
    is_offered: bool = False
    probability: float = 0.0


Method = Callable[[Natural], Given]


def natural_questions() -> bool:
    """Print recall of each method and kind for each file; check the memory's own targets."""
    met = True
    rated: list[tuple[float, bool]] = []
    whole: Counter[str] = Counter()
    for name, file in FILES.items():
        met &= _asked_of(name, FOLDER / file, rated, whole)
    report('all files recall@1', _share(whole, 'first'), at_least=FIRST)
    report('all files recall@5', _share(whole, 'five'), at_least=FIVE)
    report('all files answers to absent', _share(whole, 'false', 'absent'), at_most=FALSE)
    report('all files "perhaps"', _share(whole, 'perhaps'), at_most=PERHAPS)
    report('all files reliability error', _reliability(rated), at_most=RELIABILITY)
    print(f'a perfect probability would be off by {_by_chance(rated):.2f} with as many answers')
    return met


def _asked_of(
    file: str, path: Path, all_rated: list[tuple[float, bool]], whole: Counter[str]
) -> bool:
    scores: dict[str, dict[str, Counter[str]]] = {}
    rated: list[tuple[float, bool]] = []
    for world in yaml.safe_load(path.read_text(encoding='utf-8')):
        store = SqliteStore(Path(':memory:'))
        memory = _memory_of(world, store)
        asked = [_natural(each) for each in world['questions']]
        for name, method in _methods(memory, store, world).items():
            for question in asked:
                given = method(question)
                is_right = bool(given.ids) and given.ids[0] in question.want
                if name == 'SEMANTIC' and given.ids:
                    rated.append((given.probability, is_right))
                for key in ('all', question.lang, question.kind):
                    _count(scores.setdefault(name, {}).setdefault(key, Counter()), question, given)
        memory.close()
    _print(file, scores)
    all_rated += rated
    whole += scores['SEMANTIC']['all']
    return _checked(file, scores['SEMANTIC'], rated)


def _memory_of(world: Mapping[str, Any], store: SqliteStore) -> SpatialMemory:
    memory = SpatialMemory(store, sentence_encoder(), lambda: 100.0)
    for place in world['places']:
        memory.observe(
            Observation(
                name=place['id'],
                label=place['class'],
                caption=place['caption'],
                position=(float(place['x']), float(place['y']), 0.0),
                stamp=10.0,
            )
        )
    memory.settle()
    return memory


def _natural(entry: Mapping[str, Any]) -> Natural:
    return Natural(entry['text'], entry['lang'], entry['kind'], frozenset(entry['want'] or ()))


def _methods(
    memory: SpatialMemory, store: SqliteStore, world: Mapping[str, Any]
) -> dict[str, Method]:
    names = {node.node_id: node.name for node in store.nodes(THINGS)}
    texts = {place['id']: f'{place["class"]} {place["caption"]}' for place in world['places']}
    rows = _hashed(list(texts.values()))

    def semantic(asked: Natural) -> Given:
        found = memory.recall(Query(text=asked.text))
        if found.outcome not in ANSWERED:
            return Given()
        is_offered = found.outcome is RecallOutcome.AMBIGUOUS
        hits = found.hits
        return Given([hit.name for hit in hits], is_offered, hits[0].probability)

    def flat(asked: Natural) -> Given:
        (vector,) = sentence_encoder().embed([asked.text])
        return Given([names[each] for each, _ in store.nearest(vector, THINGS, 5)])

    def lexical(asked: Natural) -> Given:
        return Given([names[each] for each in store.lexical(asked.text, THINGS, 5)])

    def hashed(asked: Natural) -> Given:
        cosines = rows @ _hashed([asked.text])[0]
        order = np.argsort(-cosines)[:5]
        return Given([list(texts)[at] for at in order if cosines[at] > 0.0])

    return {
        'hashed n-grams': hashed,
        'BM25': lexical,
        'flat cosine': flat,
        'SEMANTIC': semantic,
        'oracle': lambda asked: Given(sorted(asked.want)),
    }


def _hashed(texts: Sequence[str]) -> Vector:
    """What the memory's vectors were before it had an encoder: spelling, and no meaning."""
    rows = np.zeros((len(texts), HASHED), np.float32)
    for row, text in zip(rows, texts, strict=True):
        for at in range(len(text) - GRAM + 1):
            gram = text[at : at + GRAM].lower().encode()
            row[int.from_bytes(blake2b(gram, digest_size=8).digest(), 'big') % HASHED] += 1.0
        row /= np.linalg.norm(row) or 1.0
    return rows


def _count(counts: Counter[str], asked: Natural, given: Given) -> None:
    if not asked.want:
        counts['absent'] += 1
        counts['false'] += bool(given.ids) and not given.is_offered
        return
    counts['there'] += 1
    counts['first'] += bool(given.ids) and given.ids[0] in asked.want
    counts['five'] += not asked.want.isdisjoint(given.ids[:5])
    counts['perhaps'] += given.is_offered


def _print(file: str, scores: Mapping[str, Mapping[str, Counter[str]]]) -> None:
    keys = list(next(iter(scores.values())))
    print(f'{file} questions: recall@1 / recall@5; absent: share that was answered')
    print(' ' * 16 + ''.join(f'{key:>13}' for key in keys))
    for name, by_key in scores.items():
        cells = (
            f'{_share(c, "first"):.2f} / {_share(c, "five"):.2f}' if c['there']
            else f'{_share(c, "false", "absent"):.2f}'
            for c in (by_key[key] for key in keys)
        )  # fmt: skip
        print(f'{name:<16}' + ''.join(f'{cell:>13}' for cell in cells))


def _checked(
    file: str, scores: Mapping[str, Counter[str]], rated: Sequence[tuple[float, bool]]
) -> bool:
    whole = scores['all']
    english = _share(scores['en'], 'first')
    apart = max(abs(english - _share(scores[each], 'first')) for each in ('ja', 'zh'))
    met = report(f'{file} recall@1', _share(whole, 'first'), at_least=FIRST)
    met &= report(f'{file} recall@5', _share(whole, 'five'), at_least=FIVE)
    met &= report(f'{file} answers to absent', _share(whole, 'false', 'absent'), at_most=FALSE)
    met &= report(f'{file} "perhaps"', _share(whole, 'perhaps'), at_most=PERHAPS)
    met &= report(f'{file}, a language apart from English', apart, at_most=FROM_ENGLISH)
    implied = _share(scores['implied'], 'five')
    met &= report(f'{file} implied recall@5', implied, at_least=IMPLIED_FIVE)
    print(f'a perfect probability would be off by {_by_chance(rated):.2f} with as many answers')
    return met & report(f'{file} reliability error', _reliability(rated), at_most=RELIABILITY)


def _share(counts: Counter[str], of: str, among: str = 'there') -> float:
    return counts[of] / (counts[among] or 1)


def _reliability(rated: Sequence[tuple[float, bool]]) -> float:
    """How far the probability is from the share of right answers, over ten bins."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(10)]
    for probability, is_right in rated:
        bins[min(9, int(probability * 10))].append((probability, is_right))
    off = sum(abs(sum(p for p, _ in some) - sum(right for _, right in some)) for some in bins)
    return off / (len(rated) or 1)


def _by_chance(rated: Sequence[tuple[float, bool]], draws: int = 200) -> float:
    """How far off probabilities are that are exactly right, with so few answers."""
    rng = np.random.default_rng(0)
    drawn = rng.random((draws, len(rated))) < np.array([each for each, _ in rated])
    chances = [each for each, _ in rated]
    off = [_reliability([*zip(chances, row, strict=True)]) for row in drawn.tolist()]
    return float(np.mean(off))
