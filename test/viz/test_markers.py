"""Markers: only differences are sent, and texts are in ASCII."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from curiosity_viz.markers import Key, Marker, MarkerKeeper, plain, text_marker

scenes = st.dictionaries(
    st.tuples(st.sampled_from(['mode', 'trace']), st.integers(0, 3)), st.sampled_from(['a', 'b'])
)


def markers(scene: dict[Key, str]) -> list[Marker]:
    return [
        text_marker(name, number, text, (0.0, 0.0, 0.0), 1.0, (1.0, 1.0, 1.0, 1.0))
        for (name, number), text in scene.items()
    ]


@pytest.mark.slow
@given(st.lists(st.tuples(scenes, st.booleans())))
def test_a_viewer_that_follows_sees_what_there_is(told: list[tuple[dict[Key, str], bool]]) -> None:
    keeper = MarkerKeeper()
    seen: dict[Key, Marker] = {}
    for scene, everything in told:
        changes = keeper.all(markers(scene)) if everything else keeper.changes(markers(scene))
        if changes.afresh:
            seen = {}
        for key in changes.gone:
            del seen[key]
        assert changes.afresh or all(seen.get(new.key) != new for new in changes.new)
        seen |= {new.key: new for new in changes.new}
        assert list(seen.values()) == [seen[key] for key in seen]
        assert {key: marker.text for key, marker in seen.items()} == scene


def test_nothing_new_is_nothing_to_send() -> None:
    keeper = MarkerKeeper()
    assert keeper.all([])
    assert not keeper.changes([])


@pytest.mark.parametrize(
    ('text', 'expected'),
    [
        ('Mode IDLE → EXEC', 'Mode IDLE -> EXEC'),
        ('tilt 40°, é, ﬁne…', 'tilt 40 deg, e, fine...'),
        ('New goal: 地面を調査して（Analyze the ground）', 'New goal: ~(Analyze the ground)'),
        ('スコア 0.96、4 枚目。 The picture is good.', '~ The picture is good.'),
        ('a\x00b\n\tc\x1b[2J', 'a b c [2J'),
        ('\ud800', '~'),
        (' \u200b\u0301 ', '~'),
        (' \n ', ''),
        ('0123456789', '01234...'),
    ],
)
def test_what_rviz_cannot_draw_is_replaced(text: str, expected: str) -> None:
    assert plain(text, 8 if text.isdigit() else 80) == expected


@given(st.text(st.characters()), st.integers(10, 80))
def test_any_text_becomes_one_short_line_of_ascii(text: str, longest: int) -> None:
    line = plain(text, longest)
    assert line.isascii()
    assert not line or line.isprintable()
    assert line == line.strip()
    assert len(line) <= longest


def test_a_huge_text_costs_no_more_than_a_long_one() -> None:
    assert plain('x' * 10_000_000, 80) == 'x' * 77 + '...'
