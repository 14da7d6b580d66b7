"""From a camera's JPEG to a scored picture: the light model, and statistics of the picture."""

from __future__ import annotations

import contextlib
import json

import cv2
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
import numpy as np
import pytest

from curiosity_sim.image_pipeline import PictureError, darken, decode, encode, write_score
from curiosity_sim.image_score_and_ground_statistics import (
    COLOURS,
    ImageScorer,
    gain,
    ground_statistics,
    light_score,
    mean_luminance,
)
from rover_common.config.load import load_config
from rover_common.config.settings import LightModel
from rover_common.geometry.transforms import Transform


@pytest.fixture
def scorer() -> ImageScorer:
    config = load_config()
    thresholds = config.thresholds
    return ImageScorer(thresholds.light_model, thresholds.quality, config.curiosity.simulator)


@pytest.mark.slow
def test_brightness_follows_the_score(scorer: ImageScorer, jpeg: bytes) -> None:
    full = mean_luminance(decode(jpeg))
    for x, score in ((-1.0, 0.0), (1.0, 0.2), (2.5, 0.5), (4.0, 0.8), (9.0, 1.0)):
        developed = scorer.develop(jpeg, x)
        assert developed.score == pytest.approx(score)
        assert developed.is_good == (score >= 0.8)
        assert developed.luminance == pytest.approx(full * gain(score, 0.15), abs=1.0)


def test_the_published_jpeg_is_as_bright_as_it_says(scorer: ImageScorer, jpeg: bytes) -> None:
    developed = scorer.develop(jpeg, 0.0)
    picture = decode(developed.jpeg)
    assert picture.shape == decode(jpeg).shape
    lower = picture[picture.shape[0] // 2 :]  # without the written score
    assert mean_luminance(lower) == pytest.approx(developed.luminance, abs=3.0)


def test_the_score_is_written_legibly_at_any_brightness(scorer: ImageScorer, jpeg: bytes) -> None:
    for x in (0.0, 9.0):
        corner = decode(scorer.develop(jpeg, x).jpeg)[:20, :60]
        assert corner.max() > 200
        assert corner.min() < 40


def test_different_scores_are_written_differently() -> None:
    one, other = (np.full((240, 320, 3), 90, np.uint8) for _ in range(2))
    write_score(one, 'score 0.42')
    write_score(other, 'score 0.97')
    assert not np.array_equal(one, other)


@pytest.mark.slow
def test_debug_is_json_with_place_and_measures(scorer: ImageScorer, jpeg: bytes) -> None:
    debug = json.loads(scorer.develop(jpeg, 2.5).debug(Transform.planar(2.5, 0.25, 0.1)))
    assert (debug['rover_x'], debug['rover_y'], debug['rover_yaw']) == (2.5, 0.25, 0.1)
    assert 0 < debug['mean_luminance'] < debug['ground']['mean_luminance']
    assert {'contrast', 'edge_density', 'dominant_colour', 'dominant_rgb', 'texture'} <= set(
        debug['ground']
    )


@pytest.mark.slow
def test_darkness_does_not_pass_for_smoothness(scorer: ImageScorer, jpeg: bytes) -> None:
    dark, bright = (
        json.loads(scorer.develop(jpeg, x).debug(Transform.planar(x, 0.0, 0.0)))
        for x in (0.0, 9.0)
    )
    assert dark['ground'] == bright['ground']
    assert dark['legible'] is False
    assert bright['legible'] is True


@given(st.binary(max_size=400))
def test_bytes_that_are_no_picture_give_a_reason(data: bytes) -> None:
    with pytest.raises(PictureError, match=r'bytes|OpenCV'):
        decode(data)


def test_no_bytes_give_a_reason() -> None:
    with pytest.raises(PictureError, match='0 bytes'):
        decode(b'')


@given(st.integers(0, 200), st.binary(min_size=1, max_size=8))
def test_a_damaged_jpeg_is_decoded_or_refused(position: int, damage: bytes) -> None:
    whole = bytearray(encode(np.full((16, 16, 3), 128, np.uint8), 90))
    whole[position : position + len(damage)] = damage
    with contextlib.suppress(PictureError):
        assert decode(bytes(whole)).ndim == 3


@given(st.floats(0.0, 1.0))
def test_darkening_multiplies(factor: float) -> None:
    ramp = np.arange(256, dtype=np.uint8).reshape(1, 256, 1).repeat(3, axis=2)
    half_a_level = 0.5 + 255 * np.finfo(np.float32).eps  # OpenCV multiplies in single precision
    assert np.abs(darken(ramp, factor) - ramp * factor).max() <= half_a_level


def test_a_png_is_read_too() -> None:
    picture = np.full((8, 8, 3), 77, np.uint8)
    assert np.array_equal(decode(cv2.imencode('.png', picture)[1].tobytes()), picture)


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


@pytest.mark.slow
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


places = st.floats(-1e3, 1e3)


@given(places, places, st.floats(0.01, 1e3))
def test_score_is_the_clamped_line(x: float, x_min: float, span: float) -> None:
    model = LightModel(x_min=x_min, x_good=x_min + span)
    score = light_score(x, model)
    assert 0.0 <= score <= 1.0
    if x <= model.x_min:
        assert score == 0.0
    elif x >= model.x_good:
        assert score == 1.0
    else:
        assert score == pytest.approx((x - model.x_min) / (model.x_good - model.x_min))


@given(places, places)
def test_farther_is_never_darker(a: float, b: float) -> None:
    model = LightModel(x_min=0.0, x_good=5.0)
    low, high = sorted((a, b))
    assert light_score(low, model) <= light_score(high, model)


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_gain_lies_between_darkest_and_one(score: float, darkest: float) -> None:
    assert darkest - 1e-9 <= gain(score, darkest) <= 1.0 + 1e-9
    assert gain(1.0, darkest) == pytest.approx(1.0)
    assert gain(0.0, darkest) == darkest
