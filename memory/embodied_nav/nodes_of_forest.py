"""The nodes of the forest: things, and clusters of things. Metres, s of ROS time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Literal

from embodied_nav.observation import Covariance, Position, Writer

LEVELS_OF_AREAS = (1, 5)
RETRIEVED = ('object', 'cluster')  # kinds; the pose of a rover is no answer to a query
ROOT_LEVEL = 6  # parent_level of a node without a parent: above the highest level
# An older stamp was not set: forests without times have zeros, which are half a century ago.
UNKNOWN_AGE_S = 30 * 365 * 24 * 3600.0
CLOCKS_DIFFER_S = 60.0  # those of rovers that share a memory, by less


class NodeState(str, Enum):
    """Whether a thing is still there, as far as it is known."""

    SEEN = 'SEEN'
    CONFIRMED = 'CONFIRMED'  # it was visited, and was there
    RETRACTED = 'RETRACTED'  # it was visited, and was gone


@dataclass(frozen=True, kw_only=True)
class Node:
    """A node of the forest: a thing (level 0) or a cluster of things.

    Attributes:
        retracted_at: When it was found to be gone, the last time; 0: never.
        parent: Id of the cluster that contains it; empty: it is a root.
        parent_level: Level of that cluster; ROOT_LEVEL for a root.
        count: Number of things below a cluster; of observations of a thing.
        sums: Sum of the positions of the things below, mm: exact, whatever their order.
        terms: Number of things with each label below a cluster.
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
    retracted_at: float = 0.0
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

    @cached_property
    def text(self) -> str:
        """The text that is embedded and searched: names, attributes and descriptions."""
        parts = (self.called, *self.attributes, self.caption, self.summary)
        return ' '.join(part for part in parts if part)

    @property
    def called(self) -> str:
        """Its name and its class."""
        name = self.name.replace('_', ' ')
        stop = ',' if name[-2:-1] == ' ' else ''  # after a letter: shelf A, a shelf of steel
        return f'{name}{stop} {self.label}'.strip()


def age_s(stamp: float, now: float) -> float:
    """Return the age of a stamp, s; `UNKNOWN_AGE_S` if it is still to come.

    The clock was set back since then, or it is of an imported file.
    """
    return UNKNOWN_AGE_S if stamp > now + CLOCKS_DIFFER_S else max(0.0, now - stamp)
