"""The query to the memory, and its result: an outcome, and hits. Metres, seconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from embodied_nav.nodes_of_forest import NodeState
from embodied_nav.observation import Position, Writer

Bounds = tuple[float, float, float, float]  # min x, min y, max x, max y; m
Kind = Literal['explicit', 'implicit', 'global']


class RetrievalMethod(str, Enum):
    """The retrieval method (spec 5)."""

    SEMANTIC = 'SEMANTIC'
    LLM_HIERARCHICAL = 'LLM_HIERARCHICAL'


class RecallOutcome(str, Enum):
    """The outcome of a query."""

    FOUND = 'FOUND'
    ABSENT = 'ABSENT'  # nothing similar is remembered
    STALE = 'STALE'  # it was seen, but too long ago
    AMBIGUOUS = 'AMBIGUOUS'  # several places fit equally well, or one only perhaps
    OUT_OF_MAP = 'OUT_OF_MAP'  # it is in another map, or outside of the bounds


@dataclass(frozen=True, kw_only=True)
class Query:
    """A query.

    Attributes:
        near: The asker's position, m; of several things that fit, the nearest is meant then.
        max_age_s: What was seen longer ago is STALE.
        k: The number of hits, at most.
        frame_id: Frame that a target must be in; empty: any.
        map_epoch: Map that a target must be of; None: any.
        within: A target outside of it is OUT_OF_MAP; m in `frame_id`.
    """

    text: str
    kind: Kind = 'explicit'
    method: RetrievalMethod = RetrievalMethod.SEMANTIC
    near: Position | None = None
    max_age_s: float | None = None
    k: int = 5
    frame_id: str = ''
    map_epoch: int | None = None
    within: Bounds | None = None


@dataclass(frozen=True)
class Hit:
    """One ranked node.

    Attributes:
        score: 0 to 1, for the ranking.
        probability: That it is what was asked for, by the calibration of the embedding model.
        age_s: Since it was seen last.
        parents: Names of the areas that contain it, the smallest first.
        relations: Its neighbours, in words: "dune_2 is 2.1 m north of it".
        writer: The source of the latest observation.
        supported: Terms of the query that its text supports.
        unsupported: Why it is no answer: terms of the query that nothing in its text supports.
        unstated: Such terms of a hit that is the answer all the same.
    """

    node_id: str
    name: str
    caption: str
    position: Position
    frame_id: str
    score: float
    probability: float
    age_s: float
    parents: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    map_epoch: int = 0
    radius_m: float = 0.5
    label: str = ''
    state: NodeState = NodeState.SEEN
    writer: Writer = 'percept'
    supported: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    unstated: tuple[str, ...] = ()

    @property
    def has_only_supported(self) -> bool:
        """Whether each term is supported; how probable the hit is does not matter."""
        return not self.unsupported or {*self.unsupported} <= {*self.supported}


@dataclass(frozen=True)
class Recall:
    """The result of a query.

    Attributes:
        reason: A whole sentence for people.
        hits: The best one first. With FOUND, the first one is the target.
        chain: LLM_HIERARCHICAL: the ids that were chosen, the top one first.
        timings: Duration of each stage, ms.
        calls: Number of calls to a chat model.
        count: How many there are, if that was asked; then no hit is a target.
        fault: Why a model's choice did not count; it is in the reason, too.
    """

    outcome: RecallOutcome
    reason: str
    hits: tuple[Hit, ...] = ()
    chain: tuple[str, ...] = ()
    timings: dict[str, float] = field(default_factory=dict)
    calls: int = 0
    count: int | None = None
    fault: str = ''

    @property
    def target(self) -> Hit | None:
        """The place to go to; only with FOUND."""
        is_place = self.outcome is RecallOutcome.FOUND and self.count is None
        return self.hits[0] if is_place and self.hits else None
