"""What is told of the memory near the robot."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from embodied_nav.observation import Observation
from embodied_nav.spatial_memory import SpatialMemory
from embodied_nav.surroundings_of_rover import Surroundings, read_surroundings
from rover_common.config.load import load_config
from rover_common.geometry.transforms import Transform


@pytest.mark.slow
def test_the_surroundings_are_of_this_map_alone(
    memory: SpatialMemory, seen: Callable[..., Observation]
) -> None:
    memory.observe(seen('Bishop', 5.0, 0.0))
    for name in ('Red Anvil', 'Ivory', 'Coal'):  # enough for an area
        memory.observe(seen(name, 1.0, 0.0, map_epoch=7))
    settings = load_config().executive.memory
    around = read_surroundings(memory, Transform(), 'map', 0, settings)
    assert [each.name for each in around.things if not each.level] == ['Bishop']
    assert around.summary.startswith('Bishop (rock): 5 m east, seen 90 s ago.')
    assert not any(name in around.summary for name in ('Anvil', 'Ivory', 'Coal', '3 things'))


def test_a_summary_that_has_changed_is_published_again_after_a_while() -> None:
    published = Surroundings('Bishop (rock): 5 m east, seen 110 s ago.', read_s=1000.0)
    soon = Surroundings('Bishop (rock): 5 m east, seen 119 s ago.', read_s=1009.0)
    later = Surroundings('Bishop (rock): 5 m east, seen 2 min ago.', read_s=1010.0)
    unchanged = Surroundings(published.summary, read_s=2000.0)
    assert soon.shows_the_same_as(published)
    assert not later.shows_the_same_as(published)
    assert unchanged.shows_the_same_as(published)
