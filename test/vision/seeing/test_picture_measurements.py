"""What is measured in a picture is what is in it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from rover_vision.look_request_and_result import Picture
from rover_vision.seeing.picture_measurements import UnreadablePictureError, changed_share, measure
from rover_vision.watch.watch_looks import WatchCondition
from rover_vision.watch.watch_settings import TellWhen


def landscape(rocks: int = 3, light: float = 1.0, sky: bool = True, shift: int = 0) -> Picture:
    """Reddish ground with dark rocks, below a bright sky."""
    rng = np.random.default_rng(7)
    pixels = np.zeros((480, 640, 3), np.float32)
    pixels[:] = (70, 100, 150)
    pixels += rng.normal(0, 4, pixels.shape)
    if sky:
        pixels[:160] = (190, 200, 215)
    for rock in range(rocks):
        centre = (80 + 110 * rock + shift, 300 + 30 * (rock % 3))
        cv2.ellipse(pixels, centre, (28, 18), 0, 0, 360, (20, 30, 45), -1)
    ok, data = cv2.imencode('.png', np.clip(pixels * light, 0, 255).astype(np.uint8))
    assert ok
    return Picture(data.tobytes(), 'png', 640, 480)


@pytest.mark.parametrize('rocks', [0, 1, 3, 5])
@pytest.mark.slow
def test_rocks_are_counted(rocks: int) -> None:
    assert len(measure(landscape(rocks)).rocks) == rocks


@pytest.mark.slow
def test_light_colour_and_horizon_are_measured() -> None:
    day, night = measure(landscape()), measure(landscape(light=0.1))
    assert day.brightness > 0.4 > 0.1 > night.brightness
    assert day.colour == 'reddish brown'
    assert day.horizon == pytest.approx(1 / 3, abs=0.05)
    assert measure(landscape(sky=False)).horizon is None


def test_what_cannot_be_decoded_is_one_sentence() -> None:
    with pytest.raises(UnreadablePictureError):
        measure(Picture(b'nothing', 'png', 1, 1))


@pytest.mark.slow
def test_other_light_is_no_motion_and_a_moved_rock_is() -> None:
    still = measure(landscape())
    assert changed_share(still, measure(landscape(light=0.93))) == pytest.approx(0.0, abs=0.01)
    share = changed_share(still, measure(landscape(shift=60)))
    assert share is not None
    assert share > 0.02


@pytest.mark.slow
def test_darkness_is_told_once() -> None:
    condition = WatchCondition(0.25, 0.02)
    remarks = [
        condition.remark(TellWhen.DARK, 'rover', measure(landscape(light=light)))
        for light in (1.0, 0.2, 0.2, 1.0, 0.2)
    ]
    assert [bool(each) for each in remarks] == [False, True, False, False, True]


@pytest.mark.slow
def test_motion_is_told_when_there_is_a_picture_before() -> None:
    condition = WatchCondition(0.25, 0.02)
    remarks = [
        condition.remark(TellWhen.MOTION, 'rover', measure(landscape(shift=shift)))
        for shift in (0, 0, 60, 60)
    ]
    assert [bool(each) for each in remarks] == [False, False, True, False]
    assert condition.remark(TellWhen.ALWAYS, 'rover', measure(landscape())) == ''
