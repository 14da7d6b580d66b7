"""The ground's texture is as fine as a camera can see it, and no finer."""

from __future__ import annotations

import numpy as np
import pytest

from curiosity_sim.camera.ground_texture import NEAR_M, halvings_for, make_ground
from curiosity_sim.rover.world import Appearance, Sun

CELLS = 16  # in a row, all over the tile


def focal(width: int) -> float:
    """Of a camera of so many pixels that sees as wide as Curiosity's here, in pixels."""
    return float(width / 2.0 / np.tan(0.698))


@pytest.mark.parametrize(('width', 'halvings'), [(4000, 0), (800, 0), (320, 1), (160, 2), (4, 4)])
def test_a_camera_of_few_pixels_gets_a_coarser_texture(width: int, halvings: int) -> None:
    assert halvings_for(focal(width)) == halvings


@pytest.mark.parametrize('width', [320, 200, 160, 80])
def test_near_by_no_texel_is_larger_than_what_a_pixel_covers(width: int) -> None:
    ground = make_ground(7, Sun(), Appearance(), halvings_for(focal(width)))
    assert 1.0 / ground.texels_per_m <= NEAR_M / focal(width)


@pytest.mark.slow
@pytest.mark.parametrize('halvings', [1, 2, 3, 4])
def test_the_tone_of_the_ground_does_not_depend_on_how_fine_it_is(halvings: int) -> None:
    fine, coarse = (make_ground(7, Sun(), Appearance(), each) for each in (0, halvings))
    assert coarse.texture.levels == fine.texture.levels - halvings
    assert coarse.texels_per_m == fine.texels_per_m / 2**halvings
    columns, rows = np.meshgrid(*[np.linspace(0.0, 1.0, CELLS, dtype=np.float32)] * 2)
    tones = []
    for each in (fine, coarse):
        coarsest = np.full((CELLS - 2, CELLS), each.texture.levels - 1, np.intp)
        tones.append(each.texture.sample(columns, rows, coarsest)[..., :3].mean(axis=(0, 1)))
    assert tones[1] == pytest.approx(tones[0], rel=0.05)
