"""What the memory is asked, and what can come of it: an outcome, and hits. Metres, seconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from embodied_nav.nodes_of_forest import NodeState
from embodied_nav.observed_thing import Position, Writer

Bounds = tuple[float, float, float, float]  # min x, min y, max x, max y; m
Kind = Literal['explicit', 'implicit', 'global']


class RetrievalMethod(str, Enum):
    """How an answer is looked for (spec 5)."""

    SEMANTIC = 'SEMANTIC'
    LLM_HIERARCHICAL = 'LLM_HIERARCHICAL'


class RecallOutcome(str, Enum):
    """What came of a question."""

    FOUND = 'FOUND'
    ABSENT = 'ABSENT'  # nothing like it is known
    STALE = 'STALE'  # it was seen, but too long ago
    AMBIGUOUS = 'AMBIGUOUS'  # several places fit equally well
    OUT_OF_MAP = 'OUT_OF_MAP'  # it is known of another map, or lies outside of the bounds


@dataclass(frozen=True, kw_only=True)
class Query:
    """A question.

    Attributes:
        near: Where the asker is, m; of several that fit, the nearest is meant then.
        max_age_s: What was seen longer ago is STALE.
        k: How many hits at most.
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
    """One answer.

    Attributes:
        score: 0 to 1, for the order of hits.
        probability: That it is what was asked for, by the calibration of the embedding model.
        age_s: Since it was seen last.
        parents: Names of the areas that hold it, the smallest first.
        relations: What lies beside it, in words: "dune_2 is 2.1 m north of it".
        writer: Who says so, last.
        carried: Words of the question that are said of it, or of something alike.
        lacking: Why it is no answer: words of the question that nothing said of it carries.
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
    carried: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()


@dataclass(frozen=True)
class Recall:
    """What came of a question.

    Attributes:
        reason: A whole sentence for people.
        hits: The best one first. With FOUND, the first one is the target.
        chain: LLM_HIERARCHICAL: the ids that were chosen, the top one first.
        timings: ms of each stage.
        calls: How often a model was asked.
        count: How many there are, if that was asked; then no hit is a target.
        fault: Why a model's choice did not count; it stands in the reason, too.
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
        """Where to go; only with FOUND."""
        is_place = self.outcome is RecallOutcome.FOUND and self.count is None
        return self.hits[0] if is_place and self.hits else None
