"""The values that go into the memory and come out of it. Metres, seconds of ROS time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
import math
from typing import Literal

from rover_common.errors import MemoryStoreError
from rover_common.llm.sanitize import sanitize_line

Position = tuple[float, float, float]  # m, in the frame that stands beside it
Bounds = tuple[float, float, float, float]  # min x, min y, max x, max y; m
Covariance = tuple[float, ...]  # 3x3 of the position, row by row, m²
Kind = Literal['explicit', 'implicit', 'global']
Writer = Literal['percept', 'operator', 'model', 'import']

NAMED_PLACE = 'place'  # the class of a place that somebody has named
LONGEST_NAME = 120  # characters
LONGEST_CAPTION = 2000
LARGEST = 1e7  # m; what lies farther is no place of a rover's


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


class NodeState(str, Enum):
    """How sure the memory is that a thing is still there."""

    SEEN = 'SEEN'
    CONFIRMED = 'CONFIRMED'  # somebody went there and looked
    RETRACTED = 'RETRACTED'  # somebody looked, and it was gone


@dataclass(frozen=True, kw_only=True)
class Observation:
    """One thing that was seen at one place.

    Attributes:
        name: What it is called. A name that differs from `label` names one thing, so that the
            same name at another place means that it was moved.
        caption: What was seen, in words. Data, never an order.
        position: m, in `frame_id`.
        frame_id: Frame of the map.
        map_epoch: Number of the map; a map that was made anew has another one.
        stamp: When it was seen, ROS time in s.
        covariance: Of the position, 3x3 row by row in m²; None: unknown.
        label: Its class, such as "rock".
        attributes: Words for what it is like.
        box2d: x, y, width, height in the picture, px.
        source: The sensor that saw it.
        writer: Who says so. What was recalled is never an observation.
        image_hash: Of the picture that shows it.
        radius_m: Of the thing itself.
        observation_id: The same id again is the same observation, not another one.
    """

    name: str
    position: Position
    stamp: float
    caption: str = ''
    frame_id: str = 'map'
    map_epoch: int = 0
    covariance: Covariance | None = None
    label: str = ''
    attributes: tuple[str, ...] = ()
    box2d: tuple[float, ...] = ()
    box3d: tuple[float, ...] = ()
    source: str = ''
    writer: Writer = 'percept'
    image_hash: str = ''
    image_path: str = ''
    radius_m: float = 0.5
    observation_id: str = ''

    def __post_init__(self) -> None:
        """Refuses what is no observation.

        Raises:
            MemoryStoreError: Which field, which value, what it should be.
        """
        fault = _fault(self)
        if fault:
            raise MemoryStoreError(f'The observation {self.name[:80]!r} is not taken: {fault}.')


@dataclass(frozen=True)
class Stored:
    """What came of an observation.

    Attributes:
        node_id: The node that holds it now.
        merged_into: The same node, if it was there before; None: it is new.
        moved: It was known at another place.
        repeated: This very observation was taken before; nothing has changed.
    """

    node_id: str
    merged_into: str | None = None
    moved: bool = False
    repeated: bool = False


class ChangeCode(str, Enum):
    """What came of a change that somebody asked for."""

    DONE = 'DONE'
    UNKNOWN_NODE = 'UNKNOWN_NODE'
    NOT_AN_OBJECT = 'NOT_AN_OBJECT'


@dataclass(frozen=True)
class Result:
    """What came of a change: a code, and a sentence for people."""

    code: ChangeCode
    sentence: str

    @property
    def ok(self) -> bool:
        """Whether it was done."""
        return self.code is ChangeCode.DONE


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


@dataclass(frozen=True, kw_only=True)
class Node:
    """A node of the forest: a thing (level 0) or a cluster of things.

    Attributes:
        parent: Id of the cluster that holds it; empty: it is a root.
        parent_level: Level of that cluster; ROOT_LEVEL for a root.
        count: Things below a cluster; times that a thing was seen.
        sums: Sum of the positions of the things below, in mm: exact, whatever their order.
        terms: How often each label occurs below a cluster.
        summary_by: 'template', 'model' or 'import'.
        dirty: Changes below since the model wrote the summary.
    """

    node_id: str
    kind: Literal['object', 'cluster', 'drone', 'rover'] = 'object'
    level: int = 0
    name: str
    caption: str = ''
    summary: str = ''
    label: str = ''
    attributes: tuple[str, ...] = ()
    position: Position
    frame_id: str = 'map'
    map_epoch: int = 0
    covariance: Covariance | None = None
    radius_m: float = 0.5
    first_seen: float = 0.0
    last_seen: float = 0.0
    state: NodeState = NodeState.SEEN
    reason: str = ''
    source: str = ''
    writer: Writer = 'percept'
    image_hash: str = ''
    image_path: str = ''
    box2d: tuple[float, ...] = ()
    box3d: tuple[float, ...] = ()
    parent: str = ''
    parent_level: int = 6
    count: int = 1
    sums: tuple[int, int, int] = (0, 0, 0)
    terms: tuple[tuple[str, int], ...] = ()
    summary_by: str = 'template'
    dirty: int = 0

    @property
    def text(self) -> str:
        """What is embedded and looked through: everything that is said of it."""
        words = (self.called, *self.attributes, self.caption, self.summary)
        return ' '.join(each for each in words if each)

    @property
    def called(self) -> str:
        """What it is called: its name and its class."""
        name = self.name.replace('_', ' ')
        stop = ',' if name[-2:-1] == ' ' else ''  # behind a letter: shelf A, a shelf of steel
        return f'{name}{stop} {self.label}'.strip()


LEVELS_OF_AREAS = (1, 5)
ROOT_LEVEL = 6  # parent_level of a node without a parent: above the highest level


def clean(observation: Observation) -> Observation:
    """The observation with its texts made harmless and cut to their lengths."""
    return replace(
        observation,
        name=sanitize_line(observation.name, LONGEST_NAME),
        caption=sanitize_line(observation.caption, LONGEST_CAPTION),
        label=sanitize_line(observation.label, LONGEST_NAME),
        attributes=tuple(sanitize_line(each, LONGEST_NAME) for each in observation.attributes),
        frame_id=sanitize_line(observation.frame_id, LONGEST_NAME),
        source=sanitize_line(observation.source, LONGEST_NAME),
        image_hash=sanitize_line(observation.image_hash, LONGEST_NAME),
        image_path=sanitize_line(observation.image_path, LONGEST_CAPTION),
        observation_id=sanitize_line(observation.observation_id, LONGEST_NAME),
    )


def _fault(seen: Observation) -> str:
    if not seen.name.strip():
        return 'it has no name'
    if not seen.frame_id:
        return 'frame_id is empty: name the frame of its position'
    if len(seen.position) != 3 or not all(abs(each) <= LARGEST for each in seen.position):
        return f'its position {seen.position} is not three finite numbers in m'
    if not math.isfinite(seen.stamp):
        return f'its stamp {seen.stamp} is not a time in s'
    if not 0.0 <= seen.radius_m <= LARGEST:
        return f'its radius {seen.radius_m} is not a length in m'
    if seen.covariance is not None and (
        len(seen.covariance) != 9 or not all(math.isfinite(each) for each in seen.covariance)
    ):
        return 'its covariance is not 3x3 finite numbers in m²'
    if seen.writer not in ('percept', 'operator', 'model', 'import'):
        return f'its writer {seen.writer!r} is none of percept, operator, model, import'
    return ''
