"""The light model of the requirements."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from curiosity_sim.image_scorer import gain, light_score
from rover_common.config.settings import LightModel

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
