"""Dark pictures are lifted for display, and bright ones are shown as they were taken."""

from __future__ import annotations

import io

from PIL import Image
import pytest

from bt_executive.view.small_picture import BRIGHTEST, EDGE_PX, FORMATS, lift_of, make_small


def grey(value: int, size: int = 64) -> Image.Image:
    return Image.new('RGB', (size, size), (value, value, value))


@pytest.mark.parametrize(('value', 'lift'), [(0, 12.0), (20, 5.0), (50, 2.0), (90, 1.0)])
def test_the_darker_the_more(value: int, lift: float) -> None:
    assert lift_of(grey(value)) == lift


def test_what_is_bright_in_a_dark_picture_stays_visible() -> None:
    picture = grey(10)
    picture.paste(grey(200, 16), (0, 0))
    assert lift_of(picture) * 200 <= BRIGHTEST + 10


def test_a_small_picture_is_small() -> None:
    large = io.BytesIO()
    grey(30, 2000).save(large, 'JPEG')
    small = make_small(large)
    with Image.open(io.BytesIO(small.jpeg)) as image:
        assert max(image.size) <= EDGE_PX
    assert small.lift > 1.0


@pytest.mark.slow
def test_what_is_no_picture_is_refused() -> None:
    with pytest.raises(OSError, match='cannot identify'):
        make_small(io.BytesIO(b'no picture'))


def test_a_picture_that_needs_another_program_is_refused() -> None:
    program = io.BytesIO()
    grey(90).save(program, 'EPS')
    with pytest.raises(OSError, match='cannot identify'):
        make_small(program)


def test_a_broken_png_is_refused() -> None:
    sent = io.BytesIO()
    Image.effect_noise((400, 400), 50.0).save(sent, 'PNG')
    header, first, rest = sent.getvalue().split(b'IDAT', 2)
    with pytest.raises(ValueError, match='broken PNG'):
        make_small(io.BytesIO(header + b'IDAT' + first + b'\xbbv\r\xd6' + rest))


@pytest.mark.parametrize('name', FORMATS)
def test_pictures_that_cameras_send_are_read(name: str) -> None:
    sent = io.BytesIO()
    grey(90).save(sent, name)
    assert make_small(sent).lift == 1.0
