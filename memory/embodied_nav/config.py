"""Spec 5's settings of paths, space, retrieval and language model, with the published values."""

from __future__ import annotations

from dataclasses import dataclass, field

from embodied_nav.forest.neighbours_and_directions import BESIDE_M, VERTICAL_M
from embodied_nav.forest.tile_linkage import BASE_M, LEVELS
from embodied_nav.query_and_recall_types import RetrievalMethod

ENHANCED = 'enhanced_semantic_graph.gml'  # with areas, built offline
ENHANCED_ONLINE = 'enhanced_graph.gml'  # with areas, written while exploring


@dataclass(frozen=True)
class PathConfig:
    """Names of files, in the folder of a run."""

    topological_graph: str = 'topological_graph.gml'  # things, without areas
    enhanced_semantic_graph: str = ENHANCED
    enhanced_graph: str = ENHANCED_ONLINE


@dataclass(frozen=True)
class SpatialConfig:
    """Distances of clusters and neighbours; m."""

    cluster_distance_m: float = BASE_M
    max_levels: int = LEVELS
    spatial_threshold_m: float = BESIDE_M
    vertical_threshold_m: float = VERTICAL_M


@dataclass(frozen=True)
class RetrievalConfig:
    """Retrieval. The threshold depends on the embedding model: see calibration."""

    method: RetrievalMethod = RetrievalMethod.SEMANTIC
    top_k: int = 5
    hierarchical_boost: float = 1.2
    spatial_share: float = 0.2

    @property
    def best_possible(self) -> float:
        """Score of a perfect match after all boosts."""
        return self.hierarchical_boost + self.spatial_share


@dataclass(frozen=True)
class LLMConfig:
    """Calls of a chat model."""

    max_calls: int = 3  # one after the other
    options: int = 20  # that it sees at a time
    summary_calls: int = 20  # of one round of summaries


@dataclass(frozen=True)
class Config:
    """All settings."""

    PATHS: PathConfig = field(default_factory=PathConfig)
    SPATIAL: SpatialConfig = field(default_factory=SpatialConfig)
    RETRIEVAL: RetrievalConfig = field(default_factory=RetrievalConfig)
    LLM: LLMConfig = field(default_factory=LLMConfig)
