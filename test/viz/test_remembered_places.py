"""Places of the memory: posts, discs, names, whatever is told."""

from __future__ import annotations

import math

import pytest

from curiosity_viz.remembered_places import (
    LARGEST_M,
    MOST_PLACES,
    drawable_places,
    remembered_markers,
)


def test_a_remembered_thing_has_a_post_a_disc_and_its_name() -> None:
    places = drawable_places([('rock/Bishop', (4.0, 1.0, 0.5), 1.6)])
    post, disc, name = remembered_markers(places)
    assert (name.text, name.at[:2]) == ('Bishop', (4.0, 1.0))
    assert post.at[2] - post.size[2] / 2.0 == pytest.approx(0.5)
    assert disc.size[:2] == (1.6, 1.6)
    assert len({marker.key for marker in (post, disc, name)}) == 3


def test_a_remembered_area_is_its_name_alone() -> None:
    (sign,) = remembered_markers(drawable_places([('area/the ridge', (4.0, 1.0, 0.0), 30.0)]))
    assert (sign.name, sign.text) == ('remembered_area', 'the ridge')


def test_what_the_memory_tells_may_be_anything() -> None:
    odd = drawable_places(
        [('rock/\x1b岩', (0.0, 0.0, 0.0), 1e4), ('', (0.0, 0.0, 0.0), -1.0),
         ('rock/far', (math.inf, 0.0, 0.0), 1.0), ('rock/odd', (0.0, 0.0, 0.0), math.nan)]
    )  # fmt: skip
    assert [place.width for place in odd] == [LARGEST_M, 0.0]
    assert all(marker.text.isascii() for marker in remembered_markers(odd))
    assert len(remembered_markers(odd)) == 5  # no sign where nothing is left of the name
    with pytest.raises(ValueError, match=f'more than {MOST_PLACES}'):
        drawable_places([('rock/A', (0.0, 0.0, 0.0), 1.0)] * (MOST_PLACES + 1))
