"""What a geologist is told about a picture."""

from __future__ import annotations

import cv2
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
import numpy as np
import pytest

from curiosity_sim.picture_statistics import COLOURS, ground_statistics


def uniform(red: int, green: int, blue: int) -> np.ndarray:
    return np.full((240, 320, 3), (blue, green, red), np.uint8)


def noisy(deviation: float, size: int = 4) -> np.ndarray:
    """Grains of some pixels' size on a brown ground."""
    rng = np.random.default_rng(1)
    grains = rng.normal(120.0, deviation, (300 // size, 400 // size))
    grey = cv2.resize(np.clip(grains, 0, 255).astype(np.uint8), (400, 300))
    return np.dstack([grey // 2, grey // 4 * 3, grey])


def test_a_uniform_picture_has_no_texture() -> None:
    measured = ground_statistics(uniform(140, 80, 52))
    assert (measured.contrast, measured.edge_density, measured.local_roughness) == (0.0, 0.0, 0.0)
    assert measured.entropy_bits == 0.0
    assert measured.texture == 'fine'
    assert measured.dominant_rgb == (140, 80, 52)
    assert measured.mean_luminance == pytest.approx(0.299 * 140 + 0.587 * 80 + 0.114 * 52, abs=1)


@pytest.mark.parametrize('name', COLOURS)
def test_every_named_colour_is_called_by_its_name(name: str) -> None:
    assert ground_statistics(uniform(*COLOURS[name])).dominant_colour == name


def test_rougher_ground_gets_larger_numbers_and_coarser_words() -> None:
    measured = [ground_statistics(noisy(deviation)) for deviation in (3.0, 30.0, 80.0)]
    assert [each.texture for each in measured] == ['fine', 'medium', 'coarse']
    for name in ('contrast', 'local_roughness', 'entropy_bits'):
        values = [getattr(each, name) for each in measured]
        assert values == sorted(values), name


def test_the_size_of_the_picture_does_not_decide_the_word() -> None:
    small = noisy(60.0, 8)
    large = cv2.resize(small, None, fx=3, fy=3, interpolation=cv2.INTER_CUBIC)
    assert ground_statistics(small).texture == ground_statistics(large).texture


@pytest.mark.slow
@hypothesis_settings(max_examples=25, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 255))
def test_any_picture_can_be_measured(height: int, width: int, value: int) -> None:
    measured = ground_statistics(np.full((height, width, 3), value, np.uint8))
    assert measured.mean_luminance == pytest.approx(value, abs=1.0)
