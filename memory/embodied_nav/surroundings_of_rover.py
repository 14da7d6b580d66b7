"""What is remembered near the robot, as it is published for the executive and RViz."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from embodied_nav.nodes_of_forest import Node
from embodied_nav.spatial_memory import SpatialMemory
from embodied_nav.store.memory_store import Scope
from rover_common.config.settings.executive import MemorySettings
from rover_common.geometry.transforms import Transform

MOST_THINGS = 200


@dataclass(frozen=True)
class Surroundings:
    """Things and areas near the robot, the nearest first; `counts` of the whole memory."""

    summary: str = ''
    things: tuple[Node, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)

    def shows_the_same_as(self, other: Surroundings) -> bool:
        """Return whether it need not be published: ages and noise of positions do not count."""
        return self._shown == other._shown

    @property
    def _shown(self) -> frozenset[tuple[object, ...]]:
        return frozenset(
            (each.node_id, each.name, each.state, *(round(part) for part in each.position))
            for each in self.things
        )


def read_surroundings(
    memory: SpatialMemory, here: Transform, frame: str, map_epoch: int, settings: MemorySettings
) -> Surroundings:
    """Return what is remembered near the robot, in this map."""
    near = (here.x, here.y, here.z)
    scope = Scope(frame_id=frame, map_epoch=map_epoch)
    return Surroundings(
        memory.summary(near, settings.digest_chars, frame),
        tuple(memory.around(near, settings.near_m, scope, MOST_THINGS)),
        memory.stats(),
    )
