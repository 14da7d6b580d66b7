"""A memory in a file of its own, and things to see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from embodied_nav.observation import Observation
from embodied_nav.retrieval.calibration import assumed
from embodied_nav.spatial_memory import SpatialMemory, open_memory
from embodied_nav.store.sqlite_store import SqliteStore

NOW = 100.0  # ROS time in s of every memory here


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[SpatialMemory]:
    opened = open_memory(tmp_path / 'memory.sqlite', clock=lambda: NOW)
    yield opened
    opened.close()


@pytest.fixture
def seen() -> Callable[..., Observation]:
    def make(
        name: str = 'layered_rock', x: float = 5.0, y: float = 2.0, **more: Any
    ) -> Observation:
        values = {'label': 'rock', 'stamp': 10.0, 'caption': f'a {name.replace("_", " ")}'}
        return Observation(name=name, position=(x, y, 0.0), **{**values, **more})

    return make


@pytest.fixture
def assumed_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """What scores of a new model are worth is not learned, which takes a second."""
    monkeypatch.setattr(
        'embodied_nav.retrieval.calibration.calibration_of',
        lambda embedder: assumed(embedder.model),
    )


@pytest.fixture
def store() -> Iterator[SqliteStore]:
    made = SqliteStore(Path(':memory:'))
    yield made
    made.close()
