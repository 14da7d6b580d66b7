"""The detector sees what is in view, and nothing else."""

from __future__ import annotations

import math

import numpy as np
import pytest

from curiosity_sim.rover.detector import EYE_AHEAD_M, EYE_HEIGHT_M, Detector, Sighting
from curiosity_sim.rover.rocks import Rock
from curiosity_sim.rover.terrain import CELL_M, CELLS, HALF_M, LEVEL, Terrain
from curiosity_sim.rover.world import World
from rover_common.config.settings.curiosity import DetectorSettings
from rover_common.config.settings.world import Feature
from rover_common.geometry.planar_motion import Pose2D

SURE = DetectorSettings(
    range_m=20.0, horizontal_fov_rad=2.0, rate_hz=2.0, noise_per_m=0.0, missed=0.0
)
HERE = Pose2D(0.0, 0.0, 0.0)


def slab(name: str, x: float, y: float, height: float = 0.5, size: float = 0.5) -> Feature:
    return Feature(name=name, kind='rock', x=x, y=y, size_m=size, height_m=height)


def world(*features: Feature, terrain: Terrain = LEVEL) -> World:
    rocks = tuple(
        Rock(
            x=each.x,
            y=each.y,
            radius=each.size_m,
            height=each.height_m or 0.0,
            colour=(1, 2, 3),
            shape_seed=1,
            name=each.name,
            ground=terrain.height(each.x, each.y),
        )
        for each in features
        if each.kind == 'rock'
    )
    return World(seed=1, rocks=rocks, terrain=terrain, features=features)


def look(
    *features: Feature,
    settings: DetectorSettings = SURE,
    pose: Pose2D = HERE,
    terrain: Terrain = LEVEL,
) -> list[Sighting]:
    return Detector(settings, world(*features, terrain=terrain)).detect(pose)


def names(seen: list[Sighting]) -> list[str]:
    return [each.name for each in seen]


def test_what_is_far_or_aside_or_behind_is_not_seen() -> None:
    near, far = slab('near', 10.0, 0.0), slab('far', 22.0, 0.0)
    edge = EYE_AHEAD_M + 5.0 * math.cos(0.99), 5.0 * math.sin(0.99)
    beyond = EYE_AHEAD_M + 5.0 * math.cos(1.01), -5.0 * math.sin(1.01)
    seen = look(far, near, slab('edge', *edge), slab('beyond', *beyond), slab('behind', -3.0, 0.0))
    assert names(seen) == ['edge', 'near']


def test_places_are_told_in_the_base_frame() -> None:
    (seen,) = look(slab('A', 3.0, 8.0), pose=Pose2D(3.0, 2.0, math.pi / 2.0))
    assert (seen.x, seen.y) == pytest.approx((6.0, 0.0), abs=0.1)
    assert seen.std_m == pytest.approx(0.02)


def test_a_tall_rock_hides_what_is_behind_it_and_a_low_one_does_not() -> None:
    behind = slab('behind', 12.0, 0.0)
    assert names(look(slab('tall', 6.0, 0.0, height=2.0), behind)) == ['tall']
    assert names(look(slab('low', 6.0, 0.0, height=0.3), behind)) == ['low', 'behind']
    assert names(look(slab('aside', 6.0, 2.0, height=2.0), behind)) == ['aside', 'behind']


def test_a_ridge_hides_what_is_behind_it() -> None:
    axis = np.arange(CELLS) * CELL_M - HALF_M
    x, _ = np.meshgrid(axis, axis)
    ridge = Terrain((3.0 * np.exp(-(((x - 6.0) / 1.0) ** 2))).astype(np.float32))
    assert names(look(slab('behind', 12.0, 0.0), terrain=ridge)) == []
    assert names(look(slab('behind', 12.0, 0.0, height=8.0), terrain=ridge)) == ['behind']


@pytest.mark.slow
def test_noise_and_misses_are_of_the_seed_and_of_the_configured_size() -> None:
    settings = SURE.model_copy(update={'noise_per_m': 0.02, 'missed': 0.25})
    thing = slab('A', 11.0, 0.0)

    def run() -> list[list[Sighting]]:
        detector = Detector(settings, world(thing))
        return [detector.detect(HERE) for _ in range(400)]

    first = run()
    assert first == run()
    assert 60 <= sum(not seen for seen in first) <= 140
    xs = [seen[0].x for seen in first if seen]
    assert float(np.std(xs)) == pytest.approx(0.02 * (11.0 - EYE_AHEAD_M), rel=0.2)


def test_what_was_removed_is_neither_seen_nor_in_the_way() -> None:
    whole = world(slab('tall', 6.0, 0.0, height=2.0), slab('behind', 12.0, 0.0))
    detector = Detector(SURE, whole)
    detector.replace_world(whole.without(['tall']))
    assert names(detector.detect(HERE)) == ['behind']
    assert whole.without(['nobody']) == whole


def test_hills_and_craters_cannot_be_removed() -> None:
    hill = Feature(name='H', kind='hill', x=10.0, y=0.0, size_m=4.0, height_m=EYE_HEIGHT_M)
    assert world(hill).without(['H']).features == (hill,)
